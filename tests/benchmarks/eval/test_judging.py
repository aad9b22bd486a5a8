from datetime import date
from decimal import Decimal

import pytest

from benchmarks.eval.corpus import DUE, NUMBER, TOTAL, SampleDocument, Truth
from benchmarks.eval.judging import (
    JudgedValue,
    Outcome,
    is_right,
    judge_plan,
    quote_is_in_text,
    title_is_right,
)
from core.changes import CheckResult, Plan, PlannedChange
from core.fields import CustomField, FieldName, Money, Name, Value

BANK, POST, RECHNUNG, STROM, AUTO = (
    Name(1, "Deutsche Bank"),
    Name(2, "Deutsche Post AG"),
    Name(1, "Rechnung"),
    Name(1, "Strom"),
    Name(2, "Auto"),
)
IDS = {name.name: name.id for name in (BANK, POST, RECHNUNG, STROM, AUTO)}
TRUTH = Truth(
    title="Rechnung Postfach",
    title_contains=("Postfach", "Rechnung Post"),
    correspondent="Deutsche Post AG",
    document_type="Rechnung",
    tags=frozenset({"Strom"}),
    date=date(2026, 3, 18),
    invoice_number="442 871 9902",
    amount="EUR26.90",
    due="2026-03-27",
)
DOCUMENT = SampleDocument(1, "post.txt", "Deutsche Post", TRUTH)


def find(_: str, name: str) -> Name:
    return Name(IDS.get(name), name)


@pytest.mark.parametrize(
    ("label", "value", "right"),
    [
        (FieldName.CORRESPONDENT, POST, True),
        (FieldName.CORRESPONDENT, Name(2, "renamed meanwhile"), True),
        (FieldName.CORRESPONDENT, BANK, False),
        (FieldName.CORRESPONDENT, Name(None, "Deutsche Bank"), False),
        (FieldName.DOCUMENT_TYPE, RECHNUNG, True),
        (FieldName.DOCUMENT_TYPE, Name(9, "Brief"), False),
        (FieldName.DATE, date(2026, 3, 18), True),
        (FieldName.DATE, date(2026, 3, 27), False),
        (FieldName.TAGS, STROM, True),
        (FieldName.TAGS, AUTO, False),
        (FieldName.TITLE, "Postfachmiete 2026", True),
        (FieldName.TITLE, "Brief der Post", False),
        (NUMBER, "4428719902", True),
        (NUMBER, "442 871 990", False),
        (TOTAL, Money(Decimal("26.90"), "EUR"), True),
        (TOTAL, Money(Decimal("26.90"), "USD"), False),
        (TOTAL, Money(Decimal("22.61"), "EUR"), False),
        (DUE, date(2026, 3, 27), True),
        (DUE, date(2026, 3, 18), False),
    ],
)
def test_a_value_is_right_if_a_careful_person_would_file_it(
    label: str, value: Value, *, right: bool
) -> None:
    assert is_right(label, value, TRUTH, find) is right


@pytest.mark.parametrize("label", [*FieldName, NUMBER, TOTAL, DUE])
def test_where_there_is_nothing_to_find_no_value_is_right(label: str) -> None:
    value: Value = date(2026, 3, 18) if label in (FieldName.DATE, DUE) else POST

    assert not is_right(label, value, Truth(), find)


def test_a_name_that_the_archive_lacks_is_right_by_its_spelling() -> None:
    truth = Truth(correspondent="Tamar Cycles")

    assert is_right(FieldName.CORRESPONDENT, Name(None, "Tamar Cycles"), truth, find)


@pytest.mark.parametrize(
    ("title", "right"),
    [
        ("Rechnung der Deutschen Post", True),
        ("Post: RECHNUNG für das Jahr", True),
        ("Rechnung", False),
        ("", False),
    ],
)
def test_a_title_is_right_when_all_words_of_one_entry_stand_in_it(
    title: str, *, right: bool
) -> None:
    assert title_is_right(title, ["Rechnung Post"]) is right


def test_accents_do_not_make_a_title_wrong() -> None:
    assert title_is_right("Relevé de compte", ["releve"])


def test_each_change_of_a_plan_is_judged_with_its_outcome_and_its_checks() -> None:
    plan = Plan(
        now=(
            PlannedChange(
                FieldName.CORRESPONDENT,
                None,
                POST,
                "Deutsche Post",
                checks=(CheckResult("passed"),),
            ),
        ),
        review=(
            PlannedChange(
                FieldName.DATE,
                None,
                date(2026, 3, 27),
                "27.03.2026",
                reasons=("code",),
                checks=(CheckResult("passed"), CheckResult("failed", "code")),
            ),
        ),
        leave=(PlannedChange(CustomField(7, NUMBER), None, "1", "1", reasons=("no_value",)),),
    )

    judged = list(judge_plan(plan, DOCUMENT, find))

    assert judged == [
        JudgedValue(
            "post.txt",
            "correspondent",
            POST,
            "Deutsche Post",
            is_right=True,
            outcome=Outcome.WRITTEN,
            passed=("passed",),
        ),
        JudgedValue(
            "post.txt",
            "date",
            date(2026, 3, 27),
            "27.03.2026",
            is_right=False,
            outcome=Outcome.REVIEW,
            passed=("passed",),
            stopped_by=("failed",),
        ),
        JudgedValue(
            "post.txt",
            NUMBER,
            "1",
            "1",
            is_right=False,
            outcome=Outcome.LEFT_OUT,
            stopped_by=("no_value",),
        ),
    ]


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("Rechnungsdatum 18.03.2026", True),
        ("rechnungs-\ndatum: 18.03.2026", True),
        ("Rechnungsdatum ... Deutsche Post", True),
        ("Rechnungsdatum 19.03.2026", False),
        ("Rechnungsdatum ... Deutsche Bank", False),
        ("Deutsche Bank, Abteilung Kundendienst", False),
        ("...", False),
        ("", False),
    ],
)
def test_a_quote_is_in_the_text_letter_by_letter(quote: str, *, stands: bool) -> None:
    text = "Rechnungs-\ndatum 18.03.2026\n\nIhre Deutsche   Post"

    assert quote_is_in_text(quote, text) is stands
