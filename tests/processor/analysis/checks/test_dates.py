"""Dates that are doubted: unreadable, implausible, or of something else."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from core.calendar import DateOrder
from core.fields import FieldName
from processor.analysis.checks import CheckFailure, Owner, run_checks
from sandbox.documents import FOLDER, load_truth
from tests.builders import TODAY, a_source, a_suggestion
from tests.processor.analysis.checks.sample_letter import LETTER, failed_checks


@pytest.mark.parametrize(
    ("value", "text", "doubts"),
    [
        (date(2022, 5, 3), "den 03. Mai 2022", ()),
        (None, "den 03. Mai 2022", (CheckFailure.DATE_UNREADABLE,)),
        (TODAY, f"den {TODAY.isoformat()}", ()),
        (TODAY + timedelta(days=3), f"den {TODAY + timedelta(days=3)}", ()),
        (
            TODAY + timedelta(days=4),
            f"den {TODAY + timedelta(days=4)}",
            (CheckFailure.DATE_IN_FUTURE,),
        ),
        (date(1900, 1, 1), "den 01.01.1900", (CheckFailure.DATE_LONG_AGO,)),
        (date(1899, 12, 31), "den 31.12.1899", (CheckFailure.DATE_TOO_EARLY,)),
    ],
)
def test_a_date_is_real_and_plausible(
    value: date | None, text: str, doubts: tuple[CheckFailure, ...]
) -> None:
    assert failed_checks(text, field=FieldName.DATE, value=value, text=text) == doubts


@pytest.mark.parametrize(
    ("value", "evidence", "doubts"),
    [
        (date(2022, 5, 3), "wie am 03. Mai 2022 besprochen", ()),
        (date(2022, 5, 3), "am 03.05.2022", ()),
        (date(2022, 5, 3), "vom 03.05.2022 und 04.06.2022", ()),
        (
            date(2022, 6, 4),
            "vom 03.05.2022 und 04.06.2022",
            (CheckFailure.OTHER_DATE_IS_ITS_OWN,),
        ),
        (date(2022, 5, 3), "vom ... 04.06.2022", (CheckFailure.DATE_NOT_IN_EVIDENCE,)),
        (
            date(2022, 5, 4),
            "am 03.05.2022",
            (CheckFailure.DATE_NOT_IN_EVIDENCE, CheckFailure.DATE_NOT_IN_TEXT),
        ),
    ],
)
def test_a_date_stands_in_the_text_and_in_the_quote(
    value: date, evidence: str, doubts: tuple[CheckFailure, ...]
) -> None:
    text = "wie am 03. Mai 2022 besprochen\nam 03.05.2022\nvom 03.05.2022 und 04.06.2022"

    assert failed_checks(evidence, field=FieldName.DATE, value=value, text=text) == doubts


@pytest.mark.parametrize(
    ("added", "doubts"),
    [
        (date(2022, 5, 3), ()),
        (date(2022, 5, 2), ()),
        (date(2037, 5, 3), ()),
        (date(2037, 5, 4), (CheckFailure.DATE_LONG_AGO,)),
    ],
)
def test_a_date_is_not_much_older_than_the_scan(
    added: date, doubts: tuple[CheckFailure, ...]
) -> None:
    day = date(2022, 5, 3)

    assert failed_checks("03. Mai 2022", field=FieldName.DATE, value=day, added=added) == doubts


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("Date 03/05/2022", True),
        ("Date 03-05-22", True),
        ("Date 03/05/2022, due 16/05/2022", False),
        ("Date 05/03/2022, due 05/16/2022", False),
        ("Date 05/03/2022, due 16/05/2022", True),
        ("Date 03/05/2022, signed on 3 May 2022", False),
        ("Date 03.05.2022", False),
        ("Date 2022-05-03", False),
        ("Date 5/5/2022 and 13/05/2022", False),
    ],
)
def test_the_text_must_show_the_order_of_day_and_month(text: str, *, is_open: bool) -> None:
    day = date(2022, 5, 5) if "5/5" in text else date(2022, 5, 3)

    failures = failed_checks(text, field=FieldName.DATE, value=day, text=text)

    assert (CheckFailure.DATE_ORDER_OPEN in failures) is is_open


def test_a_known_order_of_day_and_month_counts_where_the_text_shows_none() -> None:
    owner = Owner(date_order=DateOrder.DAY_FIRST)

    def failures(day: date) -> tuple[str, ...]:
        quote = "Date 03/05/2022"
        return failed_checks(quote, field=FieldName.DATE, value=day, text=quote, owner=owner)

    assert failures(date(2022, 5, 3)) == ()
    assert failures(date(2022, 3, 5)) == (CheckFailure.DATE_ORDER_OPEN,)


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("Vorauszahlung gezahlt am 12.01.2026", False),
        ("Période du 12/10/2025 au 12.01.2026", False),
        ("Anfrage 12.01.2026", False),
        ("Auftragsbestätigung\nBestelldatum   12.01.2026\nLieferung   20.01.2026", True),
        ("Werkstatt\nBestelldatum   12.01.2026\nDatum   20.01.2026", False),
    ],
)
def test_a_day_of_something_else_is_doubted_even_if_there_is_no_other(
    text: str, *, passes: bool
) -> None:
    line = next(line for line in text.splitlines() if "12.01.2026" in line)
    failures = failed_checks(line, field=FieldName.DATE, value=date(2026, 1, 12), text=text)

    assert failures == (() if passes else (CheckFailure.DATE_OF_SOMETHING_ELSE,))


def test_a_confirmation_has_the_day_of_the_order_only_without_a_date_of_its_own() -> None:
    line, day = "Bestelldatum   12.01.2026", date(2026, 1, 12)
    confirmation = f"Auftragsbestätigung\n{line}\nAngebot Nr. 7 vom 05.01.2026"
    dated = f"{confirmation}\nDatum   20.01.2026"

    assert failed_checks(line, field=FieldName.DATE, value=day, text=confirmation) == ()
    failures = failed_checks(line, field=FieldName.DATE, value=day, text=dated)
    assert failures == (CheckFailure.OTHER_DATE_IS_ITS_OWN,)


def test_a_document_that_was_there_before_paperclerk_may_be_old() -> None:
    suggestion = a_suggestion(FieldName.DATE, "2022-05-03", evidence="den 03. Mai 2022")
    facts = replace(a_source(LETTER, added=date(2040, 1, 1)), is_backlog=True)

    assert run_checks(suggestion, date(2022, 5, 3), facts).failures == ()


@pytest.mark.parametrize(
    ("quote", "others", "doubts"),
    [
        (
            "Fällig am 03.05.2022",
            "Rechnungsdatum: 01.04.2022",
            (CheckFailure.DATE_OF_SOMETHING_ELSE,),
        ),
        ("Lieferdatum 03.05.2022", "Hamburg, 01.04.2022", (CheckFailure.DATE_OF_SOMETHING_ELSE,)),
        (
            "Due date: 3 May 2022",
            "Invoice date: 1 April 2022",
            (CheckFailure.DATE_OF_SOMETHING_ELSE,),
        ),
        (
            "échéance : 3 mai 2022",
            "Date de facture : 1 avril 2022",
            (CheckFailure.DATE_OF_SOMETHING_ELSE,),
        ),
        (
            "Vervaldatum 3 mei 2022",
            "Factuurdatum 1 april 2022",
            (CheckFailure.DATE_OF_SOMETHING_ELSE,),
        ),
        ("Fällig am 03.05.2022", "am 01.04.2022", (CheckFailure.DATE_OF_SOMETHING_ELSE,)),
        ("Fällig am 03.05.2022", "Datum: 03.05.2022", ()),
        ("am 03.05.2022", "Rechnungsdatum: 01.04.2022", (CheckFailure.OTHER_DATE_IS_ITS_OWN,)),
        (
            "am 03.05.2022",
            "Fällig am 03.05.2022\nDatum 1.4.2022",
            (CheckFailure.OTHER_DATE_IS_ITS_OWN,),
        ),
        ("am 03.05.2022", "Hamburg, den 01.04.2022", (CheckFailure.OTHER_DATE_IS_ITS_OWN,)),
        ("03.05.2022", "Rechnungsdatum: 01.04.2022", ()),
        ("am 03.05.2022", "01.04.2022", (CheckFailure.OTHER_DATE_IS_ITS_OWN,)),
        ("Rechnungsdatum: 03.05.2022", "Fällig am 01.04.2022", ()),
        ("geb. 03.05.2022", "am 01.04.2022", (CheckFailure.DATE_OF_SOMETHING_ELSE,)),
        ("geb. 03.05.2022", "Datum: 03.05.2022", ()),
        ("zum 03.05.\n2022", "Rechnungsdatum: 01.04.2022", ()),
    ],
)
def test_a_day_is_doubted_if_another_is_the_documents_own(
    quote: str, others: str, doubts: tuple[CheckFailure, ...]
) -> None:
    text = f"Stadtwerke Musterstadt\n{quote}\n{others}\nVielen Dank"

    assert failed_checks(quote, field=FieldName.DATE, value=date(2022, 5, 3), text=text) == doubts


@pytest.mark.parametrize(
    ("file", "day", "quote"),
    [(file, truth.date, truth.date_quote) for file, truth in load_truth().items() if truth.date],
)
def test_the_right_date_of_a_sample_document_passes_every_check(
    file: str, day: date, quote: str
) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")

    assert failed_checks(quote, field=FieldName.DATE, value=day, text=text) == ()
