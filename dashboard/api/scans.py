"""`/scans`: list and show scans, request one, cancel the jobs of one."""

from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field

from actions import jobs
from actions.costs import ScanOrder, require_scan_consent
from actions.scans import request_scan
from core.scans import Scan
from dashboard.api.jobs import Why
from dashboard.api.router import (
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
from dashboard.api.schemas import ConsentShown, ConsentUpTo, JobShown, ProblemShown
from dashboard.api.serialize import serialize_consent, serialize_job, serialize_problem
from dashboard.auth.dependencies import ActCaller, ContextDep, ReadCaller
from dashboard.context import PathId

router = api_router("/scans", tag="scans")


class ScanShown(BaseModel):
    """A scan of one instance, with its result."""

    id: int
    address: str
    instance: str
    asked_by: str
    kind: str
    limit: int | None
    requested_at: datetime
    started_at: datetime | None
    """null: it is requested and has not started."""
    finished_at: datetime | None
    changed_since: datetime | None
    """Only documents modified in Paperless since then were scanned; null: all."""
    seen: int
    enqueued: int
    skipped: dict[str, int]
    """How many documents were skipped, by reason."""
    problem: ProblemShown | None
    """Why it ended early."""
    consent: ConsentShown | None
    """Who confirmed its estimated cost; null: it needed no consent."""


class WantedScan(BaseModel):
    """A request for a scan."""

    model_config = ConfigDict(extra="forbid")

    instance: str
    limit: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Maximum number of documents to enqueue."""
    consent_up_to: ConsentUpTo = None
    """Confirms an estimated cost up to this amount, in the currency of the instance."""


@router.get("", responses=error_responses(404))
async def list_scans(
    caller: ReadCaller,
    root: Root,
    instance: str | None = None,
    after: After = None,
    limit: Limit = 50,
) -> Page[ScanShown]:
    """List scans, newest first."""
    found = await caller.store.scans.list_for_instances(
        instances=visible_instances(caller, instance),
        limit=limit + 1,
        before_id=parse_id_cursor(after),
    )
    return build_page(found, limit, lambda scan: scan.id, partial(serialize_scan, root))


@router.get("/{scan}", responses=error_responses(404))
async def get_scan(caller: ReadCaller, root: Root, scan: PathId) -> ScanShown:
    """Show one scan."""
    return serialize_scan(root, await caller.get_scan(scan))


@router.post("", status_code=202, responses=error_responses(404, 409))
async def start_scan(
    caller: ActCaller, context: ContextDep, root: Root, wanted: WantedScan, response: Response
) -> ScanShown:
    """Request a scan; returns immediately, with the requested or running scan if there is one.

    If it is estimated to cost more than `limits.consent_above`, the response is 409 with the
    `estimate` until `consent_up_to` covers it.
    """
    caller.require_instance(wanted.instance)
    consent = await require_scan_consent(
        caller,
        context.scanners.get(wanted.instance),
        wanted.instance,
        ScanOrder(caller.by, limit=wanted.limit),
        wanted.consent_up_to,
    )
    scan = await request_scan(caller, wanted.instance, limit=wanted.limit, consent=consent)
    shown = serialize_scan(root, scan)
    response.headers["location"] = shown.address
    return shown


@router.post("/{scan}/cancel", responses=error_responses(404))
async def cancel_scan(
    caller: ActCaller, root: Root, scan: PathId, why: Why | None = None
) -> list[JobShown]:
    """Stop a scan, and cancel its jobs that are not finished yet."""
    cancelled = await jobs.cancel_scan(caller, scan, why.why if why else "")
    return [serialize_job(root, job) for job in cancelled]


def serialize_scan(root: str, scan: Scan) -> ScanShown:
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
        problem=serialize_problem(scan.problem),
        consent=serialize_consent(scan.consent),
    )
