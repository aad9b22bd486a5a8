"""What an answer of Paperless means."""

from datetime import UTC, datetime, timedelta
from typing import Literal

import httpx
import pytest
from pydantic import BaseModel, ConfigDict

from core.messages import plain
from paperless_client.decoding import decode, decode_headers, find_error, parse_retry_after
from paperless_client.errors import (
    DocumentGone,
    NotPaperless,
    OutcomeUnknown,
    PaperlessError,
    PaperlessRefused,
    PaperlessUnavailable,
    PermissionMissing,
    TokenRefused,
)
from paperless_client.models import Server
from paperless_client.requests import Request, build_bulk_edit_request
from tests.paperless_client.recorded import (
    BAD_REQUEST_PAGE,
    BULK_EDIT_FAULT,
    CSRF_PAGE,
    HTML,
    LOGIN_PAGE,
    NO_DOCUMENT,
    NO_PAGE,
    NO_PERMISSION,
    SERVER_ERROR,
    TITLE_TOO_LONG_GERMAN,
    URL,
    login_redirect,
    signed,
    signed_text,
    unsigned_page,
)

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
Method = Literal["GET", "PATCH"]


class Thing(BaseModel):
    """Something that an answer may carry."""

    model_config = ConfigDict(hide_input_in_errors=True)

    id: int


def a_request(method: Method = "GET", *, document: int | None = 7) -> Request:
    action = "change document 7" if method == "PATCH" else "read document 7"
    path = "documents/7/"
    return Request(method, path, plain(action), "change_document", document=document)


def sent(request: Request, response: httpx.Response) -> httpx.Response:
    response.request = httpx.Request(request.method, f"{URL}/api/{request.path}?fields=secret")
    return response


def error_of(response: httpx.Response, request: Request | None = None) -> PaperlessError | None:
    asked = request or a_request()
    return find_error(asked, sent(asked, response), now=NOW)


def text(status: int, body: str) -> httpx.Response:
    return httpx.Response(status, text=body)


@pytest.mark.parametrize("status", [200, 201])
def test_a_good_answer_is_no_error(status: int) -> None:
    assert error_of(signed(status, {})) is None


