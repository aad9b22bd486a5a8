"""Changes turned round."""

import pytest

from core.changes import Change, ChangeOutcome, ChangeState
from core.fields import FieldName
from processor.undo import (
    outcome_of_undo,
    restores_trigger_tag,
    reverse_change,
    undoable_newest_first,
)
from tests.builders import STADTWERKE, STROM, a_change, a_removed_tag, an_added_tag


def test_a_change_turned_round_leads_back() -> None:
    change = a_change(field=FieldName.CORRESPONDENT, before=None, after=STADTWERKE)

    turned = reverse_change(change)

    assert (turned.before, turned.after) == (STADTWERKE, None)
    assert reverse_change(turned) == change


def test_an_added_tag_turned_round_is_a_removed_one() -> None:
    assert reverse_change(an_added_tag(STROM)) == a_removed_tag(STROM)


def test_what_was_or_may_have_been_written_is_undone_the_newest_first() -> None:
    changes = [a_change(id_, state=state) for id_, state in enumerate(ChangeState, 1)]
    applied = [a_change(id_, state=ChangeState.APPLIED) for id_ in (20, 10, 30)]

    taken = undoable_newest_first(iter([*changes, *applied]))

    assert [change.id for change in taken] == [30, 20, 10, 7, 3]


@pytest.mark.parametrize(
    ("turned", "state"),
    [
        (ChangeState.APPLIED, ChangeState.UNDONE),
        (ChangeState.OVERRIDDEN, ChangeState.APPLIED),
        (ChangeState.INTENDED, ChangeState.APPLIED),
    ],
)
def test_only_what_was_read_back_is_undone(turned: ChangeState, state: ChangeState) -> None:
    assert outcome_of_undo(ChangeOutcome(7, turned)) == ChangeOutcome(7, state)


@pytest.mark.parametrize("changes", [[a_removed_tag(STROM)], [a_change(), a_removed_tag(STROM)]])
def test_taking_back_a_removal_puts_the_tag_on_again(changes: list[Change]) -> None:
    assert restores_trigger_tag(changes)


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [an_added_tag(STROM)],
        [a_change(field=FieldName.CORRESPONDENT, before=STADTWERKE, after=None)],
    ],
)
def test_taking_back_anything_else_puts_no_tag_on_again(changes: list[Change]) -> None:
    assert not restores_trigger_tag(changes)
