"""The names of one Paperless at one moment."""

from dataclasses import replace

import pytest

from actions.decisions import build_alias_rule
from core.fields import FieldName, Name
from core.names import TagMissing
from processor.names.catalogue import NamesInUse, ResolvedName
from tests.builders import AUTO, HAUS, NACHTSTROM, STADTWERKE, STROM, TELEKOM, some_names


@pytest.mark.parametrize(
    ("field", "id_", "name"),
    [
        (FieldName.CORRESPONDENT, 1, STADTWERKE),
        (FieldName.TAGS, 1, HAUS),
        (FieldName.TAGS, 99, Name(99, "#99")),
        (FieldName.TAGS, None, None),
    ],
)
def test_a_number_has_a_name(field: FieldName, id_: int | None, name: Name | None) -> None:
    assert some_names().get_name(field, id_) == name


def test_a_suggested_name_is_looked_for_among_those_of_its_field() -> None:
    names = some_names()

    assert names.match(FieldName.CORRESPONDENT, "telekom deutschland") == TELEKOM
    assert names.match(FieldName.TAGS, "Telekom Deutschland") == Name(None, "Telekom Deutschland")


def test_tags_are_found_by_name() -> None:
    ids = some_names(tags=[HAUS, STROM, Name(None, "Neu")]).tag_ids

    assert ids.one_per_name(["Haus", "Strom"]) == {1, 2}
    with pytest.raises(TagMissing):
        ids.one_per_name(["Neu"])


def test_tags_are_listed_by_number() -> None:
    assert some_names().tags([2, 99, 1]) == (HAUS, STROM, Name(99, "#99"))


@pytest.mark.parametrize(
    ("tag", "above"),
    [(NACHTSTROM, [2, 1]), (STROM, [1]), (HAUS, []), (AUTO, []), (Name(99, "unknown"), [])],
)
def test_a_tag_has_those_above_it(tag: Name, above: list[int]) -> None:
    assert tag.id is not None
    assert list(some_names().ancestors(tag.id)) == above


@pytest.mark.parametrize(
    ("tag", "beneath"), [(HAUS, {2, 3}), (STROM, {3}), (NACHTSTROM, set()), (AUTO, set())]
)
def test_a_tag_has_those_beneath_it(tag: Name, beneath: set[int]) -> None:
    assert tag.id is not None
    assert some_names().descendants(tag.id) == beneath


def test_tags_are_offered_with_the_names_of_those_above_them() -> None:
    offered = some_names(tags=[NACHTSTROM, HAUS, STROM]).offered[FieldName.TAGS]

    assert [(tag.name, tag.id, tag.parents) for tag in offered] == [
        ("Nachtstrom", 3, ("Haus", "Strom")),
        ("Haus", 1, ()),
        ("Strom", 2, ("Haus",)),
    ]


def test_a_tag_above_that_the_user_may_not_see_is_left_out() -> None:
    offered = some_names(tags=[NACHTSTROM, HAUS]).offered[FieldName.TAGS]

    assert offered[0].parents == ("Haus",)


def names_where(**meaning: Name | None) -> NamesInUse:
    """Give names in use, with what people decided that correspondents mean."""
    said = [
        build_alias_rule(FieldName.CORRESPONDENT, spelled, name)
        for spelled, name in meaning.items()
    ]
    return replace(some_names(), aliases={(alias.field, alias.key): alias for alias in said})


@pytest.mark.parametrize(
    ("suggested", "meant"),
    [
        ("Telekom", ResolvedName(TELEKOM)),
        ("TELEKOM AG", ResolvedName(TELEKOM)),
        ("Stadtwerke Musterstadt", ResolvedName(STADTWERKE)),
        ("Stadtwerlke Musterstadt", ResolvedName(STADTWERKE)),
        (
            "Stadtwerke Mustersradt",
            ResolvedName(Name(None, "Stadtwerke Mustersradt"), (STADTWERKE.name,)),
        ),
        ("Neue Firma", ResolvedName(Name(None, "Neue Firma"))),
    ],
)
def test_a_suggestion_means_what_was_decided_then_what_it_is_like(
    suggested: str, meant: ResolvedName
) -> None:
    names = names_where(Telekom=TELEKOM)

    assert names.resolve(FieldName.CORRESPONDENT, suggested) == meant


def test_an_alias_wins_over_a_name_of_that_spelling() -> None:
    names = names_where(stadtwerkemusterstadt=TELEKOM)

    assert names.resolve(FieldName.CORRESPONDENT, "Stadtwerke Musterstadt") == ResolvedName(TELEKOM)


def test_an_alias_is_of_its_field_alone() -> None:
    names = names_where(Telekom=TELEKOM)

    assert names.resolve(FieldName.TAGS, "Telekom") == ResolvedName(Name(None, "Telekom"))


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        (Name(2, "as it was called once"), TELEKOM),
        (Name(99, "Telekom Deutschland GmbH"), None),
        (Name(None, "Telekom Deutschland"), TELEKOM),
        (Name(None, "Never Made"), None),
        (None, None),
    ],
)
def test_of_an_alias_the_number_decides_and_one_without_its_name_is_void(
    target: Name | None, meant: Name | None
) -> None:
    names = names_where(Magenta=target)

    assert names.find_alias(FieldName.CORRESPONDENT, "Magenta") == meant
    read = names.resolve(FieldName.CORRESPONDENT, "Magenta")
    assert read == ResolvedName(meant or Name(None, "Magenta"))


def test_refused_names_are_listed_and_aliases_are_not_among_them() -> None:
    names = names_where(Telekom=TELEKOM, Werbung=None)

    assert names.refused == {(FieldName.CORRESPONDENT, "werbung")}
