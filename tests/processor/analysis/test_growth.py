"""The work for a document grows with its length, not with the square of it."""

import sys
from datetime import date
from decimal import Decimal
from types import FrameType

import pytest

from core.changes import Suggestion
from core.fields import CustomField, Field, FieldName, Money, Name, Value
from processor.analysis.checks import DocumentFacts, Owner, run_checks

SENDER = Name(1, "Stadtwerke Nord GmbH")
VALUES: tuple[tuple[Field, Value], ...] = (
    (FieldName.CORRESPONDENT, SENDER),
    (FieldName.DATE, date(2026, 4, 3)),
    (CustomField(1, "Betrag"), Money(Decimal("12.50"), "EUR")),
    (CustomField(2, "Rechnungsnummer"), "RE-2026-118"),
    (CustomField(3, "Fällig am"), date(2026, 4, 3)),
)
TOP = "Rechnung\nNummer: 4711\n"


@pytest.mark.parametrize(
    "cell",
    ["Stadtwerke Nord GmbH   ", "Erika Muster   ", "An:   ", "Datum:   03.04.2026   "],
)
def test_twice_the_text_is_at_most_little_more_than_twice_the_work(cell: str) -> None:
    once, twice = (count_calls(TOP + cell * times) for times in (200, 400))

    assert twice < once * 2.5


def count_calls(text: str) -> int:
    """Return how many functions are called to check some values of a document."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        check(text)
    finally:
        sys.setprofile(before)
    return calls


def check(text: str) -> None:
    day = date(2026, 5, 1)
    owner = Owner(names=("Erika Muster",), correspondents=(SENDER.name, "Stadtwerke"))
    facts = DocumentFacts.of(text, file_name="scan.pdf", added=day, today=day, owner=owner)
    for field, value in VALUES:
        run_checks(Suggestion(field, str(value), text[:80], 0.9), value, facts)
