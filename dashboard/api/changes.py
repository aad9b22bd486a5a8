"""Changes: what was written to Paperless, and how to take it back."""

from dataclasses import replace
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from actions import undo as undoing
from actions.caller import Caller
from actions.undo import UndoRequest, cause_of_days
from core.calendar import span_of
from core.changes import ChangeState
from core.documents import DocumentRef
from dashboard.api.errors import may_answer
from dashboard.api.paging import (
    DOCUMENT,
    After,
    Limit,
    Page,
    Root,
    number_after,
    page_of,
    seen_by,
)
from dashboard.api.schemas import ChangeShown, QueuedShown
from dashboard.api.serialize import change_shown, queued_shown
from dashboard.auth.dependencies import Acting, Reading
from dashboard.context import GREATEST, Number
from store import HistoryFilter

router = APIRouter(tags=["changes"])

Id = Annotated[int, Field(ge=1, le=GREATEST)]
Day = Annotated[date, Field(ge=date(1970, 1, 1), le=date(2999, 12, 31))]


class WhichChanges(BaseModel):
    """Which changes to list; what is left out means any."""

    model_config = ConfigDict(extra="forbid")

    instance: str | None = None
    document: Annotated[str, Field(pattern=DOCUMENT)] | None = None
    state: ChangeState | None = None
    """Left out: all that were written at some time."""
    since: Day | None = None
    until: Day | None = None
    """This day is the last."""
    after: After = None
    limit: Limit = 50


class Undo(BaseModel):
    """What to take back: exactly one of these, where days, model and prompt count as one."""

    model_config = ConfigDict(extra="forbid")

    changes: Annotated[list[Id], Field(max_length=1000)] = []
    document: Annotated[str, Field(pattern=DOCUMENT)] | None = None
    job: Id | None = None
    scan: Id | None = None
    since: Day | None = None
    until: Day | None = None
    """This day is the last."""
    model: Annotated[str, Field(max_length=200)] | None = None
    prompt_version: Annotated[str, Field(max_length=200)] | None = None

    def request(self, caller: Caller) -> UndoRequest:
        cause = cause_of_days(
            self.since,
            self.until,
            model=self.model,
            prompt_version=self.prompt_version,
            zone=caller.zone,
        )
        ref = None if self.document is None else DocumentRef.parse(self.document)
        return UndoRequest(tuple(self.changes), ref, self.job, self.scan, cause)


class UndoPreviewShown(BaseModel):
    """What an undo would do to one document."""

    document: str
    back: list[ChangeShown]
    """They go back to the value before."""
    kept: list[ChangeShown]
    """Someone changed these since."""


@router.get("/changes", responses=may_answer(404))
async def list_changes(
    caller: Reading, which: Annotated[WhichChanges, Query()]
) -> Page[ChangeShown]:
    """List what was done to documents, newest first."""
    since, until = span_of(which.since, which.until, caller.zone)
    wanted = HistoryFilter(
        instances=seen_by(caller, which.instance),
        document=None if which.document is None else DocumentRef.parse(which.document),
        since=since,
        until=until,
        before_id=number_after(which.after),
    )
    if which.state is not None:
        wanted = replace(wanted, states=frozenset({which.state}))
    found = await caller.store.changes.history(wanted, which.limit + 1)
    return page_of(found, which.limit, lambda one: one.id, change_shown)


@router.get("/changes/{change}", responses=may_answer(404))
async def get_change(caller: Reading, change: Number) -> ChangeShown:
    """Show one change."""
    return change_shown(await caller.change(change))


@router.post("/undo", status_code=202, responses=may_answer(404, 409))
async def undo(caller: Acting, root: Root, what: Undo) -> QueuedShown:
    """Take changes back, except where someone set another value since; one job a document."""
    written = await undoing.written(caller, what.request(caller))
    return queued_shown(root, await undoing.undo(caller, written))


@router.post("/undo/preview", responses=may_answer(404, 409, 502))
async def preview_undo(caller: Acting, what: Undo) -> list[UndoPreviewShown]:
    """Say what an undo would do, to who may do it; nothing is written."""
    written = await undoing.written(caller, what.request(caller))
    return [
        UndoPreviewShown(
            document=str(one.document),
            back=[change_shown(change) for change in one.preview.back],
            kept=[change_shown(change) for change in one.preview.kept],
        )
        for one in await undoing.preview(caller, written)
    ]
