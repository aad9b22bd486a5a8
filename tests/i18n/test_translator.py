"""Numbers, money and times as English and German write them."""

from datetime import date, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from i18n import Translator, get_translator
from tests.store.builders import NOON

EN = get_translator("en", zone=ZoneInfo("Europe/Berlin"), now=NOON)
DE = get_translator("de", zone=ZoneInfo("Europe/Berlin"), now=NOON)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("translator", "amount", "currency", "written"),
    [
        (EN, "0.43", "EUR", "€0.43"),
        (EN, "1204.5", "CHF", "CHF\u00a01,204.50"),
        (EN, "0", "USD", "$0.00"),
        (EN, "0.004", "EUR", "< €0.01"),
        (DE, "0.43", "EUR", "0,43\u00a0€"),
        (DE, "1204.5", "CHF", "1.204,50\u00a0CHF"),
        (EN, "0.43", "", "0.43"),
        (DE, "0.43", "", "0,43"),
    ],
)
def test_money(translator: Translator, amount: str, currency: str, written: str) -> None:
    assert translator.money(Decimal(amount), currency) == written


@pytest.mark.parametrize(
    ("translator", "later", "written"),
    [
        (EN, timedelta(), "13:00"),
        (EN, timedelta(days=1), "tomorrow, 13:00"),
        (DE, timedelta(days=-1), "gestern, 13:00"),
        (EN, timedelta(days=3), "4\u00a0Mar, 13:00"),
        (DE, timedelta(days=3), "4.\u00a0März, 13:00"),
        (DE, timedelta(days=-90), "1.\u00a0Dez. 2025, 13:00"),
    ],
)
def test_moments_are_shown_in_the_owners_zone(
    translator: Translator, later: timedelta, written: str
) -> None:
    assert translator.moment(NOON + later) == written


@pytest.mark.parametrize(
    ("span", "en", "de"),
    [
        (timedelta(seconds=-1), "0\u00a0s", "0\u00a0s"),
        (timedelta(seconds=59.4), "59\u00a0s", "59\u00a0s"),
        (timedelta(seconds=59.6), "1\u00a0min\u00a00\u00a0s", "1\u00a0Min.\u00a00\u00a0s"),
        (timedelta(seconds=95), "1\u00a0min\u00a035\u00a0s", "1\u00a0Min.\u00a035\u00a0s"),
        (timedelta(hours=2, minutes=5), "2\u00a0h", "2\u00a0Std."),
    ],
)
def test_what_still_runs_is_measured_in_whole_seconds(span: timedelta, en: str, de: str) -> None:
    assert (EN.elapsed(span), DE.elapsed(span)) == (en, de)


def test_percent_has_a_space_in_german_only() -> None:
    assert (EN.percent(65), DE.percent(65)) == ("65%", "65\u00a0%")


@pytest.mark.parametrize(
    ("span", "en", "de"),
    [
        (timedelta(seconds=6.2), "6.2\u00a0s", "6,2\u00a0s"),
        (timedelta(seconds=42), "42\u00a0s", "42\u00a0s"),
        (timedelta(minutes=5), "5\u00a0min", "5\u00a0Min."),
        (timedelta(hours=3), "3\u00a0h", "3\u00a0Std."),
        (timedelta(days=2), "2\u00a0days", "2\u00a0Tage"),
    ],
)
def test_how_long_stays_in_one_line(span: timedelta, en: str, de: str) -> None:
    assert (EN.duration(span), DE.duration(span)) == (en, de)


def test_ago() -> None:
    assert EN.ago(NOON) == "just now"
    assert DE.ago(NOON - timedelta(minutes=5)) == "vor 5\u00a0Min."
    assert DE.ago(NOON - timedelta(hours=47)) == "vor 47\u00a0Std."
    assert (EN.ago(NOON - 9 * DAY), DE.ago(NOON - 9 * DAY)) == ("9 days ago", "vor 9 Tagen")


def test_one_and_many() -> None:
    assert [EN.plural("{n} document", "{n} documents", n) for n in (0, 1, 1204)] == [
        "0 documents",
        "1 document",
        "1,204 documents",
    ]
    assert DE.plural("{n} document", "{n} documents", 2) == "2 Dokumente"


def test_a_day_of_another_year_says_so() -> None:
    assert EN.day(date(2025, 3, 1)) == "1\u00a0Mar 2025"
    assert EN.month(date(2025, 3, 1)) == "Mar 2025"


def test_a_sentence_nobody_translated_stays_english() -> None:
    assert DE.text("Nobody translated this, {name}", name="Ada") == "Nobody translated this, Ada"
