"""What a person can name to be undone."""

from dataclasses import replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from actions.caller import Caller
from actions.errors import InvalidRequest
from actions.undo import UndoRequest, build_cause, undo
from core.changes import Change, ChangeFilter
from core.documents import DocumentRef
from store import AlreadyQueued
from tests.builders import a_change
from tests.installation import home

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    "said",
    [
        {"changes": (1, 2)},
        {"document": DocumentRef("home", 7)},
        {"job": 1},
        {"scan": 1},
        {"cause": ChangeFilter(model="gemma")},
    ],
    ids=str,
)
def test_one_thing_is_named(said: dict[str, object]) -> None:
    assert UndoRequest(**said)  # type: ignore[arg-type]

    other = {"scan": 2} if "scan" not in said else {"job": 2}
    with pytest.raises(InvalidRequest):
        UndoRequest(**said, **other)  # type: ignore[arg-type]


def test_nothing_named_is_refused_and_not_everything() -> None:
    with pytest.raises(InvalidRequest):
        UndoRequest()


def test_days_are_the_owners_and_the_last_is_included() -> None:
    found = build_cause(
        date(2026, 3, 29), date(2026, 3, 29), model=None, prompt_version=None, zone=BERLIN
    )

    assert found == ChangeFilter(
        datetime(2026, 3, 28, 23, tzinfo=UTC), datetime(2026, 3, 29, 22, tzinfo=UTC)
    )


def test_no_days_and_nothing_else_is_no_cause() -> None:
    assert build_cause(None, None, model=None, prompt_version=None, zone=BERLIN) is None


async def test_a_document_whose_undo_waits_already_keeps_no_other_from_its_own(
    caller: Caller,
) -> None:
    written = [written_to(id_) for id_ in (1, 2, 3)]
    await undo(caller, [written[1]])

    undone = await undo(caller, written)

    assert [job.document for job in undone.jobs] == [home(1), home(3)]
    assert [str(error) for error in undone.refused] == [str(AlreadyQueued(home(2), kind="undo"))]


async def test_an_undo_of_which_nothing_can_be_queued_is_refused(caller: Caller) -> None:
    await undo(caller, [written_to(1)])

    with pytest.raises(AlreadyQueued):
        await undo(caller, [written_to(1)])


def written_to(document: int) -> Change:
    return replace(a_change(document), document=home(document))
