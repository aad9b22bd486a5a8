"""Dates as people write them."""

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.text import fold
from processor.analysis.dates import dates_in, find_months, parse_date

# fmt: off
GERMAN = (
    "Januar", "Februar", "März", "April", "Mai", "Juni",
    "Juli", "August", "September", "Oktober", "November", "Dezember",
)
ENGLISH = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)
FRENCH = (
    "janvier", "février", "mars", "avril", "mai", "juin",
    "juillet", "août", "septembre", "octobre", "novembre", "décembre",
)
DUTCH = (
    "januari", "februari", "maart", "april", "mei", "juni",
    "juli", "augustus", "september", "oktober", "november", "december",
)
# fmt: on
FORMS: dict[str, Callable[[date], str]] = {
    "iso": lambda d: d.isoformat(),
    "iso without zeros": lambda d: f"{d.year}-{d.month}-{d.day}",
    "year first, slashes": lambda d: f"{d.year}/{d.month:02}/{d.day:02}",
    "year first, dots": lambda d: f"{d.year}.{d.month:02}.{d.day:02}",
    "dots": lambda d: f"{d.day:02}.{d.month:02}.{d.year}",
    "dots without zeros": lambda d: f"{d.day}.{d.month}.{d.year}",
    "dots and spaces": lambda d: f"{d.day}. {d.month}. {d.year}",
    "dots, short year": lambda d: f"{d.day:02}.{d.month:02}.{d.year % 100:02}",
    "slashes, day first": lambda d: f"{d.day:02}/{d.month:02}/{d.year}",
    "slashes, month first": lambda d: f"{d.month}/{d.day}/{d.year}",
    "dashes, day first": lambda d: f"{d.day:02}-{d.month:02}-{d.year}",
    "German": lambda d: f"{d.day}. {GERMAN[d.month - 1]} {d.year}",
    "German, capitals": lambda d: f"{d.day:02}. {GERMAN[d.month - 1].upper()} {d.year}",
    "German, short": lambda d: f"{d.day}. {GERMAN[d.month - 1][:3]}. {d.year}",
    "English": lambda d: f"{d.day} {ENGLISH[d.month - 1]} {d.year}",
    "English, month first": lambda d: f"{ENGLISH[d.month - 1]} {d.day}, {d.year}",
    "English, short": lambda d: f"{d.day:02}-{ENGLISH[d.month - 1][:3]}-{d.year}",
    "French": lambda d: f"{d.day} {FRENCH[d.month - 1]} {d.year}",
    "Dutch": lambda d: f"{d.day} {DUTCH[d.month - 1]} {d.year}",
    "misread": lambda d: FORMS["dots"](d).replace("0", "O").replace("1", "l"),
    "misread, iso": lambda d: FORMS["iso"](d).replace("1", "I").replace("0", "o"),
}


@pytest.mark.parametrize("form", FORMS)
@given(day=st.dates(date(1969, 1, 1), date(2068, 12, 31)))
def test_a_date_is_found_in_every_form_it_is_written_in(form: str, day: date) -> None:
    text = f"Musterstadt, den {FORMS[form](day)}\nSehr geehrte Damen und Herren,"

    assert day in set(dates_in(text))


