"""Errors in the caller's language, as far as the sandbox speaks it."""

import pytest

from sandbox.paperless.translations import translated

LONG = "Ensure this field has no more than 128 characters."


@pytest.mark.parametrize(
    ("body", "language", "begins"),
    [
        (LONG, "de", "Stelle sicher"),
        (LONG, "de-AT,en;q=0.5", "Stelle sicher"),
        (LONG, "en", "Ensure"),
        ("Not found.", "de", "Not found."),
    ],
)
def test_a_sentence_is_translated_when_it_is_known(body: str, language: str, begins: str) -> None:
    assert str(translated(body, language)).startswith(begins)


def test_what_is_no_sentence_stays_as_it_is() -> None:
    assert translated({"a": [1, None]}, "de") == {"a": [1, None]}