@pytest.mark.parametrize(
    ("detail", "status", "kind"),
    [
        ("Authentication credentials were not provided.", 401, TokenRefused),
        ("Invalid token.", 401, TokenRefused),
        ("User inactive or deleted.", 401, TokenRefused),
        ("Request was throttled. Expected available in 34 seconds.", 429, PaperlessUnavailable),
    ],
)
def test_what_paperless_answers_to_strangers(
    detail: str, status: int, kind: type[PaperlessError]
) -> None:
    error = error_of(httpx.Response(status, json={"detail": detail}))

    assert type(error) is kind
    assert detail in str(error)


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (signed(400, TITLE_TOO_LONG_GERMAN), PaperlessRefused),
        (signed(400, ["a list"]), PaperlessRefused),
        (signed(403, NO_PERMISSION), PermissionMissing),
        (signed_text(403, "Insufficient permissions"), PermissionMissing),
        (signed(404, NO_DOCUMENT), DocumentGone),
        (signed(405, {"detail": 'Method "PATCH" not allowed.'}), PaperlessRefused),
        (signed(415, {"detail": "Unsupported media type."}), PaperlessRefused),
    ],
)
@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_what_paperless_answers_about_one_document(
    method: Method, response: httpx.Response, kind: type[PaperlessError]
) -> None:
    error = error_of(response, a_request(method))

    assert type(error) is kind
    assert error.document == 7
    assert error.status == response.status_code


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (login_redirect("nonexistent/"), "an address that Paperless does not know"),
        (unsigned_page(301, "", location="https://docs.example.org/api/"), "http for https"),
        (unsigned_page(302, "", location="http://paperless:port"), "nonsense"),
        (unsigned_page(400, BAD_REQUEST_PAGE), "a host name that is not allowed"),
        (unsigned_page(401, LOGIN_PAGE), "a proxy that wants a password"),
        (unsigned_page(403, CSRF_PAGE), "a write to an address that Paperless does not know"),
        (text(403, "Forbidden"), "a proxy that does not let us through"),
        (text(404, "404 page not found"), "a proxy whose Paperless is restarting"),
        (httpx.Response(404, json={"detail": "Not Found"}), "another program's API"),
        (unsigned_page(406, "<html>Not Acceptable</html>"), "a web firewall"),
        (signed(304, {}), "something that was not asked for"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_what_others_answer_is_never_taken_for_paperless(
    method: Method, response: httpx.Response, reason: str
) -> None:
    error = error_of(response, a_request(method))

    assert type(error) is NotPaperless, reason
    assert error.status == response.status_code


@pytest.mark.parametrize(
    ("method", "status", "kind"),
    [
        ("GET", 408, PaperlessUnavailable),
        ("GET", 429, PaperlessUnavailable),
        ("GET", 500, PaperlessUnavailable),
        ("GET", 502, PaperlessUnavailable),
        ("PATCH", 429, PaperlessUnavailable),
        ("PATCH", 500, OutcomeUnknown),
        ("PATCH", 502, OutcomeUnknown),
        ("PATCH", 503, OutcomeUnknown),
        ("PATCH", 504, OutcomeUnknown),
    ],
)
def test_a_write_that_broke_down_may_have_taken_effect(
    method: Method, status: int, kind: type[PaperlessError]
) -> None:
    error = error_of(unsigned_page(status, SERVER_ERROR), a_request(method))

    assert type(error) is kind
    assert error.document == 7
    assert error.status == status


@pytest.mark.parametrize(
    "response", [text(400, BULK_EDIT_FAULT), signed_text(400, BULK_EDIT_FAULT)]
)
def test_a_bare_sentence_after_a_write_is_a_fault_of_the_server(response: httpx.Response) -> None:
    assert type(error_of(response, a_request("PATCH"))) is OutcomeUnknown


def test_a_bare_sentence_after_a_read_is_a_refusal() -> None:
    error = error_of(signed_text(400, "Error listing search results, check logs."))

    assert isinstance(error, PaperlessRefused)
    assert error.details == {"detail": "Error listing search results, check logs."}


def test_a_404_that_is_not_about_a_document_does_not_make_one_forgotten() -> None:
    error = error_of(signed(404, NO_PAGE), a_request(document=None))

    assert type(error) is PaperlessRefused
    assert error.status == 404


def test_a_refusal_carries_its_details_by_field() -> None:
    error = error_of(signed(400, TITLE_TOO_LONG_GERMAN))

    assert isinstance(error, PaperlessRefused)
    assert error.details == TITLE_TOO_LONG_GERMAN
    assert "128 Zeichen" in str(error)


def test_a_missing_permission_is_named() -> None:
    error = error_of(signed(403, NO_PERMISSION), a_request("PATCH"))

    assert isinstance(error, PermissionMissing)
    assert error.permission == "change_document"
    assert str(error.action) == "change document 7"
    assert "requires change_document" in str(error)


@pytest.mark.parametrize(
    ("request_", "is_advised"),
    [
        (a_request("PATCH"), True),
        (build_bulk_edit_request(7, "modify_tags", {}, plain("tag it")), True),
        (a_request(), False),
    ],
)
def test_only_where_a_document_was_to_be_changed_is_sharing_it_advised(
    request_: Request, *, is_advised: bool
) -> None:
    error = error_of(signed(403, NO_PERMISSION), request_)

    assert isinstance(error, PermissionMissing)
    assert ("shared with it for editing" in error.hint) is is_advised


def test_the_message_has_neither_query_nor_page() -> None:
    error = error_of(unsigned_page(500, "<html>Max Mustermann</html>"))

    assert str(error) == (
        f"could not read document 7: {URL}/api/documents/7/ answered 500 (text/html)"
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"detail": "Not allowed."}, "Not allowed."),
        ({"detail": ["a", "b"]}, '{"detail": ["a", "b"]}'),
        ({"detail": "No.", "code": "x"}, '{"detail": "No.", "code": "x"}'),
        ({"title": ["Too long."]}, '{"title": ["Too long."]}'),
    ],
)
def test_the_message_quotes_a_lone_sentence_without_its_braces(body: object, said: str) -> None:
    error = error_of(signed(405, body))

    assert str(error).endswith(f"answered 405 (application/json): {said}")