@pytest.mark.parametrize(
    "text",
    [
        "3. Mai 2022",
        "3.Mai 2022",
        "3. MAI\n2022",
        "03.05.22",
        "03.05.2022",
        "03.05.\n2022",
        "03 .05. 2022",
        "vom03.05.2022",
        "Datum:03.05.2022/Kunde 7",
        "03.05.2022.",
        "May 3rd, 2022",
        "May 3,2022",
        "3rd of May, 2022",
        "Tuesday, 3 May 2022",
        "Musterstadt, den 03. Mai 2022",
        "Dienstag, 3. Mai 2022, 10:15 Uhr",
        "2022-05-03T10:15:00+02:00",
        "ausgestellt am „03.05.2022“",
    ],
)
def test_the_third_of_may_is_read_however_it_stands_there(text: str) -> None:
    assert parse_date(text) == date(2022, 5, 3)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1. März 2024", date(2024, 3, 1)),
        ("1. Maerz 2024", date(2024, 3, 1)),
        ("1. Mrz. 2024", date(2024, 3, 1)),
        ("1. Jänner 2024", date(2024, 1, 1)),
        ("2. Sept. 2024", date(2024, 9, 2)),
        ("Dec. 24th, 2024", date(2024, 12, 24)),
        ("24. Dez. 2024", date(2024, 12, 24)),
        ("7. Sep-\ntember 2024", date(2024, 9, 7)),
        ("29.02.2024", date(2024, 2, 29)),
        ("01.01.69", date(1969, 1, 1)),
        ("31.12.68", date(2068, 12, 31)),
        ("03.05.95", date(1995, 5, 3)),
        ("13/04/2026", date(2026, 4, 13)),
        ("04/13/2026", date(2026, 4, 13)),
        ("04/04/26", date(2026, 4, 4)),
        ("1er mars 2024", date(2024, 3, 1)),
        ("le 14 juill. 2024", date(2024, 7, 14)),
        ("5 févr. 2024", date(2024, 2, 5)),
        ("3 mrt. 2024", date(2024, 3, 3)),
        ("l4.1O.2026", date(2026, 10, 14)),
        ("3l/I2/2O25", date(2025, 12, 31)),
        ("13 / 6 / 2026", date(2026, 6, 13)),
        ("13 - O6 - 2026", date(2026, 6, 13)),
        ("28 juillet 2O14", date(2014, 7, 28)),
        ("l5. 0ktober 2O25", date(2025, 10, 15)),
        ("1O. Apri1 2025", date(2025, 4, 10)),
        ("Ju1y O5, 2Ol4", date(2014, 7, 5)),
        ("15 de ju1io de 2O25", date(2025, 7, 15)),
    ],
)
def test_a_date_is_read(text: str, day: date) -> None:
    assert parse_date(text) == day


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("1.10.2026-31.10.2026", {date(2026, 10, 1), date(2026, 10, 31)}),
        ("1.10.2026-\n31.10.2026", {date(2026, 10, 1), date(2026, 10, 31)}),
        ("13/10/2026-31/10/2026", {date(2026, 10, 13), date(2026, 10, 31)}),
        ("2026-10-01/2026-10-31", {date(2026, 10, 1), date(2026, 10, 31)}),
        ("01.10.–31.10.2026", {date(2026, 10, 31)}),
        ("30.04./01.05.2022", {date(2022, 5, 1)}),
        ("20. bis 22. Mai 2022", {date(2022, 5, 22)}),
        ("03/04/2026", {date(2026, 4, 3), date(2026, 3, 4)}),
    ],
)
def test_all_dates_of_a_text_are_found(text: str, days: set[date]) -> None:
    assert set(dates_in(text)) == days


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("made this 24th day of June, 2010", date(2010, 6, 24)),
        ("August 3 , 2014", date(2014, 8, 3)),
        ("May22,2013", date(2013, 5, 22)),
        ("Feb12/20", date(2020, 2, 12)),
        ("24-06-10", date(2010, 6, 24)),
        ("24AUG2026", date(2026, 8, 24)),
    ],
)
def test_rare_forms_are_read(text: str, day: date) -> None:
    assert parse_date(text) == day


@pytest.mark.parametrize("text", ["03/04/2026", "03-04-2026", "1.10.2026-31.10.2026"])
def test_more_than_one_possible_date_is_no_date(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Mai 2022",
        "Rechnungsmonat 10/2026",
        "1.234,56 EUR",
        "1.234.567,89",
        "12.05",
        "31.02.2026",
        "2026-13-01",
        "00.05.2026",
        "32. Mai 2022",
        "10.1.12.13",
        "192.168.10.26",
        "v1.2.34",
        "Version 3.11.07",
        "Abschnitt 1.2.34.5",
        "Kapitel 1.3 Mai 2022",
        "3. Mai 22:00 Uhr",
        "Steuernummer 21/815/08150",
        "Tel. 0511-12-1234",
        "Nr. 10-11-12",
        "20221105",
        "Kunde 103.05.2022",
        "Mail 3, 20221",
        "i.l.oo",
        "oil-oil-oil",
        "ArtO1-O2-2034",
        "AB-O1-O2-2034",
        "O1-O2-2034X",
        "3. 5. il",
        "O2 April 2O26",
        "i3 mai 2O24",
        "1o de maio de 2O24",
        "März 2O26",
        "3. Mai 2oil",
        "1 - 2 - 11",
        "Seite 1 / 2 / 12",
        "4 / 5 / 6 / 2026",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert list(dates_in(text)) == []


@given(st.text())
@example("٣.٥.٢٠٢٢")
@example("99.99.9999")
def test_any_text_can_be_searched(text: str) -> None:
    assert all(isinstance(day, date) for day in dates_in(text))


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("am 03.05.2022 im Oktober", {10}),
        ("Zeitraum 09/2026", {9}),
        ("Zeitraum 9.2026 und 10-2026", {9, 10}),
        ("nächste HU: 06/27", {6}),
        ("le mois de février", {2}),
        ("13/2026, 0/26, 1.234,56, 118/290/11", set()),
        ("", set()),
    ],
)
def test_the_months_that_a_text_names_are_found(text: str, months: set[int]) -> None:
    assert find_months(fold(text)) == months


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("3 maj 2022", date(2022, 5, 3)),
        ("3 maggio 2022", date(2022, 5, 3)),
        ("3 de mayo de 2022", date(2022, 5, 3)),
        ("3. marts 2022", date(2022, 3, 3)),
        ("3 apr '18", date(2018, 4, 3)),
    ],
)
def test_months_have_names_in_further_languages(text: str, day: date) -> None:
    assert parse_date(text) == day
