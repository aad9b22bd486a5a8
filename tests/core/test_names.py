"""Names: tags by name."""

import pytest

from core.names import TagIds, TagMissing

IDS = TagIds.from_pairs([("Strom", 7), ("Haus", 3), ("Strom", 2)])


def test_each_name_stands_for_its_oldest_tag() -> None:
    assert IDS.one_per_name(["Strom", "Haus"]) == {2, 3}


def test_an_exclusion_means_every_tag_of_that_name() -> None:
    assert IDS.all_ids(["Strom"]) == {2, 7}


def test_no_names_are_no_tags() -> None:
    assert IDS.one_per_name([]) == frozenset()
    assert IDS.all_ids(()) == frozenset()


@pytest.mark.parametrize("ask", [IDS.one_per_name, IDS.all_ids], ids=["one each", "every"])
def test_tags_that_do_not_exist_are_all_named(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(TagMissing, match=r"no such tag in Paperless: Gas, strom$") as caught:
        ask(iter(["Gas", "Haus", "strom"]))

    assert caught.value.names == ("Gas", "strom")
    assert caught.value.code == "tag_missing"
