"""Intended changes against what Paperless has."""

from datetime import date

import pytest

from core.changes import Change
from core.fields import FieldName, Name, Value
from processor.reconcile import Comparison, current_value_for, reconcile, tag_of, write_target_of
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
    ("change", "comparison", "found"),
    [
        (set_to(FieldName.TITLE, "scan", "Brief"), Comparison.THERE, "Brief"),
        (set_to(FieldName.TITLE, "Brief", "Rechnung"), Comparison.OPEN, "Brief"),
        (set_to(FieldName.TITLE, "scan", "Rechnung"), Comparison.DIFFERS, "Brief"),
        (set_to(FieldName.CORRESPONDENT, None, STADTWERKE), Comparison.THERE, STADTWERKE),
        (set_to(FieldName.CORRESPONDENT, STADTWERKE, TELEKOM), Comparison.OPEN, STADTWERKE),
        (set_to(FieldName.CORRESPONDENT, Name(1, "old name"), None), Comparison.OPEN, STADTWERKE),
        (set_to(FieldName.CORRESPONDENT, None, TELEKOM), Comparison.DIFFERS, STADTWERKE),
        (set_to(FieldName.DOCUMENT_TYPE, None, NEU), Comparison.OPEN, None),
        (set_to(FieldName.DATE, date(2026, 1, 1), OCTOBER), Comparison.THERE, OCTOBER),
        (an_added_tag(STROM), Comparison.THERE, STROM),
        (an_added_tag(AUTO), Comparison.OPEN, None),
        (an_added_tag(NEU), Comparison.OPEN, None),
        (a_removed_tag(STROM), Comparison.OPEN, STROM),
        (a_removed_tag(AUTO), Comparison.THERE, None),
    ],
)
def test_a_change_is_there_open_or_differs(
    change: Change, comparison: Comparison, found: Value
) -> None:
    (compared,) = reconcile([change], a_current(DOCUMENT))

    assert compared.change == change
    assert compared.comparison is comparison
    assert compared.found == found


def test_changes_of_one_field_are_compared_as_if_those_before_had_been_carried_out() -> None:
    changes = [
        set_to(FieldName.TITLE, "Brief", "Rechnung", 1),
        set_to(FieldName.TITLE, "Rechnung", "Stromrechnung", 2),
        set_to(FieldName.TITLE, "Brief", "Vertrag", 3),
    ]

    compared = reconcile(changes, a_current(DOCUMENT))

    assert [result.comparison for result in compared] == [
        Comparison.OPEN,
        Comparison.OPEN,
        Comparison.DIFFERS,
    ]
    assert [result.found for result in compared] == ["Brief", "Rechnung", "Stromrechnung"]


def test_a_tag_taken_off_and_put_on_again_is_open_both_times() -> None:
    changes = [a_removed_tag(STROM, 1), an_added_tag(STROM, 2)]

    compared = reconcile(changes, a_current(DOCUMENT))

    assert [result.comparison for result in compared] == [Comparison.OPEN, Comparison.OPEN]


def test_what_differs_does_not_count_as_carried_out() -> None:
    changes = [
        set_to(FieldName.TITLE, "scan", "Rechnung", 1),
        set_to(FieldName.TITLE, "Brief", "Vertrag", 2),
    ]

    compared = reconcile(changes, a_current(DOCUMENT))

    assert [result.comparison for result in compared] == [Comparison.DIFFERS, Comparison.OPEN]


def test_each_tag_stands_by_itself() -> None:
    changes = [
        set_to(FieldName.TITLE, "scan", "Brief", 1),
        set_to(FieldName.CORRESPONDENT, None, TELEKOM, 2),
        an_added_tag(STROM, 3),
        an_added_tag(AUTO, 4),
        an_added_tag(NEU, 5),
    ]

    compared = reconcile(changes, a_current(DOCUMENT))

    open_places = [
        write_target_of(result.change)
        for result in compared
        if result.comparison is Comparison.OPEN
    ]
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
    assert write_target_of(an_added_tag(STROM)) == write_target_of(a_removed_tag(STROM))
    assert write_target_of(an_added_tag(STROM)) != write_target_of(an_added_tag(AUTO))


def test_the_value_at_a_change_is_that_of_its_field_or_tag() -> None:
    current = a_current(DOCUMENT)

    assert current_value_for(a_change(), current) == "Brief"
    assert current_value_for(an_added_tag(STROM), current) == STROM
    assert current_value_for(an_added_tag(AUTO), current) is None
