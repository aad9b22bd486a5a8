"""`/settings/diagnostics.json`: facts for a bug report, without any document's data."""

import json
import platform
from collections.abc import Mapping

from fastapi import APIRouter
from starlette.responses import Response

from core.holds import Hold, HoldKind
from core.jobs import Job, JobStatus
from core.scans import Scan
from dashboard.context import AppContext
from dashboard.pages.settings import HIDDEN, Row, files_of
from dashboard.pages.view import AdminView
from store import JobFilter

router = APIRouter()

Facts = Mapping[str, object]

_NEWEST = 20
"""Number of failed jobs, and of scans."""
_PRIVATE = {
    ("ai", "instructions"),
    ("ai", "type_instructions"),
    ("ai", "owner_names"),
    ("names", "descriptions"),
}
"""Settings with personal data."""


@router.get("/settings/diagnostics.json", include_in_schema=False)
async def download(view: AdminView) -> Response:
    """Return a file to attach to a bug report."""
    name = f"paperclerk-diagnostics-{view.translator.today.isoformat()}.json"
    return Response(
        json.dumps(await diagnostics_of(view.context), indent=2, ensure_ascii=False),
        media_type="application/json",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


async def diagnostics_of(context: AppContext) -> Facts:
    """Collect versions, settings, holds, counts, failed jobs and scans."""
    store, names = context.store, tuple(context.settings.instances)
    failed = await store.jobs.list(JobFilter(JobStatus.FAILED), _NEWEST)
    return {
        "paperclerk": context.version,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "database": await store.version(),
        "time_zone": str(context.zone),
        "taken_at": context.clock().isoformat(),
        "running_since": context.liveness.started_at.isoformat(),
        "processor_silent_seconds": round(context.liveness.processor_silent().total_seconds()),
        "settings": _settings(context, names),
        "holds": [_hold(hold) for hold in await store.holds.list_active()],
        "jobs": {name: dict(await store.jobs.count_by_status(name)) for name in names},
        "documents_for_review": dict(await store.statistics.count_for_review(names)),
        "failed_jobs": [_job(job) for job in failed],
        "scans": [_scan(scan) for scan in await store.scans.list(limit=_NEWEST)],
    }


def _settings(context: AppContext, names: tuple[str, ...]) -> Facts:
    return {
        f"{file.name}.toml": {
            f"{table}.{row.key}".lstrip("."): {"value": _value(table, row), "from": row.origin}
            for table, rows in file.tables.items()
            for row in rows
        }
        for file in files_of(context.settings, names)
    }


def _value(table: str, row: Row) -> str:
    return HIDDEN if row.value and (table, row.key) in _PRIVATE else row.value


def _hold(hold: Hold) -> Facts:
    # The reason of a pause is free text of a person.
    cause = {} if hold.kind is HoldKind.PAUSE else {"cause": str(hold.cause.message)}
    probe = hold.next_probe_at
    return {
        "kind": hold.kind,
        "of": hold.subject,
        **cause,
        "since": hold.since.isoformat(),
        "next_probe_at": probe.isoformat() if probe else None,
    }


def _job(job: Job) -> Facts:
    return {
        "instance": job.document.instance,
        "kind": job.kind,
        "code": job.problem.code if job.problem else None,
        "attempts": job.attempts,
        "finished_at": job.finished_at.isoformat() if job.finished_at else None,
    }


def _scan(scan: Scan) -> Facts:
    return {
        "instance": scan.instance,
        "kind": scan.kind,
        "requested_at": scan.requested_at.isoformat(),
        "finished_at": scan.finished_at.isoformat() if scan.finished_at else None,
        "seen": scan.seen,
        "enqueued": scan.enqueued,
        "skipped": dict(scan.skipped),
        "code": scan.problem.code if scan.problem else None,
    }
