"""The careless model offers real values of the page that are wrong for the field."""

import subprocess
import sys
from datetime import date
from functools import cache

import pytest

from benchmarks.eval.careless import (
    Mistake,
    OfferedValue,
    misquote_values,
    offer_values,
)
from benchmarks.eval.corpus import (
    DUE,
    NUMBER,
    TOTAL,
    SampleDocument,
    Truth,
    load_archive,
    load_documents,
)
from benchmarks.eval.judging import quote_is_in_text
from sandbox.paperless.records import Kind

NAMES = [name.name for name in load_archive().names[Kind.CORRESPONDENT].values()]
DOCUMENTS = load_documents()
TEXT = """
Nordlicht Service GmbH
USt-IdNr. DE298114506
Käufer: Albers GmbH
Rechnung NS-2026-0417
03.04.2026
zahlbar bis 05.05.2026
Netto     464,00 EUR
Brutto    552,16 EUR
Mutterunternehmen: Nordlicht Systeme GmbH
"""
BILL = SampleDocument(
    1,
    "bill.txt",
    TEXT,
    Truth(
        correspondent="Nordlicht Service",
        date=date(2026, 4, 3),
        date_quote="03.04.2026",
        invoice_number="NS-2026-0417",
        amount="EUR552.16",
        due="2026-05-05",
    ),
)


@cache
def offered_about(document: SampleDocument) -> tuple[OfferedValue, ...]:
    """Return what the careless model offers; a second for all documents, so not on import."""
    return tuple(offer_values(document, NAMES))


def offered_for(field: str, mistake: Mistake, names: tuple[str, ...] = ()) -> list[str]:
    values = offer_values(BILL, names)
    return [offer.value for offer in values if offer.field == field and offer.mistake is mistake]


@pytest.mark.parametrize(
    ("field", "mistake", "values"),
    [
        ("date", Mistake.OTHER_DATE, ["2026-05-05"]),
        ("date", Mistake.SWAPPED, ["2026-03-04"]),
        (DUE, Mistake.OTHER_DATE, ["2026-04-03"]),
        (TOTAL, Mistake.OTHER_AMOUNT, ["EUR 464.00"]),
        (TOTAL, Mistake.OTHER_CURRENCY, ["USD 552.16"]),
        (NUMBER, Mistake.VAT_ID, ["DE298114506"]),
        ("correspondent", Mistake.RECIPIENT, ["Albers GmbH"]),
        ("correspondent", Mistake.OTHER_NAME, ["Nordlicht Systeme GmbH"]),
    ],
)
def test_every_other_value_of_the_page_is_offered(
    field: str, mistake: Mistake, values: list[str]
) -> None:
    assert offered_for(field, mistake) == values


def test_a_name_in_use_that_begins_alike_is_offered_with_the_line_of_the_right_one() -> None:
    offered = offer_values(BILL, ("Nordlicht Service", "Nordlicht Service Süd"))

    twins = [offer for offer in offered if offer.mistake is Mistake.TWIN]
    assert [(twin.value, twin.evidence) for twin in twins] == [
        ("Nordlicht Service Süd", "Nordlicht Service GmbH")
    ]


def test_the_right_values_are_offered_once_each() -> None:
    right = [offer for offer in offer_values(BILL, ()) if offer.mistake is Mistake.NONE]

    assert {(offer.field, offer.value, offer.evidence) for offer in right} == {
        ("date", "2026-04-03", "03.04.2026"),
        ("correspondent", "Nordlicht Service", "Nordlicht Service GmbH"),
        (NUMBER, "NS-2026-0417", "Rechnung NS-2026-0417"),
        (TOTAL, "EUR 552.16", "Brutto    552,16 EUR"),
        (DUE, "2026-05-05", "zahlbar bis 05.05.2026"),
    }


def test_a_date_with_the_month_first_is_offered_with_the_day_first() -> None:
    truth = Truth(date=date(2026, 3, 4), date_quote="03/04/2026")
    document = SampleDocument(1, "invoice.txt", "Shipped 03/12/2026\n03/04/2026", truth)

    wrong = [offer for offer in offer_values(document, ()) if offer.field == "date"]

    assert [
        (offer.value, offer.mistake) for offer in wrong if offer.mistake is not Mistake.NONE
    ] == [
        ("2026-12-03", Mistake.OTHER_DATE),
        ("2026-04-03", Mistake.SWAPPED),
    ]


def test_a_foreign_amount_is_also_offered_without_its_currency() -> None:
    text = "Meranti Sdn Bhd\nRM 58.40"
    document = SampleDocument(1, "receipt.txt", text, Truth(amount="MYR58.40"))

    wrong = [
        offer for offer in offer_values(document, ()) if offer.mistake is Mistake.OTHER_CURRENCY
    ]

    assert [offer.value for offer in wrong] == ["EUR 58.40", "58.40"]


@pytest.mark.parametrize("field", ["date", "correspondent", TOTAL, NUMBER, DUE])
def test_there_are_at_least_150_wrong_values_of_each_field(field: str) -> None:
    wrong = [
        offer
        for offered in map(offered_about, DOCUMENTS)
        for offer in offered
        if offer.field == field and offer.mistake is not Mistake.NONE
    ]

    assert len(wrong) >= 150


def test_every_mistake_is_made() -> None:
    made = {offer.mistake for offered in map(offered_about, DOCUMENTS) for offer in offered}

    assert made == set(Mistake)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.file)
def test_every_quote_is_honest(document: SampleDocument) -> None:
    invented = [offer for offer in offered_about(document) if not is_honest(offer, document)]

    assert not invented


def is_honest(offered: OfferedValue, document: SampleDocument) -> bool:
    return quote_is_in_text(offered.evidence, document.text)


def test_the_careless_model_knows_nothing_of_the_code_that_it_measures() -> None:
    code = (
        "import sys, benchmarks.eval.careless;"
        "sys.exit(any(name.partition('.')[0] == 'processor' for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_misquoted_value_has_a_line_of_the_page_that_does_not_show_it() -> None:
    misquoted = misquote_values(BILL, NAMES)

    assert [(offer.field, offer.value, offer.mistake) for offer in misquoted] == [
        (offer.field, offer.value, offer.mistake) for offer in offer_values(BILL, NAMES)
    ]
    assert all(offer.evidence in TEXT.splitlines() for offer in misquoted)
    assert not any(offer.value in offer.evidence for offer in misquoted)
