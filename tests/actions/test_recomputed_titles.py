"""A person's edit of a value changes the title that a pattern made of it."""

from dataclasses import replace
from datetime import date

import pytest

from actions.recomputed_titles import recompute_title, revise_title
from core.changes import AcceptedChange, Change, ChangeState, Decision, RevisedChange
from core.fields import FieldName, Name
from processor.plan import Reason
from tests.builders import STADTWERKE, TELEKOM, a_change

TITLE = replace(
    a_change(1, after="Stadtwerke Musterstadt Oktober", state=ChangeState.PROPOSED),
    pattern="{correspondent} Oktober",
    reasons=(Reason.TITLE_PART_IN_REVIEW, "unsure"),
)
SENDER = a_change(
    2,
    field=FieldName.CORRESPONDENT,
    before=None,
    after=STADTWERKE,
    state=ChangeState.PROPOSED,
)
WAITING = (TITLE, SENDER)


def accepted(change: Change, after: object = None, *, is_edited: bool = False) -> AcceptedChange:
    value = change.after if after is None else after
    return AcceptedChange(change.id, value, change.before, is_edited)  # type: ignore[arg-type]


def title_of(decision: Decision) -> object:
    return {item.change_id: item.after for item in decision.accept}[TITLE.id]


def test_an_edited_value_changes_the_accepted_title() -> None:
    wanted = Decision(accept=(accepted(TITLE), accepted(SENDER, TELEKOM, is_edited=True)))

    assert title_of(recompute_title(WAITING, wanted)) == "Telekom Deutschland GmbH Oktober"


def test_a_rejected_value_is_no_part_of_the_title() -> None:
    wanted = Decision(accept=(accepted(TITLE),), reject=(SENDER.id,))

    assert title_of(recompute_title(WAITING, wanted)) == "Oktober"


def test_a_value_that_paperless_keeps_is_a_part_of_the_title() -> None:
    filed = replace(SENDER, before=TELEKOM)
    wanted = Decision(accept=(accepted(TITLE),), reject=(SENDER.id,))

    assert title_of(recompute_title((TITLE, filed), wanted)) == "Telekom Deutschland GmbH Oktober"


def test_a_title_that_the_person_edited_stays() -> None:
    wanted = Decision(
        accept=(accepted(TITLE, "Mine", is_edited=True), accepted(SENDER, TELEKOM, is_edited=True))
    )

    assert recompute_title(WAITING, wanted) == wanted


def test_a_title_without_a_pattern_stays() -> None:
    plain = replace(TITLE, pattern="")
    wanted = Decision(accept=(accepted(plain), accepted(SENDER, TELEKOM, is_edited=True)))

    assert recompute_title((plain, SENDER), wanted) == wanted


def test_a_title_that_keeps_waiting_is_revised() -> None:
    wanted = Decision(accept=(accepted(SENDER, TELEKOM, is_edited=True),))

    assert revise_title(WAITING, wanted) == RevisedChange(
        TITLE.id,
        "Telekom Deutschland GmbH Oktober",
        ("unsure",),
        "Telekom Deutschland GmbH Oktober",
    )


@pytest.mark.parametrize(
    "decision",
    [
        Decision(reject=(TITLE.id,)),
        Decision(accept=(accepted(TITLE),)),
        Decision(reject=(99,)),
    ],
)
def test_a_title_that_is_decided_or_untouched_is_not_revised(decision: Decision) -> None:
    assert revise_title(WAITING, decision) is None


def test_a_title_that_waits_for_another_value_keeps_its_reason() -> None:
    dated = replace(TITLE, pattern="{correspondent} {month}")
    day = a_change(
        3, field=FieldName.DATE, before=None, after=date(2026, 10, 1), state=ChangeState.PROPOSED
    )

    revised = revise_title(
        (dated, SENDER, day), Decision(accept=(accepted(SENDER, Name(None, "Neu")),))
    )

    assert revised == RevisedChange(
        TITLE.id, "Neu 10", (Reason.TITLE_PART_IN_REVIEW, "unsure"), "Neu {month}"
    )
