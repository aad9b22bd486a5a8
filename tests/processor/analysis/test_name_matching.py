"""Names, however they are written, meet names in use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fields import Name
from processor.analysis.name_matching import is_same_party, match_name, mentions_name, name_key


@pytest.mark.parametrize(
    ("suggested", "in_use"),
    [
        ("Telekom", "Telekom"),
        ("TELEKOM", "Telekom"),
        ("telekom ", "Telekom"),
        ("Müller", "Muller"),
        ("Mueller", "Müller"),
        ("MUELLER", "Müller"),
        ("Mu\u0308ller", "Müller"),
        ("Strassenverkehrsamt", "Straßenverkehrsamt"),
        ("Mueller & Soehne", "Müller & Söhne GmbH & Co. KG"),
        ("Stadtwerke Musterstadt GmbH", "Stadtwerke Musterstadt"),
        ("EON", "E.ON SE"),
        ("1 & 1", "1&1"),
        ("dm-drogerie markt", "dm drogerie-markt GmbH + Co. KG"),
        ("Turnverein 1861 e. V.", "Turnverein 1861 e.V."),
        ("Turnverein 1861", "Turnverein 1861 e.V."),
        ("Enel S.p.A.", "Enel"),
        ("Amazon EU S.à r.l.", "Amazon EU"),
        ("HUK-COBURG a.G.", "HUK Coburg"),
        ("Muster UG (haftungsbeschränkt)", "Muster UG"),
        ("Merck KGaA", "Merck"),
        ("Apple Inc.", "apple"),
        ("⭐ Wichtig", "Wichtig"),
        ("⭐", "⭐"),
    ],
)
def test_a_name_in_use_is_recognised(suggested: str, in_use: str) -> None:
    known = [Name(1, "Somebody Else"), Name(2, in_use)]

    assert match_name(suggested, known) == Name(2, in_use)


@pytest.mark.parametrize(
    ("suggested", "in_use"),
    [
        ("Telekom", "Telekom Deutschland"),
        ("Baur", "Bauer"),
        ("Muller", "Mueller"),
        ("Möller", "Müller"),
        ("Klasse 1.1", "Klasse 11"),
        ("Steuer 2026", "Steuer 2025"),
        ("AG", "KG"),
        ("🔥", "⭐"),
        ("!", "?"),
        ("Co", "Co KG Holding"),
    ],
)
def test_another_name_is_new(suggested: str, in_use: str) -> None:
    assert match_name(suggested, [Name(1, in_use)]) == Name(None, suggested)


@pytest.mark.parametrize(
    ("suggested", "in_use"),
    [
        ("Telekom", ["Telekom AG", "Telekom GmbH"]),
        ("TELEKOM", ["Telekom", "telekom"]),
        ("Mueller", ["Müller", "Müller AG", "MÜLLER"]),
        ("telekom ag", ["TELEKOM AG", "Telekom AG", "Telekom"]),
    ],
)
def test_where_two_names_in_use_fit_alike_the_name_is_new(
    suggested: str, in_use: list[str]
) -> None:
    known = [Name(id_, name) for id_, name in enumerate(in_use, 1)]

    assert match_name(suggested, known) == Name(None, suggested)


@pytest.mark.parametrize(
    ("suggested", "found"),
    [
        ("Telekom AG", Name(3, "Telekom AG")),
        ("telekom", Name(1, "Telekom")),
        ("telekom ag", Name(3, "Telekom AG")),
        ("Müller", Name(4, "Müller")),
        ("MUELLER", Name(5, "Mueller")),
        ("MULLER", Name(6, "Muller")),
    ],
)
def test_the_closest_spelling_wins(suggested: str, found: Name) -> None:
    known = [
        Name(1, "Telekom"),
        Name(2, "Telekom GmbH"),
        Name(3, "Telekom AG"),
        Name(4, "Müller"),
        Name(5, "Mueller"),
        Name(6, "Muller"),
    ]

    assert match_name(suggested, known) == found


def test_of_two_tags_of_one_name_the_most_used_is_meant() -> None:
    most_used_first = [Name(9, "Strom"), Name(2, "Strom")]

    assert match_name("Strom", most_used_first) == Name(9, "Strom")


def test_without_names_in_use_every_name_is_new() -> None:
    assert match_name("Strom", []) == Name(None, "Strom")


names = st.text(st.sampled_from("aäbue&. -1GmbHKAVeöß"), min_size=1, max_size=12)


@given(names, st.lists(names, max_size=6, unique=True))
def test_a_matched_name_matches_itself(suggested: str, in_use: list[str]) -> None:
    known = [Name(id_, name) for id_, name in enumerate(in_use, 1)]

    found = match_name(suggested, known)

    assert match_name(found.name, known) == found


@given(names, st.lists(names, max_size=6, unique=True))
def test_a_match_does_not_depend_on_the_order_of_the_names(
    suggested: str, in_use: list[str]
) -> None:
    known = [Name(id_, name) for id_, name in enumerate(in_use, 1)]

    assert match_name(suggested, known) == match_name(suggested, reversed(known))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Müller & Söhne GmbH & Co. KG", "mullersohne"),
        ("GmbH", "gmbh"),
        ("Co. KG", "co"),
        ("E.ON SE", "eon"),
        ("1&1", "1 1"),
        ("⭐", "⭐"),
    ],
)
def test_the_key_of_a_name_is_its_letters_without_the_legal_form(name: str, key: str) -> None:
    assert name_key(name) == key


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
        ("Dr. med. dent. Erika Mustermann", "Dr. Erika Mustermann"),
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