def test_the_message_names_where_a_redirect_leads_without_its_query() -> None:
    error = error_of(unsigned_page(302, "", location="https://sso.example.org/login?token=secret"))

    assert str(error).endswith("a redirect to https://sso.example.org/login")


def test_the_message_is_one_short_line() -> None:
    error = error_of(signed_text(400, "no\r\n\x1b[31m" + "x" * 1000))

    assert str(error).isprintable()
    assert len(str(error)) < 420


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("34", timedelta(seconds=34)),
        (" 0 ", timedelta(0)),
        ("-5", timedelta(0)),
        ("Mon, 16 Nov 2026 12:02:00 GMT", timedelta(minutes=2)),
        ("Mon, 16 Nov 2026 12:02:00 -0000", timedelta(minutes=2)),
        ("Mon, 16 Nov 2026 11:00:00 GMT", timedelta(0)),
        ("soon", None),
        ("", None),
        ("1.5", timedelta(seconds=1.5)),
        ("1.5.5", None),
        ("999999999999", timedelta(days=1)),
        ("9" * 400, timedelta(days=1)),
        ("Fri, 31 Dec 9999 23:59:59 GMT", timedelta(days=1)),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str, wait: timedelta | None) -> None:
    assert parse_retry_after(header, now=NOW) == wait


@pytest.mark.parametrize(
    ("headers", "wait"), [({"retry-after": "34"}, timedelta(seconds=34)), ({}, None)]
)
def test_an_outage_says_how_long_to_wait_if_the_server_did(
    headers: dict[str, str], wait: timedelta | None
) -> None:
    error = error_of(httpx.Response(503, headers=headers))

    assert isinstance(error, PaperlessUnavailable)
    assert error.retry_after == wait


def test_a_good_answer_is_read() -> None:
    request = a_request()

    assert decode(request, sent(request, signed(200, {"id": 7, "new": 1})), Thing) == Thing(id=7)


@pytest.mark.parametrize(
    ("method", "response", "kind"),
    [
        ("GET", unsigned_page(200, LOGIN_PAGE), NotPaperless),
        ("GET", signed(200, {"identity": 7}), NotPaperless),
        ("GET", signed(200, ["id"]), NotPaperless),
        ("GET", httpx.Response(200), NotPaperless),
        ("PATCH", unsigned_page(200, LOGIN_PAGE), OutcomeUnknown),
        ("PATCH", signed(200, {"identity": 7}), OutcomeUnknown),
    ],
)
def test_an_answer_that_is_not_understood_is_an_error(
    method: Method, response: httpx.Response, kind: type[PaperlessError]
) -> None:
    request = a_request(method)

    with pytest.raises(PaperlessError) as caught:
        decode(request, sent(request, response), Thing)

    assert type(caught.value) is kind
    assert caught.value.status == 200


@pytest.mark.parametrize(
    ("method", "kind"), [("GET", PaperlessUnavailable), ("PATCH", OutcomeUnknown)]
)
def test_json_that_breaks_off_is_an_outage(method: Method, kind: type[PaperlessError]) -> None:
    request = a_request(method)
    cut = httpx.Response(200, content=b'{"id": 7', headers={"content-type": "application/json"})

    with pytest.raises(PaperlessError) as caught:
        decode(request, sent(request, cut), Thing)

    assert type(caught.value) is kind


def test_a_wrong_shape_is_reported_by_place_and_not_by_value() -> None:
    request = a_request()

    with pytest.raises(NotPaperless) as caught:
        decode(request, sent(request, signed(200, {"id": "Max Mustermann"})), Thing)

    assert "id (int_parsing)" in str(caught.value)
    assert "Mustermann" not in str(caught.value)
    assert "Mustermann" not in str(caught.value.__cause__)


@pytest.mark.parametrize("headers", [HTML, {"x-version": "3.0.5", "x-api-version": "ten"}])
def test_headers_without_a_version_are_not_those_of_paperless(headers: dict[str, str]) -> None:
    request = a_request()

    with pytest.raises(NotPaperless):
        decode_headers(request, sent(request, httpx.Response(200, headers=headers)), Server)
