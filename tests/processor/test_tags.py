"""Nested tags: what comes along, what goes along."""

import pytest

from core.changes import Change, PlannedChange
from core.fields import FieldName, Name
from processor.apply import ADDED_BY_PAPERLESS, Marks, ancestors_to_add, plan_marks
from processor.undo import removable_changes
from tests.builders import (
    AUTO,
    HAUS,
    NACHTSTROM,
    STROM,
    a_change,
    a_current,
    a_removed_tag,
    an_added_tag,
    some_names,
)

NEU = Name(None, "Neu")


def along(tag: Name) -> PlannedChange:
    return PlannedChange(FieldName.TAGS, None, tag, reasons=(ADDED_BY_PAPERLESS,))


@pytest.mark.parametrize(
    ("changes", "there", "added"),
    [
        ([an_added_tag(NACHTSTROM)], [], [STROM, HAUS]),
        ([an_added_tag(NACHTSTROM)], [HAUS], [STROM]),
        ([an_added_tag(NACHTSTROM)], [HAUS, STROM], []),
        ([an_added_tag(NACHTSTROM)], [HAUS, STROM, NACHTSTROM], []),
        ([an_added_tag(NACHTSTROM), an_added_tag(HAUS)], [], [STROM]),
        ([an_added_tag(NACHTSTROM), an_added_tag(STROM)], [], [HAUS]),
        ([an_added_tag(HAUS)], [], []),
        ([an_added_tag(NEU)], [], []),
        ([an_added_tag(NACHTSTROM)], [NACHTSTROM], []),
        ([a_removed_tag(NACHTSTROM)], [NACHTSTROM], []),
        ([a_change()], [], []),
        ([], [], []),
    ],
)
def test_tags_above_come_along_unless_they_are_there(
    changes: list[Change], there: list[Name], added: list[Name]
) -> None:
    planned = ancestors_to_add(iter(changes), a_current(tags=there), some_names())

    assert planned == tuple(along(tag) for tag in added)


@pytest.mark.parametrize(
    ("there", "done", "remove", "marks"),
    [
        ([], [AUTO], [], [(None, AUTO)]),
        ([AUTO], [AUTO], [], []),
        ([AUTO], [], [AUTO], [(AUTO, None)]),
        ([], [], [AUTO], []),
        ([STROM], [AUTO], [STROM], [(None, AUTO), (STROM, None)]),
        ([HAUS, STROM], [], [HAUS], [(HAUS, None), (STROM, None)]),
        ([HAUS, STROM, NACHTSTROM], [], [STROM], [(STROM, None), (NACHTSTROM, None)]),
        ([HAUS, STROM], [], [HAUS, STROM], [(HAUS, None), (STROM, None)]),
        ([], [], [NEU], []),
        ([STROM], [], [], []),
    ],
)
def test_a_finished_document_is_marked(
    there: list[Name],
    done: list[Name],
    remove: list[Name],
    marks: list[tuple[Name | None, Name | None]],
) -> None:
    steering = Marks(tuple(done), tuple(remove))

    planned = plan_marks(a_current(tags=there), some_names(), steering)

    assert [(mark.before, mark.after) for mark in planned] == marks
    assert all(mark.field is FieldName.TAGS and not mark.reasons for mark in planned)


@pytest.mark.parametrize(
    ("undo", "there", "left_out"),
    [
        ([a_removed_tag(HAUS)], [HAUS], []),
        ([a_removed_tag(HAUS)], [HAUS, STROM], [HAUS]),
        ([a_removed_tag(HAUS)], [HAUS, STROM, NACHTSTROM], [HAUS]),
        ([a_removed_tag(HAUS), a_removed_tag(STROM)], [HAUS, STROM], []),
        ([a_removed_tag(HAUS), a_removed_tag(STROM)], [HAUS, STROM, NACHTSTROM], [HAUS, STROM]),
        ([a_removed_tag(HAUS), an_added_tag(AUTO)], [HAUS, STROM], [HAUS]),
        ([an_added_tag(HAUS)], [STROM], []),
        ([a_removed_tag(NEU)], [HAUS, STROM], []),
        ([a_change(before="a", after=None)], [HAUS, STROM], []),
        ([a_change()], [HAUS, STROM], []),
    ],
)
def test_an_undo_keeps_tags_that_have_others_beneath_them(
    undo: list[Change], there: list[Name], left_out: list[Name]
) -> None:
    kept = list(removable_changes(iter(undo), a_current(tags=there), some_names()))

    assert kept == [change for change in undo if change.before not in left_out]
