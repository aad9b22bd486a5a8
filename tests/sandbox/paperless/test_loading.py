"""A world comes from a folder with an index and texts."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from sandbox.paperless import V2, Kind, load_world
from sandbox.paperless.loading import DOCUMENTS

INDEX = """
tags = [
    {name = "Posteingang", is_inbox_tag = true},
    {name = "Haus"},
    {name = "Strom", parent = "Haus"},
]
correspondents = ["Stadtwerke"]
document_types = ["Rechnung"]
storage_paths = [{ name = "Haushalt", path = "Haushalt/{{ title }}" }]
custom_fields = [
    {name = "Betrag", data_type = "monetary", currency = "EUR"},
    {name = "Art", data_type = "select", options = ["privat", "beruflich"]},
    {name = "Nummer", data_type = "string"},
]

[[documents]]
file = "a.txt"
original_file_name = "scan_1.pdf"
added = 2026-10-05T08:30:00+02:00
tags = ["Posteingang"]

[[documents]]
file = "b.txt"
original_file_name = "scan_2.pdf"
added = 2026-10-06T08:30:00+02:00
title = "Strom im Mai"
created = 2026-05-31
tags = ["Haus", "Strom"]
correspondent = "Stadtwerke"
document_type = "Rechnung"
owner = "admin"
custom_fields = { Betrag = "EUR12.50", Art = "beruflich", Nummer = "" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "index.toml").write_text(INDEX, "utf-8")
    (tmp_path / "a.txt").write_text("Erster Text\n", "utf-8")
    (tmp_path / "b.txt").write_text("Zweiter Text mit Ümlaut\n", "utf-8")
    return tmp_path


def test_documents_are_numbered_from_1_in_the_order_of_the_index(folder: Path) -> None:
    world = load_world(folder)

    assert [(d.id, d.content) for d in world.documents.values()] == [
        (1, "Erster Text\n"),
        (2, "Zweiter Text mit Ümlaut\n"),
    ]


def test_what_the_index_leaves_out_is_as_after_an_upload(folder: Path) -> None:
    document = load_world(folder).documents[1]

    assert (document.title, document.created) == ("scan_1", date(2026, 10, 5))
    assert document.added == datetime(2026, 10, 5, 6, 30, tzinfo=UTC)
    assert (document.correspondent, document.document_type, document.owner) == (None, None, None)


def test_what_the_index_says_is_there(folder: Path) -> None:
    world = load_world(folder, V2)
    document = world.documents[2]

    assert world.release is V2
    assert (document.title, document.created) == ("Strom im Mai", date(2026, 5, 31))
    assert document.tags == {2, 3}
    assert (document.correspondent, document.document_type, document.owner) == (1, 1, 2)


def test_tags_are_nested_and_marked_as_the_index_says(folder: Path) -> None:
    world = load_world(folder)

    assert world.find(Kind.TAG, "Strom").parent == world.find(Kind.TAG, "Haus").id
    assert world.find(Kind.TAG, "Posteingang").is_inbox_tag


def test_storage_paths_are_names_like_any_other(folder: Path) -> None:
    assert load_world(folder).find(Kind.STORAGE_PATH, "Haushalt").id == 1


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('"Stadtwerke"\nd', '"Gaswerke"\nd', "Gaswerke"),
        ("owner =", "woner =", "woner"),
        ("+02:00", "", "timezone"),
    ],
)
def test_a_mistake_in_the_index_is_said(folder: Path, right: str, wrong: str, said: str) -> None:
    (folder / "index.toml").write_text(INDEX.replace(right, wrong), "utf-8")

    with pytest.raises((KeyError, ValueError), match=said):
        load_world(folder)


def test_the_sample_documents_are_forty() -> None:
    world = load_world(DOCUMENTS)

    assert sorted(world.documents) == list(range(1, 41))


def test_custom_fields_are_kept_as_the_api_gives_them(folder: Path) -> None:
    world = load_world(folder)

    betrag, art, nummer = world.custom_fields.values()
    assert (betrag.currency, art.options[1]["label"]) == ("EUR", "beruflich")
    assert world.documents[1].custom_fields == {}
    assert world.documents[2].custom_fields == {
        betrag.id: "EUR12.50",
        art.id: art.options[1]["id"],
        nummer.id: None,
    }
