"""Titles made of a pattern and of a document's values."""

from datetime import date

import pytest

from core import title_patterns
from core.fields import FieldName, Name, Value

VALUES: dict[FieldName, Value] = {
    FieldName.CORRESPONDENT: Name(1, "Stadtwerke"),
    FieldName.DOCUMENT_TYPE: Name(2, "Rechnung"),
    FieldName.DATE: date(2026, 3, 9),
}


@pytest.mark.parametrize(
    ("pattern", "title"),
    [
        ("{correspondent} {type} {month} {year}", "Stadtwerke Rechnung 03 2026"),
        ("{type} - {month:de} {year}", "Rechnung - März 2026"),
        ("{month:en} {year}", "March 2026"),
        ("{date} {type}", "2026-03-09 Rechnung"),
        ("{day}.{month}.{year}", "09.03.2026"),
    ],
)
def test_a_pattern_is_filled_with_values(pattern: str, title: str) -> None:
    assert title_patterns.fill(pattern, VALUES) == title


def test_what_has_no_value_stays_open() -> None:
    only_type = {FieldName.DOCUMENT_TYPE: Name(2, "Rechnung")}

    filled = title_patterns.fill("{correspondent} {type} {month}", only_type)

    assert filled == "{correspondent} Rechnung {month}"
    assert title_patterns.list_fields(filled) == (FieldName.CORRESPONDENT, FieldName.DATE)


def test_braces_of_a_name_are_no_placeholder() -> None:
    name = {FieldName.CORRESPONDENT: Name(1, "A {year}")}

    assert title_patterns.fill("{correspondent}", name) == "A (year)"


@pytest.mark.parametrize(
    ("pattern", "title"),
    [
        ("{correspondent} Rechnung", "Rechnung"),
        ("{correspondent} - Rechnung - {month} {year}", "Rechnung"),
        ("A - {type} - 2026", "A - 2026"),
        ("A, {type}", "A"),
        ("Wi-Fi {year}", "Wi-Fi"),
        ("{type}", ""),
    ],
)
def test_open_placeholders_are_dropped_with_their_separators(pattern: str, title: str) -> None:
    assert title_patterns.drop_open(pattern) == title


@pytest.mark.parametrize(
    ("language", "pattern"),
    [("de", "{month:de} {year}"), ("sv", "{month} {year}"), (None, "{month} {year}")],
)
def test_months_are_named_in_a_language_that_is_known(language: str | None, pattern: str) -> None:
    assert title_patterns.set_language("{month} {year}", language) == pattern


@pytest.mark.parametrize(
    ("pattern", "unknown"),
    [
        ("{correspondent} {month:de}", None),
        ("{sender}", "{sender}"),
        ("{month:xx}", "{month:xx}"),
        ("{year:de}", "{year:de}"),
        ("{year", ""),
        ("year}", ""),
        ("{}", ""),
    ],
)
def test_other_parts_in_braces_are_found(pattern: str, unknown: str | None) -> None:
    assert title_patterns.find_unknown_placeholder(pattern) == unknown


@pytest.mark.parametrize(
    ("title", "pattern"),
    [
        ("Stadtwerke Rechnung März 2026", "{correspondent} {type} {month:de} {year}"),
        ("STADTWERKE 03/2026", "{correspondent} {month}/{year}"),
        ("2026-03-09 Abschlag", "{date} Abschlag"),
        ("Abschlag vom 09.03.2026", "Abschlag vom {day}.{month}.{year}"),
        ("Stromrechnung 2026", "Stromrechnung {year}"),
        ("Rechnung 20261 March", "{type} 20261 {month:en}"),
    ],
)
def test_a_pattern_is_derived_from_a_title(title: str, pattern: str) -> None:
    assert title_patterns.derive(title, VALUES, "de")[0] == pattern


def test_a_month_of_several_languages_makes_several_patterns() -> None:
    august: dict[FieldName, Value] = {FieldName.DATE: date(2026, 8, 1)}

    assert title_patterns.derive("August", august, "en") == ["{month:en}", "{month:de}"]


def test_a_title_without_any_value_has_no_pattern() -> None:
    assert title_patterns.derive("Kontoauszug", VALUES, "de") == []
