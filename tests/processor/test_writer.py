"""The one PATCH, and what goes into it: decided by the read just before it."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

import pytest
from pydantic import JsonValue

from core.changes import RULE, Change, ChangeOutcome, ChangeState
from core.fields import CustomField, FieldName, Name, Value
from paperless_client import FreshFields
from processor.apply import Marks, plan_write
from processor.writer import DocumentSnapshot, build_patch
from tests.builders import (
    AUTO,
    HAUS,
    NACHTSTROM,
    STROM,
    TELEKOM,
    a_change,
    a_current,
    a_document,
    a_removed_tag,
    an_added_tag,
    some_names,
)

HIDDEN = 99
"""A tag that we may not see."""
LINK: dict[str, JsonValue] = {"value": [3, 5], "field": 6}
ODD: dict[str, JsonValue] = {"value": {"unit": "kWh", "n": 1.50}, "field": 8, "later": True}
NUMBER: dict[str, JsonValue] = {"value": "RE-1", "field": 7}
FIELD = CustomField(7, "Rechnungsnummer")
DONE = Marks(done=(AUTO,), remove=(HAUS,))


def a_raw(*custom: dict[str, JsonValue], tags: Iterable[int] = ()) -> FreshFields:
    document = a_document(tags=list(tags))
    return FreshFields(document, tuple(tags), custom)


def a_reading(*tags: Name) -> DocumentSnapshot:
    ids = [tag.id for tag in tags if tag.id is not None]
    return DocumentSnapshot(a_current(tags=tags), some_names(), a_raw(tags=ids))


def custom(after: Value, before: Value = None) -> Change:
    return a_change(field=FIELD, before=before, after=after)


def a_mark(change: Change) -> Change:
    return replace(change, decided_by=RULE, evidence="")


@pytest.mark.parametrize(
    ("change", "body"),
    [
        (a_change(after="Strom"), {"title": "Strom"}),
        (
            a_change(field=FieldName.CORRESPONDENT, before=None, after=TELEKOM),
            {"correspondent": TELEKOM.id},
        ),
        (
            a_change(field=FieldName.DOCUMENT_TYPE, before=TELEKOM, after=None),
            {"document_type": None},
        ),
        (
            a_change(field=FieldName.DATE, before=None, after=date(2026, 1, 2)),
            {"created": "2026-01-02"},
        ),
        (an_added_tag(AUTO), {"tags": [HIDDEN, 2, 4]}),
        (a_removed_tag(STROM), {"tags": [HIDDEN]}),
        (custom("RE-1"), {"custom_fields": [LINK, ODD, {"field": 7, "value": "RE-1"}]}),
    ],
)
def test_a_patch_has_the_keys_of_what_changes_and_no_others(
    change: Change, body: dict[str, object]
) -> None:
    assert build_patch([change], a_raw(LINK, ODD, tags=(HIDDEN, 2))).body() == body


@pytest.mark.parametrize(
    ("present", "after", "merged"),
    [
        ((), "RE-2", [{"field": 7, "value": "RE-2"}]),
        ((NUMBER, LINK), "RE-2", [{"value": "RE-2", "field": 7}, LINK]),
        ((LINK, NUMBER, ODD), None, [LINK, ODD]),
        ((NUMBER,), None, []),
        ((NUMBER, ODD), "", [{"value": None, "field": 7}, ODD]),
    ],
)
def test_custom_fields_are_merged_into_what_was_received(
    present: tuple[dict[str, JsonValue], ...], after: Value, merged: list[object]
) -> None:
    patch = build_patch([custom(after, "RE-1")], a_raw(*present))

    assert patch.body() == {"custom_fields": merged}


def test_a_tag_that_is_there_or_gone_already_is_no_reason_to_send_tags() -> None:
    changes = [a_change(), an_added_tag(STROM, 2), a_removed_tag(AUTO, 3)]

    assert build_patch(changes, a_raw(tags=(2, HIDDEN))).body().keys() == {"title"}


def test_a_finished_document_is_marked_in_the_same_write_with_what_comes_along() -> None:
    plan = plan_write([an_added_tag(NACHTSTROM)], a_reading(), Marks(done=(AUTO,)))

    assert plan.send == (an_added_tag(NACHTSTROM),)
    assert [change.after for change in plan.further] == [AUTO, STROM, HAUS]
    assert plan.is_finished


def test_a_trigger_tag_goes_with_all_beneath_it_each_a_change_of_its_own() -> None:
    plan = plan_write([], a_reading(HAUS, STROM, NACHTSTROM), DONE)

    assert [(change.before, change.after) for change in plan.further] == [
        (None, AUTO),
        (HAUS, None),
        (STROM, None),
        (NACHTSTROM, None),
    ]


@pytest.mark.parametrize("marks", [None, DONE], ids=["something waits", "a conflict found now"])
def test_a_document_that_waits_for_a_person_is_not_marked(marks: Marks | None) -> None:
    changes = [an_added_tag(AUTO, 1)]
    if marks is not None:
        changes.append(a_change(2, before="another title"))

    plan = plan_write(changes, a_reading(HAUS), marks)

    assert (plan.send, plan.further, plan.is_finished) == ((changes[0],), (), False)


def test_a_mark_of_an_attempt_before_is_written_once_and_only_if_nothing_waits() -> None:
    stored = a_mark(a_removed_tag(HAUS, 1)), a_mark(an_added_tag(AUTO, 2))

    finished = plan_write(stored, a_reading(HAUS), DONE)
    waiting = plan_write(stored, a_reading(HAUS), None)

    assert (finished.send, finished.further) == (stored, ())
    assert (waiting.send, waiting.further, waiting.outcomes) == ((), (), ())


def test_a_mark_that_took_effect_is_settled_though_something_waits_by_now() -> None:
    stored = [a_mark(an_added_tag(AUTO, 2))]

    plan = plan_write(stored, a_reading(AUTO), None)

    assert plan.outcomes == (ChangeOutcome(2, ChangeState.APPLIED, after=AUTO),)


def test_a_tag_beneath_a_trigger_tag_is_not_sent_because_it_would_go_with_it() -> None:
    plan = plan_write([an_added_tag(STROM)], a_reading(), DONE)

    assert (plan.send, [change.after for change in plan.further]) == ((), [AUTO])
    assert plan.outcomes == (ChangeOutcome(1, ChangeState.OVERRIDDEN, after=STROM),)


def test_a_name_that_was_not_created_makes_a_conflict() -> None:
    new = a_change(field=FieldName.CORRESPONDENT, before=None, after=Name(None, "Neu"))

    plan = plan_write([new], a_reading(), DONE)

    assert plan.send == ()
    assert [outcome.state for outcome in plan.outcomes] == [ChangeState.CONFLICT]
