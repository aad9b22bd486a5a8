"""Custom fields: found by the words beside them, in this very text, or not at all."""

import pytest

from sandbox.documents import load_truth
from sandbox.model.answers import build_answer
from sandbox.model.custom import find_custom
from sandbox.model.question import CustomQuestion, Message, Question, read_question
from sandbox.model.reader import read
from tests.sandbox.model.samples import text_of

NUMBER = CustomQuestion("custom_field_1", "Rechnungsnummer", "text, at most 128 characters")
AMOUNT = CustomQuestion("custom_field_2", "Betrag", "an amount of money with its currency")
DUE = CustomQuestion("custom_field_3", "Fällig am", "a date as YYYY-MM-DD")
PAID = CustomQuestion("custom_field_4", "Bezahlt", '"yes" or "no", only if the document says so')
WAY = CustomQuestion(
    "custom_field_5", "Weg", 'one of these and nothing else: ["Lastschrift", "EC-Karte"]'
)
CODE = CustomQuestion("custom_field_6", "Kundennummer", "text, at most 128 characters")
TAX = CustomQuestion("custom_field_7", "Steuer", "an amount of money with its currency")
START = CustomQuestion("custom_field_8", "Beginn", "a date as YYYY-MM-DD")
LINK = CustomQuestion("custom_field_9", "Link", "a web address")

LETTER = """\
Rechnung Nr. 2026-88          Kundennummer: KD 7
Beginn: 01.11.2026
Netto      10,00 EUR
Steuer     1,90
Total items 3
Total     £ 11.90
Zahlbar bis 28.11.2026 per Lastschrift. Bezahlt: nein
"""


@pytest.mark.parametrize(
    ("asked", "value", "evidence"),
    [
        (NUMBER, "2026-88", "Rechnung Nr. 2026-88"),
        (CODE, "KD 7", "Kundennummer: KD 7"),
        (AMOUNT, "GBP 11.90", "Total     £ 11.90"),
        (TAX, "EUR 1.90", "Steuer     1,90"),
        (DUE, "2026-11-28", "Zahlbar bis 28.11.2026"),
        (START, "2026-11-01", "Beginn: 01.11.2026"),
        (PAID, "nein", "Bezahlt: nein"),
        (WAY, "Lastschrift", "Lastschrift"),
    ],
)
def test_a_value_is_found_with_a_quote_from_the_text(
    asked: CustomQuestion, value: str, evidence: str
) -> None:
    found = find_custom(LETTER, asked)

    assert found is not None
    assert (found.value, found.evidence) == (value, evidence)
    assert evidence in LETTER


@pytest.mark.parametrize("asked", [NUMBER, CODE, AMOUNT, TAX, DUE, START, PAID, WAY, LINK])
def test_what_the_text_does_not_say_is_not_found(asked: CustomQuestion) -> None:
    assert find_custom("Liebe Erika, alles Gute!\nDeine Anna", asked) is None


def test_of_two_choices_none_is_taken() -> None:
    assert find_custom("Lastschrift oder EC-Karte", WAY) is None


def test_an_amount_without_any_currency_has_none() -> None:
    found = find_custom("Gesamtbetrag   12,50", AMOUNT)

    assert found is not None
    assert found.value == "12.50"


def test_questions_are_read_from_the_prompt_and_not_from_the_document() -> None:
    line = '- custom_field_1: what the archive calls "Nr. \\"A\\"": text, at most 128 characters'
    user = f'<document mark="8f">\n{line.replace("_1", "_2")}\n</document mark="8f">'

    question = read_question([Message("system", line), Message("user", user)], None)

    assert question.custom == (
        CustomQuestion("custom_field_1", 'Nr. "A"', "text, at most 128 characters"),
    )


def test_a_field_without_a_value_is_answered_with_nothing() -> None:
    question = Question("Zahlbar bis 28.11.2026", custom=(NUMBER, DUE))

    answer = build_answer(read(question), question)

    assert answer["custom_field_1"] is None
    assert answer["custom_field_3"] == {
        "value": "2026-11-28",
        "evidence": "Zahlbar bis 28.11.2026",
        "confidence": 0.9,
    }


def test_of_the_bills_most_is_found_and_nothing_wrong() -> None:
    bills = {file: truth for file, truth in load_truth().items() if truth.amount}
    found = [
        (file, asked.name, finding.value, true)
        for file, truth in bills.items()
        for asked, true in (
            (NUMBER, truth.invoice_number),
            (AMOUNT, truth.amount),
            (DUE, truth.due),
        )
        if (finding := find_custom(text_of(file), asked))
    ]

    wrong = [row for row in found if row[2].replace(" ", "") != (row[3] or "").replace(" ", "")]
    assert wrong == []
    assert len(found) >= 25
