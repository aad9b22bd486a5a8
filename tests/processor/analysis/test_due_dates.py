"""Days on which something is to be paid."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processor.analysis.due_dates import find_due_dates

DAY = date(2022, 5, 23)


@pytest.mark.parametrize(
    "text",
    [
        "Fällig am 23.05.2022",
        "Zahlbar bis 23.05.2022 ohne Abzug",
        "Bitte überweisen Sie den Betrag bis zum 23.05.2022 auf unser Konto.",
        "Der Betrag wird nicht vor dem 23.05.2022 von Ihrem Konto abgebucht.",
        "Wir erbitten den Ausgleich bis 23.05.2022.",
        "Payment due by 23 May 2022",
        "Please pay by 23 May 2022. Returns accepted until 1 June 2022.",
        "Due date      23 May 2022",
        "À payer avant le 23/05/2022",
        "Le règlement doit nous parvenir au plus tard le 23 mai 2022.",
        "Vervaldatum: 23 mei 2022",
        "Wij schrijven het bedrag af op 23-05-2022.",
        "Nummer      Uiterlijk betalen\n4711        23-05-2022",
    ],
)
def test_a_day_is_due(text: str) -> None:
    assert DAY in set(find_due_dates(text))


@pytest.mark.parametrize(
    "text",
    [
        "Rechnungsdatum: 23.05.2022",
        "Lieferung am 23.05.2022",
        "Bezahlt am 23.05.2022 per Karte",
        "Zahlungseingänge bis 23.05.2022 sind berücksichtigt",
        "Umtausch bis 23.05.2022",
        "Please pay at once. Returns accepted until 23 May 2022.",
        "Zahlbar bis 23.05.2022 mit 2 % Skonto",
        "Beginn   23.05.2022",
    ],
)
def test_another_day_is_not_due(text: str) -> None:
    assert DAY not in set(find_due_dates(text))


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    assert all(isinstance(day, date) for day in find_due_dates(text))
