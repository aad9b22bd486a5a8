import pytest

from sandbox.model.finding import Reading
from sandbox.model.question import Question
from sandbox.model.reader import read
from sandbox.model.text import Language, is_readable, language_of


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("Rechnung vom 31.10.2026", True),
        ("Betrag 12,00 EUR am 1. 2. 2026 von Konto 7", True),
        ("~~ .. |l1 I| ;; M@~kt a_m T0|?", False),
        ("\f\n .\n", False),
        ("", False),
    ],
)
def test_rubbish_is_distinguished_from_text(text: str, *, readable: bool) -> None:
    assert is_readable(text) is readable


def test_nothing_is_read_from_rubbish() -> None:
    assert read(Question("~~ Datum 1.2.2026 .. |l1 I| ;; M@~kt a_m T0|?")) == Reading()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Bitte zahlen Sie bis zum Monatsende.", Language.GERMAN),
        ("Please pay by the end of the month.", Language.ENGLISH),
    ],
)
def test_the_language_is_recognised_by_small_words(text: str, language: Language) -> None:
    assert language_of(text) is language


def test_a_word_without_an_end_is_no_word() -> None:
    assert not is_readable("x" * 200_000 + "\u0000")
