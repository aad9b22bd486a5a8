"""Near spellings: what is the same name beyond doubt, what may be, and what is another."""

import pytest

from core.fields import FieldName, Name
from processor.analysis.name_matching import (
    find_nearest,
    find_possible_names,
    find_similar_names,
    is_related,
    looks_misread,
)

SENDER, TAGS = FieldName.CORRESPONDENT, FieldName.TAGS


def names(*spelled: str) -> tuple[Name, ...]:
    return tuple(Name(number, name) for number, name in enumerate(spelled, start=1))


def spellings(found: tuple[Name, ...]) -> list[str]:
    return [name.name for name in found]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Kestrel Softvvare Inc.", "Kestrel Software"),
        ("Stadtwerlke Musterstadt", "Stadtwerke Musterstadt GmbH"),
        ("5tadtwerke Musterstadt", "Stadtwerke Musterstadt"),
        ("Arnazon", "Amazon"),
        ("Te1ekom", "Telekom"),
        ("Nordlicht C1oud", "Nordlicht Cloud"),
        ("Deutche Telekom", "Deutsche Telekom AG"),
        ("Telekommunikaton Nord", "Telekommunikation Nord"),
        ("A1lianz 7", "Allianz 7"),
    ],
)
def test_a_slip_is_the_name_in_use(said: str, name: str) -> None:
    assert find_nearest(said, names("Jemand anders", name)) == Name(2, name)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Deutsche Bank", "Deutsche Post AG"),
        ("Deutsche Bahn", "Deutsche Bank"),
        ("Allianz 1", "Allianz 2"),
        ("Allianz 1", "Allianz"),
        ("Haus l", "Haus 1"),
        ("Steuer 2025", "Steuer 2026"),
        ("Steuern2025", "Steuern2026"),
        ("Grundbuchblatt l2", "Grundbuchblatt 12"),
        ("Hausverwaltung Schmidt", "Hausverwaltung Schmitt"),
        ("Praxis Dr. Meier", "Praxis Dr. Meyer"),
        ("Amtsgericht Rotenburg", "Amtsgericht Rothenburg"),
        ("Stadtwerke Neunkirchen", "Stadtwerke Neuenkirchen"),
        ("AOK Nordost", "AOK Nordwest"),
        ("Kern", "Kem"),
        ("Telekom", "Deutsche Telekom AG"),
        ("Rechnungen", "Rechnung"),
        ("", "Telekom"),
    ],
)
def test_another_name_stays_another(said: str, name: str) -> None:
    assert find_nearest(said, names(name)) is None


def test_of_two_that_are_equally_near_none_is_meant() -> None:
    assert find_nearest("Softvvare Nord", names("Software Nord", "5oftware Nord")) is None


def test_a_name_that_is_clearly_ahead_is_meant() -> None:
    known = names("Stadtwerke Musterdorf", "Stadtwerke Musterstadt")

    assert find_nearest("Stadtwerlke Musterstadt", known) == known[1]


@pytest.mark.parametrize(
    ("field", "said", "similar"),
    [
        (SENDER, "Hausverwaltung Schmidt", ["Hausverwaltung Schmitt"]),
        (SENDER, "Telekom", ["Deutsche Telekom AG"]),
        (SENDER, "Deutsche Telekom Service", ["Deutsche Telekom AG"]),
        (TAGS, "Telekom", []),
        (TAGS, "Steuern", ["Steuer"]),
        (TAGS, "Versicherung 2025", []),
        (TAGS, "Garten", []),
    ],
)
def test_what_a_new_name_may_stand_for_is_shown(
    field: FieldName, said: str, similar: list[str]
) -> None:
    known = names("Hausverwaltung Schmitt", "Deutsche Telekom AG", "Steuer", "Versicherung 2024")

    assert spellings(find_possible_names(field, said, known)) == similar


def test_a_person_is_shown_what_a_name_reminds_of_the_most_alike_first() -> None:
    known = names("Volksbank Süd", "Deutsche Post", "Volksbank Nordheide", "Volksbank Nordsee eG")

    assert spellings(find_similar_names(TAGS, "Volksbank Nordsee", known)) == [
        "Volksbank Nordsee eG",
        "Volksbank Nordheide",
        "Volksbank Süd",
    ]


@pytest.mark.parametrize(
    ("said", "name", "related"),
    [
        ("Telekom", "Deutsche Telekom AG", True),
        ("Deutsche Telekom Service", "Telekom", True),
        ("DKB", "Deutsche Kreditbank", True),
        ("Stadtwerke Muster", "Stadtwerke Munster", True),
        ("Congstar", "Deutsche Telekom AG", False),
        ("Amazon", "Deutsche Post AG", False),
    ],
)
def test_two_names_have_to_do_with_each_other(said: str, name: str, *, related: bool) -> None:
    assert is_related(said, name) is related


@pytest.mark.parametrize(
    "name",
    ["Kestrel Softvvare", "Stadtwerlke Neustadt", "Te1ekom", "Vodafone|GmbH", "Deutche Bank"],
)
def test_a_name_can_look_misread(name: str) -> None:
    assert looks_misread(name)


@pytest.mark.parametrize(
    "name",
    [
        "Stadtwerk Neustadt",
        "Stadtwerke Neustadt",
        "Deutsches Rotes Kreuz",
        "Internationale Schule",
        "1&1",
        "N26",
        "C24 Bank",
        "Haus10",
        "Steuer2025",
        "to_do",
        "E.ON",
        "",
    ],
)
def test_an_unusual_name_is_not_a_misread_one(name: str) -> None:
    assert not looks_misread(name)
