"""A table of the history: whole, in order, and harmless."""

import csv
import io
import json

import pytest

from actions.caller import Caller
from actions.history import COLUMNS, escape_formula, export_history_csv, export_history_json
from core.changes import ChangeOutcome, Plan
from core.changes import ChangeState as State
from core.documents import DocumentRef
from store import HistoryFilter, Store
from tests.store.builders import FakeClock, a_planned_change, enqueue_and_claim


async def write(store: Store, clock: FakeClock, count: int) -> None:
    """Have the title of so many documents written."""
    for number in range(1, count + 1):
        job = await enqueue_and_claim(store, clock, DocumentRef("home", number))
        title = a_planned_change(after=f"Letter {number}, of many")
        [change] = await store.changes.record_plan(
            job, Plan(now=(title,)), made_from="plan", now=clock()
        )
        await store.changes.settle(job, [ChangeOutcome(change.id, State.APPLIED)], now=clock())
        await store.jobs.succeed(job, now=clock())


async def rows_of(caller: Caller, limit: int | None = None) -> list[list[str]]:
    pages = [page async for page in export_history_csv(caller, HistoryFilter(), limit, page=2)]
    return list(csv.reader(io.StringIO("".join(pages))))


@pytest.mark.parametrize(("limit", "shown"), [(None, 5), (3, 3), (4, 4), (99, 5)])
async def test_every_change_is_in_it_once_however_long_its_pages_are(
    caller: Caller, store: Store, clock: FakeClock, limit: int | None, shown: int
) -> None:
    await write(store, clock, 5)

    head, *rows = await rows_of(caller, limit)

    assert tuple(head) == COLUMNS
    assert [row[2] for row in rows] == [f"home/{n}" for n in range(5, 5 - shown, -1)]
    assert rows[0][6] == "Letter 5, of many"


@pytest.mark.parametrize("count", [0, 1, 5])
async def test_the_same_is_exported_as_json(
    caller: Caller, store: Store, clock: FakeClock, count: int
) -> None:
    await write(store, clock, count)

    pages = [page async for page in export_history_json(caller, HistoryFilter(), page=2)]

    _, *rows = await rows_of(caller)
    found = json.loads("".join(pages))
    assert [list(item.values()) for item in found] == rows
    assert {key for item in found for key in item} <= {
        column.replace(" ", "_") for column in COLUMNS
    }


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_what_a_spreadsheet_would_carry_out_becomes_text(cell: str) -> None:
    assert escape_formula(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "Strom", "1 - 2", "a=b"])
def test_all_else_stays_as_it_is(cell: str) -> None:
    assert escape_formula(cell) == cell
