"""The names of one Paperless at one moment."""

import pytest

from core.fields import FieldName, Name
from core.tags import TagMissing
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
    assert some_names().named(field, id_) == name


def test_a_suggested_name_is_looked_for_among_those_of_its_field() -> None:
    names = some_names()

    assert names.match(FieldName.CORRESPONDENT, "telekom deutschland") == TELEKOM
    assert names.match(FieldName.TAGS, "Telekom Deutschland") == Name(None, "Telekom Deutschland")


def test_tags_are_found_by_name() -> None:
    ids = some_names(tags=[HAUS, STROM, Name(None, "Neu")]).tag_ids

    assert ids.one_each(["Haus", "Strom"]) == {1, 2}
    with pytest.raises(TagMissing):
        ids.one_each(["Neu"])


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
