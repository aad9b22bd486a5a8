"""Scans: look through an instance now, and what former looks have found."""

from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from actions import jobs
from actions.scans import request_scan
from core.scans import Scan
from dashboard.api.errors import may_answer
from dashboard.api.jobs import Why
from dashboard.api.paging import After, Limit, Page, Root, number_after, page_of, seen_by
from dashboard.api.schemas import JobShown, ProblemShown
from dashboard.api.serialize import job_shown, problem_shown
from dashboard.auth.dependencies import Acting, Reading
from dashboard.context import Number

router = APIRouter(prefix="/scans", tags=["scans"])


class ScanShown(BaseModel):
    """One look through one instance, with its report."""

    id: int
    address: str
    instance: str
    asked_by: str
    kind: str
    limit: int | None
    requested_at: datetime
    started_at: datetime | None
    """null: it is only asked for."""
    finished_at: datetime | None
    changed_since: datetime | None
    """Only what was modified in Paperless since then was looked at; null: everything."""
    seen: int
    enqueued: int
    skipped: dict[str, int]
    """How many were left alone, by the reason."""
    problem: ProblemShown | None
    """Why it ended early."""


class WantedScan(BaseModel):
    """A scan to be made."""

    model_config = ConfigDict(extra="forbid")

    instance: str
    limit: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Queue at most so many documents."""


@router.get("", responses=may_answer(404))
async def list_scans(
    caller: Reading,
    root: Root,
    instance: str | None = None,
    after: After = None,
    limit: Limit = 50,
) -> Page[ScanShown]:
    """List scans, newest first."""
    found = await caller.store.scans.listed(
        instances=seen_by(caller, instance), limit=limit + 1, before_id=number_after(after)
    )
    return page_of(found, limit, lambda one: one.id, partial(scan_shown, root))


@router.get("/{scan}", responses=may_answer(404))
async def get_scan(caller: Reading, root: Root, scan: Number) -> ScanShown:
    """Show one scan."""
    return scan_shown(root, await caller.scan(scan))


@router.post("", status_code=202, responses=may_answer(404))
async def start_scan(
    caller: Acting, root: Root, wanted: WantedScan, response: Response
) -> ScanShown:
    """Ask for a scan; answers at once. One that is under way or asked for already is joined."""
    scan = await request_scan(caller, wanted.instance, limit=wanted.limit)
    shown = scan_shown(root, scan)
    response.headers["location"] = shown.address
    return shown


@router.post("/{scan}/cancel", responses=may_answer(404))
async def cancel_scan(
    caller: Acting, root: Root, scan: Number, why: Why | None = None
) -> list[JobShown]:
    """Cancel the jobs of a scan that are not finished yet."""
    cancelled = await jobs.cancel_scan(caller, scan, why.why if why else "")
    return [job_shown(root, job) for job in cancelled]


def scan_shown(root: str, scan: Scan) -> ScanShown:
    return ScanShown(
        id=scan.id,
        address=f"{root}/scans/{scan.id}",
        instance=scan.instance,
        asked_by=scan.asked_by,
        kind=scan.kind,
        limit=scan.limit,
        requested_at=scan.requested_at,
        started_at=scan.started_at,
        finished_at=scan.finished_at,
        changed_since=scan.changed_since,
        seen=scan.seen,
        enqueued=scan.enqueued,
        skipped={str(reason): count for reason, count in scan.skipped.items()},
        problem=problem_shown(scan.problem),
    )
