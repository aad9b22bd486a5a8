"""Which documents are selected, and why the others are not."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from core.documents import DocumentState, KnownDocument
from core.jobs import Priority
from core.scans import SkipReason
from paperless_client import DocumentSummary
from scanner.selection import Selection, priority_of, reason_to_skip
from tests.builders import NOW, a_known_document, a_summary

INBOX, TRIGGER, SECRET, DONE = 1, 2, 3, 4
YESTERDAY = NOW - timedelta(days=1)
SELECTION = Selection(
    include=frozenset({INBOX}),
    exclude=frozenset({SECRET}),
    trigger=frozenset({TRIGGER}),
    done=frozenset({DONE}),
    since=YESTERDAY,
    min_age=timedelta(minutes=2),
)
OLD_ENOUGH = NOW - timedelta(minutes=2)


def why_not(
    document: DocumentSummary,
    known: KnownDocument | None = None,
    selection: Selection = SELECTION,
) -> SkipReason | None:
    return reason_to_skip(document, known, selection, now=NOW)


@pytest.mark.parametrize(
    ("tags", "added", "why"),
    [
        ({INBOX}, OLD_ENOUGH, None),
        ({INBOX, TRIGGER, 99}, OLD_ENOUGH, None),
        ({INBOX}, YESTERDAY, None),
        (set(), OLD_ENOUGH, SkipReason.NOT_ASKED_FOR),
        ({TRIGGER}, OLD_ENOUGH, SkipReason.NOT_ASKED_FOR),
        ({INBOX, SECRET}, OLD_ENOUGH, SkipReason.EXCLUDED),
        ({INBOX}, YESTERDAY - timedelta(microseconds=1), SkipReason.TOO_OLD),
        ({INBOX}, OLD_ENOUGH + timedelta(microseconds=1), SkipReason.TOO_YOUNG),
        ({INBOX}, NOW + timedelta(hours=1), SkipReason.TOO_YOUNG),
    ],
)
def test_a_new_document_is_selected_by_tags_and_arrival(
    tags: set[int], added: datetime, why: SkipReason | None
) -> None:
    assert why_not(a_summary(tags=tags, added=added)) is why


def test_every_tag_asked_for_must_be_there() -> None:
    selection = replace(SELECTION, include=frozenset({INBOX, TRIGGER}))

    assert why_not(a_summary(tags={INBOX}, added=OLD_ENOUGH), selection=selection) is (
        SkipReason.NOT_ASKED_FOR
    )


@pytest.mark.parametrize(
    "document",
    [
        a_summary(tags={SECRET}, added=OLD_ENOUGH),
        a_summary(tags={SECRET, INBOX, TRIGGER}, added=NOW),
        a_summary(tags={SECRET}, added=YESTERDAY - timedelta(days=999)),
    ],
)
@pytest.mark.parametrize("state", [None, *DocumentState])
def test_an_excluded_tag_wins_over_everything(
    document: DocumentSummary, state: DocumentState | None
) -> None:
    known = a_known_document(state, trigger_removed=True) if state else None

    assert why_not(document, known) is SkipReason.EXCLUDED


def test_where_nothing_is_asked_for_every_document_is_selected() -> None:
    assert why_not(a_summary(added=NOW), selection=Selection()) is None


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (DocumentState.QUEUED, SkipReason.QUEUED),
        (DocumentState.DONE, SkipReason.DONE),
        (DocumentState.FAILED, SkipReason.FAILED),
        (DocumentState.CANCELLED, SkipReason.CANCELLED),
        (DocumentState.IGNORED, SkipReason.IGNORED),
        (DocumentState.ADOPTED, SkipReason.ADOPTED),
        (DocumentState.GONE, None),
    ],
)
def test_a_known_document_is_not_selected_again_unless_it_came_back(
    state: DocumentState, why: SkipReason | None
) -> None:
    assert why_not(a_summary(tags={INBOX}, added=OLD_ENOUGH), a_known_document(state)) is why


@pytest.mark.parametrize(
    ("state", "tags", "why"),
    [
        (DocumentState.DONE, {INBOX, TRIGGER}, None),
        (DocumentState.DONE, {INBOX}, SkipReason.DONE),
        (DocumentState.QUEUED, {INBOX, TRIGGER}, SkipReason.QUEUED),
        (DocumentState.FAILED, {INBOX, TRIGGER}, SkipReason.FAILED),
        (DocumentState.CANCELLED, {INBOX, TRIGGER}, SkipReason.CANCELLED),
        (DocumentState.IGNORED, {INBOX, TRIGGER}, SkipReason.IGNORED),
    ],
)
def test_a_trigger_tag_that_was_put_back_asks_for_a_finished_document_anew(
    state: DocumentState, tags: set[int], why: SkipReason | None
) -> None:
    known = a_known_document(state, trigger_removed=True)

    assert why_not(a_summary(tags=tags, added=OLD_ENOUGH), known) is why


@pytest.mark.parametrize(
    ("state", "tags", "why"),
    [
        (None, {INBOX, DONE}, SkipReason.DONE_TAG),
        (None, {INBOX, DONE, TRIGGER}, None),
        (DocumentState.DONE, {INBOX, DONE}, SkipReason.DONE),
        (DocumentState.GONE, {INBOX, DONE}, None),
        (DocumentState.ADOPTED, {INBOX, DONE}, SkipReason.ADOPTED),
        (DocumentState.ADOPTED, {INBOX, TRIGGER}, None),
    ],
)
def test_an_unknown_document_with_the_done_tag_counts_as_done_unless_a_trigger_tag_is_back(
    state: DocumentState | None, tags: set[int], why: SkipReason | None
) -> None:
    known = a_known_document(state) if state else None

    assert why_not(a_summary(tags=tags, added=OLD_ENOUGH), known) is why


def test_a_trigger_tag_that_we_never_took_off_asks_for_nothing() -> None:
    document = a_summary(tags={INBOX, TRIGGER}, added=OLD_ENOUGH)

    assert why_not(document, a_known_document(trigger_removed=False)) is SkipReason.DONE


@pytest.mark.parametrize(
    ("new_since", "priority"),
    [
        (None, Priority.BACKLOG),
        (NOW - timedelta(hours=1), Priority.NEW),
        (NOW, Priority.BACKLOG),
        (NOW + timedelta(hours=1), Priority.BACKLOG),
    ],
)
def test_what_arrived_since_the_last_scan_goes_before_the_backlog(
    new_since: datetime | None, priority: Priority
) -> None:
    assert priority_of(a_summary(added=NOW), new_since=new_since) is priority


@pytest.mark.parametrize(
    ("editable", "reason"), [(True, None), (None, None), (False, SkipReason.READ_ONLY)]
)
def test_only_a_plain_no_makes_a_document_read_only(
    *, editable: bool | None, reason: SkipReason | None
) -> None:
    document = a_summary(user_can_change=editable)

    assert reason_to_skip(document, None, Selection(), now=NOW) is reason


def test_a_document_without_the_key_says_nothing_about_editing() -> None:
    fields = a_summary().model_dump(exclude={"user_can_change"})

    assert DocumentSummary.model_validate(fields).user_can_change is None


@pytest.mark.parametrize(("editable", "reason"), [(True, None), (False, SkipReason.READ_ONLY)])
def test_what_could_not_be_edited_is_taken_once_it_can(
    *, editable: bool, reason: SkipReason | None
) -> None:
    known = a_known_document(DocumentState.READ_ONLY)
    document = a_summary(user_can_change=editable)

    assert reason_to_skip(document, known, Selection(), now=NOW) is reason
