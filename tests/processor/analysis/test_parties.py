"""Persons and companies, however they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processor.analysis.parties import is_same_party, mentions_name

NAMES = st.lists(st.text("abcdefgh", min_size=3, max_size=8), min_size=2, max_size=4)


@pytest.mark.parametrize(
    ("quote", "name"),
    [
        ("Stadtwerke Musterstadt GmbH", "Stadtwerke Musterstadt"),
        ("STADTWERKE MUSTERSTADT", "Stadtwerke Musterstadt GmbH"),
        ("Ihre Stadtwerke Musterstadt", "Stadtwerke Musterstadt"),
        ("Stadt werke Muster stadt", "Stadtwerke Musterstadt"),
        ("billing@harbourcloud.example", "Harbour Cloud Ltd"),
        ("Malerbetr1eb Jonas Thie1e", "Malerbetrieb Jonas Thiele"),
        ("Telekom", "Deutsche Telekom AG"),
        ("Te1ekom", "Deutsche Telekom AG"),
        ("Ihr Telekom-Team", "Deutsche Telekom AG"),
        ("www.telekom.de", "Deutsche Telekom AG"),
        ("Absender: Telekom, Postfach 30 04 00, 50001 Köln", "Deutsche Telekom AG"),
        ("MUELLER & SOEHNE", "Müller & Söhne GmbH"),
        ("Müller & Söhne", "Mueller & Soehne GmbH"),
        ("P. Hollmann", "Dr. med. Petra Hollmann"),
        ("Hollmann, Petra", "Petra Hollmann"),
        ("E.ON", "E.ON Energie Deutschland GmbH"),
        ("1&1", "1&1 Telecom GmbH"),
        ("TK", "Techniker Krankenkasse"),
        ("Techniker Krankenkasse, Hamburg", "TK"),
        ("DKB", "Deutsche Kreditbank AG"),
        ("TUM", "Technische Universität von München"),
        ("ADAC", "ADAC"),
    ],
)
def test_a_quote_shows_a_name_in_full_shortened_or_by_its_initials(quote: str, name: str) -> None:
    assert mentions_name(quote, name)


@pytest.mark.parametrize(
    ("quote", "name"),
    [
        ("Nordstern Reisen GmbH", "Nordstern Versicherung AG"),
        ("Versicherung", "Nordstern Versicherung AG"),
        ("Deutsche", "Deutsche Telekom AG"),
        ("Stadtwerke", "Stadtwerke Musterstadt"),
        ("Frau Erika Mustermann", "Stadtwerke Musterstadt"),
        ("Mit freundlichen Grüßen", "Stadtwerke Musterstadt"),
        ("Rechnung", "Stadtwerke Musterstadt"),
        ("", "Stadtwerke Musterstadt"),
        ("E. H.", "Erika Hollmann"),
        ("DB", "Deutsche Kreditbank AG"),
        ("AK", "Techniker Krankenkasse"),
        ("TKB", "Techniker Krankenkasse"),
        ("T", "Techniker Krankenkasse"),
        ("VW", "Volkswagen"),
    ],
)
def test_a_quote_about_something_else_does_not(quote: str, name: str) -> None:
    assert not mentions_name(quote, name)


@given(NAMES)
def test_a_name_shows_itself(parts: list[str]) -> None:
    name = " ".join(parts)

    assert mentions_name(f"Ihre {name}, Musterstadt", name)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Erika Mustermann", "Erika Mustermann"),
        ("ERIKA MUSTERMANN", "Frau Erika Mustermann"),
        ("Frau Dr. Erika Mustermann", "Erika Mustermann"),
        ("Mustermann, Erika", "Erika Mustermann"),
        ("E. Mustermann", "Erika Mustermann"),
        ("Erika Mustermann", "E Mustermann"),
        ("Mustermann", "Erika Mustermann"),
        ("Erika Mustermann", "Frau Mustermann"),
        ("Erika Mustermann", "Erika Maria Mustermann"),
        ("Musterbau", "Musterbau GmbH"),
        ("Muster Bau GmbH", "Musterbau"),
        ("!", "!"),
    ],
)
def test_one_party_is_known_by_several_names(name: str, other: str) -> None:
    assert is_same_party(name, other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Stadtwerke Musterstadt", "Erika Mustermann"),
        ("Max Mustermann", "Erika Mustermann"),
        ("M. Mustermann", "Erika Mustermann"),
        ("Mustermann Bau GmbH", "Erika Mustermann"),
        ("Erika Mustermann Consulting", "Erika Mustermann"),
        ("Seidel GmbH", "Herr Dr. Seidel"),
        ("Autohaus Gerd Seidel", "Herr Seidel"),
        ("Erika Mustermann", "Damen und Herren"),
        ("Erika Mustermann", "Frau"),
        ("Stadtwerke", "!"),
    ],
)
def test_two_parties_are_told_apart(name: str, other: str) -> None:
    assert not is_same_party(name, other)
