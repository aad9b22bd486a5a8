"""The error tree: what is about the instance and what is about one request."""

import re
from collections.abc import Iterator

import pytest

from core.messages import plain
from paperless_client import errors
from paperless_client.errors import OutageSuspected, OutcomeUnknown, PaperlessError


def _all(kind: type[PaperlessError]) -> Iterator[type[PaperlessError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _all(child)


def test_outages_and_troubles_of_one_request_are_told_apart() -> None:
    kinds = set(_all(PaperlessError))

    outages = {kind.__name__ for kind in kinds if issubclass(kind, OutageSuspected)}

    assert outages == {
        "OutageSuspected",
        "PaperlessUnavailable",
        "OutcomeUnknown",
        "CertificateUntrusted",
        "NotPaperless",
        "TokenRefused",
        "VersionUnsupported",
    }
    assert {kind.__name__ for kind in kinds} - outages == {
        "LoginRefused",
        "MfaCodeRequired",
        "MfaCodeRefused",
        "PermissionMissing",
        "DocumentGone",
        "AnswerTooLarge",
        "PaperlessRefused",
        "ListChanged",
    }


def test_every_error_has_a_code_of_its_own_and_says_what_to_do() -> None:
    kinds = [kind for kind in _all(PaperlessError) if kind is not OutageSuspected]

    assert len({kind.code for kind in kinds}) == len(kinds)
    assert all(re.fullmatch("[a-z_]+", kind.code) for kind in kinds)
    assert all(kind.hint.endswith(".") and kind.user_message.endswith(".") for kind in kinds)


@pytest.mark.parametrize("kind", list(_all(PaperlessError)))
def test_every_error_is_in_the_drawing(kind: type[PaperlessError]) -> None:
    drawing = errors.__doc__ or ""

    assert re.search(rf"\b{kind.__name__}\b", drawing)


def test_the_text_says_what_to_which_document_and_what_was_answered() -> None:
    error = OutcomeUnknown(
        plain("change document 7"), plain("http://x/api/ answered 500"), document=7, status=500
    )

    assert str(error) == "could not change document 7: http://x/api/ answered 500"
    assert (error.document, error.status, error.retry_after) == (7, 500, None)
