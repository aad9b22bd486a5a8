"""`/changes` and `/undo`: what was written to Paperless, and undoing it."""

from dataclasses import replace
from datetime import date
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from actions import undo as actions
from actions.caller import Caller
from actions.undo import UndoRequest, build_cause
from core.calendar import day_range
from core.changes import ChangeState
from core.documents import DocumentRef
from dashboard.api.router import (
    DOCUMENT,
    After,
    Limit,
    Page,
    Root,
    api_router,
    build_page,
    error_responses,
    parse_id_cursor,
    visible_instances,
)
from dashboard.api.schemas import ChangeShown, QueuedShown
from dashboard.api.serialize import serialize_change, serialize_queued
from dashboard.auth.dependencies import ActCaller, ReadCaller
from dashboard.context import MAX_ID, PathId
from store import HistoryFilter

router = api_router(tag="changes")

Id = Annotated[int, Field(ge=1, le=MAX_ID)]
Day = Annotated[date, Field(ge=date(1970, 1, 1), le=date(2999, 12, 31))]


class WhichChanges(BaseModel):
    """Filters for the list of changes; omitted ones match everything."""

    model_config = ConfigDict(extra="forbid")

    instance: str | None = None
    document: Annotated[str, Field(pattern=DOCUMENT)] | None = None
    state: ChangeState | None = None
    """Omitted: all changes that have ever been written."""
    since: Day | None = None
    until: Day | None = None
    """The last day of the period."""
    after: After = None
    limit: Limit = 50


class Undo(BaseModel):
    """What to undo: exactly one of these; days, model and prompt count as one."""

    model_config = ConfigDict(extra="forbid")

    changes: Annotated[list[Id], Field(max_length=1000)] = []
    document: Annotated[str, Field(pattern=DOCUMENT)] | None = None
    job: Id | None = None
    scan: Id | None = None
    since: Day | None = None
    until: Day | None = None
    """The last day of the period."""
    model: Annotated[str, Field(max_length=200)] | None = None
    prompt_version: Annotated[str, Field(max_length=200)] | None = None

    def request(self, caller: Caller) -> UndoRequest:
        """Build the request for the actions."""
        cause = build_cause(
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
    """They get their previous value."""
    kept: list[ChangeShown]
    """They were changed since."""


@router.get("/changes", responses=error_responses(404))
async def list_changes(
    caller: ReadCaller, which: Annotated[WhichChanges, Query()]
) -> Page[ChangeShown]:
    """List changes of documents, newest first."""
    since, until = day_range(which.since, which.until, caller.zone)
    wanted = HistoryFilter(
        instances=visible_instances(caller, which.instance),
        document=None if which.document is None else DocumentRef.parse(which.document),
        since=since,
        until=until,
        before_id=parse_id_cursor(which.after),
    )
    if which.state is not None:
        wanted = replace(wanted, states=frozenset({which.state}))
    found = await caller.store.changes.list_history(wanted, which.limit + 1)
    return build_page(found, which.limit, lambda change: change.id, serialize_change)


@router.get("/changes/{change}", responses=error_responses(404))
async def get_change(caller: ReadCaller, change: PathId) -> ChangeShown:
    """Show one change."""
    return serialize_change(await caller.get_change(change))


@router.post("/undo", status_code=202, responses=error_responses(404, 409))
async def undo(caller: ActCaller, root: Root, what: Undo) -> QueuedShown:
    """Undo changes, except values that were edited since then; creates one job per document."""
    written = await actions.list_written(caller, what.request(caller))
    return serialize_queued(root, await actions.undo(caller, written))


@router.post("/undo/preview", responses=error_responses(404, 409, 502))
async def preview_undo(caller: ActCaller, what: Undo) -> list[UndoPreviewShown]:
    """Preview an undo; nothing is written."""
    written = await actions.list_written(caller, what.request(caller))
    return [
        UndoPreviewShown(
            document=str(document.document),
            back=[serialize_change(change) for change in document.preview.back],
            kept=[serialize_change(change) for change in document.preview.kept],
        )
        for document in await actions.preview(caller, written)
    ]
