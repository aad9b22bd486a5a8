"""Evidence found by Paperclerk, and the e-invoice that settles what the page leaves open."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fields import CustomField, Field, FieldName, Money, Name, Value
from processor.analysis.checks import Candidate, CheckFailure, Owner, run_checks
from processor.analysis.checks.check import DocumentFacts
from tests.builders import a_source, a_suggestion

LETTER = """Brightwater Energy
Harbour Road 4, Plymouth
Electricity for your home

Invoice number: BW-2026-118204      Customer number: 7214905331
Invoice date:   12 May 2026
Delivered on    30 April 2026

Meter reading 4711 kWh
Subtotal           100.00 EUR
Total to pay       119.00 EUR
Please pay by 26 May 2026. Brightwater Energy thanks you.
"""
QUOTE = "Electricity for your home"
IN_USE = ("Brightwater Energy", "Brightwater Energy Services", "Halden Bank")
DAY, DUE = date(2026, 5, 12), date(2026, 5, 26)
TOTAL = Money(Decimal("119.00"), "EUR")


def check(
    field: Field, value: Value, quote: str = QUOTE, *, text: str = LETTER, said: str | None = None
) -> Candidate:
    suggestion = a_suggestion(field, said or str(value), evidence=quote)
    return run_checks(suggestion, value, a_source(text, owner=Owner(correspondents=IN_USE)))


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        (FieldName.DATE, DAY, "Invoice date: 12 May 2026"),
        (FieldName.CORRESPONDENT, Name(1, "Brightwater Energy"), "Brightwater Energy"),
        (
            CustomField(1, "Invoice number"),
            "BW-2026-118204",
            "Invoice number: BW-2026-118204 Customer number: 7214905331",
        ),
        (CustomField(2, "Total"), TOTAL, "Total to pay 119.00 EUR"),
        (
            CustomField(3, "Due date"),
            DUE,
            "Please pay by 26 May 2026. Brightwater Energy thanks you.",
        ),
        (CustomField(4, "Delivered"), date(2026, 4, 30), "Delivered on 30 April 2026"),
        (CustomField(5, "Meter"), 4711, "Meter reading 4711 kWh"),
    ],
    ids=str,
)
def test_the_line_of_a_value_is_found_if_the_quote_does_not_show_it(
    field: Field, value: Value, line: str
) -> None:
    checked = check(field, value)

    assert (checked.evidence, checked.is_evidence_found) == (line, True)
    assert checked.failures == ()


def test_a_quote_that_shows_the_value_is_kept() -> None:
    checked = check(FieldName.DATE, DAY, "12 May 2026")

    assert (checked.evidence, checked.is_evidence_found) == ("12 May 2026", False)


@pytest.mark.parametrize("quote", ["", "Gas for your home and office", "Dear Ms Pascoe"])
def test_nothing_is_found_for_a_quote_that_is_not_in_the_text(quote: str) -> None:
    checked = check(FieldName.DATE, DAY, quote)

    assert (checked.evidence, checked.is_evidence_found) == (quote, False)
    assert CheckFailure.DATE_NOT_IN_EVIDENCE in checked.failures


@pytest.mark.parametrize(
    ("field", "value", "quote"),
    [
        (FieldName.DATE, DAY, "Please pay by 26 May 2026"),
        (CustomField(3, "Due date"), DUE, "Invoice date:   12 May 2026"),
        (CustomField(1, "Invoice number"), "BW-2026-118204", "Customer number: 7214905331"),
        (CustomField(2, "Total"), TOTAL, "Subtotal           100.00 EUR"),
        (CustomField(5, "Meter"), 4711, "Harbour Road 4, Plymouth"),
    ],
    ids=str,
)
def test_a_quote_that_shows_another_value_contradicts(
    field: Field, value: Value, quote: str
) -> None:
    checked = check(field, value, quote)

    assert (checked.evidence, checked.is_evidence_found) == (quote, False)
    assert checked.failures != ()


def test_a_quote_that_shows_another_name_in_use_contradicts() -> None:
    text = f"{LETTER}Bank: Halden Bank\n"

    checked = check(
        FieldName.CORRESPONDENT, Name(1, "Brightwater Energy"), "Halden Bank", text=text
    )

    assert not checked.is_evidence_found
    assert CheckFailure.NAME_NOT_IN_EVIDENCE in checked.failures


def test_a_quote_that_shows_the_recipient_does_not_contradict() -> None:
    text = f"{LETTER}Customer: Halden Bank\n"

    checked = check(
        FieldName.CORRESPONDENT, Name(1, "Brightwater Energy"), "Halden Bank", text=text
    )

    assert checked.evidence == "Brightwater Energy"
    assert checked.failures == ()


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        (CustomField(1, "Invoice number"), "BW-2026-118204", "Customer number: BW-2026-118204"),
        (CustomField(2, "Total"), TOTAL, "Deposit   119.00 EUR"),
        (CustomField(5, "Meter"), 4711, "Room 4711"),
    ],
    ids=str,
)
def test_lines_with_different_labels_are_for_a_person(
    field: Field, value: Value, line: str
) -> None:
    checked = check(field, value, text=f"{LETTER}{line}\n")

    assert not checked.is_evidence_found
    assert CheckFailure.VALUE_NOT_IN_EVIDENCE in checked.failures


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (CustomField(1, "Invoice number"), "7214905331"),
        (CustomField(2, "Total"), Money(Decimal("100.00"), "EUR")),
        (CustomField(3, "Due date"), DAY),
        (CustomField(4, "Collected"), date(2026, 4, 30)),
        (CustomField(5, "Weight"), 4711),
        (CustomField(6, "Tip"), TOTAL),
    ],
    ids=str,
)
def test_a_value_without_a_fitting_label_is_for_a_person(field: Field, value: Value) -> None:
    checked = check(field, value)

    assert not checked.is_evidence_found
    assert checked.failures != ()


def test_the_found_line_must_pass_every_check() -> None:
    checked = check(FieldName.DATE, date(2026, 4, 30))

    assert checked.is_evidence_found
    assert checked.failures == (CheckFailure.DATE_OF_SOMETHING_ELSE,)


def test_a_sender_beside_a_longer_name_in_use_is_for_a_person() -> None:
    text = f"{LETTER}Brightwater Energy Services, Plymouth\n"

    checked = check(FieldName.CORRESPONDENT, Name(1, "Brightwater Energy"), text=text)

    assert not checked.is_evidence_found


def test_a_new_name_must_be_in_the_quote_of_the_model() -> None:
    checked = check(FieldName.CORRESPONDENT, Name(None, "Brightwater Energy"))

    assert not checked.is_evidence_found
    assert CheckFailure.NAME_NOT_IN_EVIDENCE in checked.failures


@pytest.mark.parametrize(
    "line", ["Delivered by Halden Bank", "IBAN GB33 BUKB 2020, Halden Bank", ""]
)
def test_a_name_that_is_only_mentioned_is_not_found(line: str) -> None:
    checked = check(FieldName.CORRESPONDENT, Name(3, "Halden Bank"), text=f"{LETTER}{line}\n")

    assert not checked.is_evidence_found


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (FieldName.TITLE, "Electricity May 2026"),
        (FieldName.TAGS, Name(7, "Total")),
        (FieldName.DOCUMENT_TYPE, Name(7, "Invoice")),
        (CustomField(8, "Delivered"), True),
        (CustomField(9, "Street"), "Harbour Road"),
    ],
    ids=str,
)
def test_only_dates_senders_numbers_and_amounts_are_looked_for(field: Field, value: Value) -> None:
    assert not check(field, value).is_evidence_found


def test_a_line_that_nobody_would_read_is_no_evidence() -> None:
    text = LETTER.replace("Total to pay", f"{'x' * 600} Total to pay")

    assert not check(CustomField(2, "Total"), TOTAL, text=text).is_evidence_found


def test_a_line_at_the_end_of_what_is_searched_is_no_evidence() -> None:
    line = "Total to pay       119.00 EUR"
    # The first 100,000 characters are searched.
    rest = (LETTER.replace(line, "") + "word word\n" * 10_000)[: 100_000 - len(line)]
    text = f"{rest[:-1]}\n{line}, and a line that goes on\n"

    assert not check(CustomField(2, "Total"), TOTAL, text=text).is_evidence_found


@given(st.text(max_size=80), st.sampled_from([DAY, "BW-2026-118204", 4711, TOTAL]))
def test_found_evidence_is_always_in_the_text(noise: str, value: Value) -> None:
    text = f"{LETTER}\n{noise}\n{LETTER}"

    checked = check(CustomField(1, "Invoice number or total"), value, text=text)

    assert CheckFailure.EVIDENCE_NOT_IN_TEXT not in checked.failures


PAGE = """Harbour Cloud Ltd
Rechnung
Rechnungsdatum: 08.09.2026
Fällig am 23.09.2026
Gesamtbetrag 128,52 EUR
"""
DUE = date(2026, 9, 23)
OTHER = date(2026, 9, 8)


def checked(day: date, facts: DocumentFacts, evidence: str = "Fällig am 23.09.2026") -> Candidate:
    suggested = a_suggestion(FieldName.DATE, day.isoformat(), evidence=evidence)
    return run_checks(suggested, day, facts)


def facts_with(said: Value, page: str = PAGE) -> DocumentFacts:
    facts = a_source(page, added=date(2026, 9, 24))
    return replace(facts, e_invoice={FieldName.DATE: said} if said else {})


def test_without_an_e_invoice_nothing_is_compared() -> None:
    candidate = checked(DUE, facts_with(None))

    assert candidate.failures == (CheckFailure.DATE_OF_SOMETHING_ELSE,)
    assert candidate.e_invoice is None
    assert "e_invoice_says_the_same" not in {check.check for check in candidate.checks}


def test_a_doubt_about_which_value_is_meant_is_settled_by_the_same_value() -> None:
    candidate = checked(DUE, facts_with(DUE))

    assert checked(DUE, facts_with(None)).failures
    assert candidate.failures == ()
    assert candidate.e_invoice == DUE


def test_another_value_in_the_e_invoice_needs_review_with_both() -> None:
    candidate = checked(DUE, facts_with(OTHER))

    assert CheckFailure.E_INVOICE_DIFFERS in candidate.failures
    assert (candidate.value, candidate.e_invoice) == (DUE, OTHER)


def test_a_value_that_the_page_does_not_show_is_not_settled() -> None:
    page = "Harbour Cloud Ltd\nRechnung\nGesamtbetrag 128,52 EUR\n"

    candidate = checked(DUE, facts_with(DUE, page), evidence="Gesamtbetrag 128,52 EUR")

    assert CheckFailure.DATE_NOT_IN_TEXT in candidate.failures
    assert CheckFailure.DATE_NOT_IN_EVIDENCE in candidate.failures


@pytest.mark.parametrize(
    ("evidence", "failure"),
    [("", CheckFailure.NO_EVIDENCE), ("Ihre Zahlung", CheckFailure.EVIDENCE_NOT_IN_TEXT)],
)
def test_an_invented_quote_is_not_settled(evidence: str, failure: CheckFailure) -> None:
    assert checked(DUE, facts_with(DUE), evidence=evidence).failures == (failure,)
