"""Intended changes against what Paperless has."""

from datetime import date

import pytest

from core.changes import Change
from core.fields import FieldName, Name, Value
from processor.reconcile import Standing, place_of, reconcile, tag_of, value_at
from tests.builders import (
    AUTO,
    STADTWERKE,
    STROM,
    TELEKOM,
    a_change,
    a_current,
    a_document,
    a_removed_tag,
    an_added_tag,
)

OCTOBER = date(2026, 10, 31)
DOCUMENT = a_document(title="Brief", correspondent=1, tags=[2], created=OCTOBER)
NEU = Name(None, "Neu")


def set_to(field: FieldName, before: Value, after: Value, id_: int = 1) -> Change:
    return a_change(id_, field=field, before=before, after=after)


@pytest.mark.parametrize(
    ("change", "standing", "found"),
    [
        (set_to(FieldName.TITLE, "scan", "Brief"), Standing.THERE, "Brief"),
        (set_to(FieldName.TITLE, "Brief", "Rechnung"), Standing.OPEN, "Brief"),
        (set_to(FieldName.TITLE, "scan", "Rechnung"), Standing.DIFFERS, "Brief"),
        (set_to(FieldName.CORRESPONDENT, None, STADTWERKE), Standing.THERE, STADTWERKE),
        (set_to(FieldName.CORRESPONDENT, STADTWERKE, TELEKOM), Standing.OPEN, STADTWERKE),
        (set_to(FieldName.CORRESPONDENT, Name(1, "old name"), None), Standing.OPEN, STADTWERKE),
        (set_to(FieldName.CORRESPONDENT, None, TELEKOM), Standing.DIFFERS, STADTWERKE),
        (set_to(FieldName.DOCUMENT_TYPE, None, NEU), Standing.OPEN, None),
        (set_to(FieldName.DATE, date(2026, 1, 1), OCTOBER), Standing.THERE, OCTOBER),
        (an_added_tag(STROM), Standing.THERE, STROM),
        (an_added_tag(AUTO), Standing.OPEN, None),
        (an_added_tag(NEU), Standing.OPEN, None),
        (a_removed_tag(STROM), Standing.OPEN, STROM),
        (a_removed_tag(AUTO), Standing.THERE, None),
    ],
)
def test_a_change_is_there_open_or_differs(
    change: Change, standing: Standing, found: Value
) -> None:
    (compared,) = reconcile([change], a_current(DOCUMENT))

    assert compared.change == change
    assert compared.standing is standing
    assert compared.found == found


def test_changes_of_one_field_are_compared_as_if_those_before_had_been_carried_out() -> None:
    changes = [
        set_to(FieldName.TITLE, "Brief", "Rechnung", 1),
        set_to(FieldName.TITLE, "Rechnung", "Stromrechnung", 2),
        set_to(FieldName.TITLE, "Brief", "Vertrag", 3),
    ]

    compared = reconcile(changes, a_current(DOCUMENT))

    assert [one.standing for one in compared] == [Standing.OPEN, Standing.OPEN, Standing.DIFFERS]
    assert [one.found for one in compared] == ["Brief", "Rechnung", "Stromrechnung"]


def test_a_tag_taken_off_and_put_on_again_is_open_both_times() -> None:
    changes = [a_removed_tag(STROM, 1), an_added_tag(STROM, 2)]

    compared = reconcile(changes, a_current(DOCUMENT))

    assert [one.standing for one in compared] == [Standing.OPEN, Standing.OPEN]


def test_what_differs_does_not_count_as_carried_out() -> None:
    changes = [
        set_to(FieldName.TITLE, "scan", "Rechnung", 1),
        set_to(FieldName.TITLE, "Brief", "Vertrag", 2),
    ]

    compared = reconcile(changes, a_current(DOCUMENT))

    assert [one.standing for one in compared] == [Standing.DIFFERS, Standing.OPEN]


def test_each_tag_stands_by_itself() -> None:
    changes = [
        set_to(FieldName.TITLE, "scan", "Brief", 1),
        set_to(FieldName.CORRESPONDENT, None, TELEKOM, 2),
        an_added_tag(STROM, 3),
        an_added_tag(AUTO, 4),
        an_added_tag(NEU, 5),
    ]

    compared = reconcile(changes, a_current(DOCUMENT))

    open_places = [place_of(one.change) for one in compared if one.standing is Standing.OPEN]
    assert open_places == [(FieldName.TAGS, 4), (FieldName.TAGS, "Neu")]


def test_nothing_to_compare_gives_nothing() -> None:
    assert reconcile([], a_current()) == ()


@pytest.mark.parametrize(
    ("change", "tag"),
    [
        (an_added_tag(STROM), STROM),
        (a_removed_tag(STROM), STROM),
        (set_to(FieldName.CORRESPONDENT, None, STADTWERKE), None),
        (set_to(FieldName.TAGS, None, None), None),
    ],
)
def test_a_change_of_tags_is_about_one_tag(change: Change, tag: Name | None) -> None:
    assert tag_of(change) == tag


def test_a_tag_added_and_the_same_tag_removed_are_in_one_place() -> None:
    assert place_of(an_added_tag(STROM)) == place_of(a_removed_tag(STROM))
    assert place_of(an_added_tag(STROM)) != place_of(an_added_tag(AUTO))


def test_the_value_at_a_change_is_that_of_its_field_or_tag() -> None:
    current = a_current(DOCUMENT)

    assert value_at(a_change(), current) == "Brief"
    assert value_at(an_added_tag(STROM), current) == STROM
    assert value_at(an_added_tag(AUTO), current) is None
