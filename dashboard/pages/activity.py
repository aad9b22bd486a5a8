"""`/activity` and `/activity/scans`: the runs of documents, and the scans that found them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query
from starlette.responses import HTMLResponse, Response

from actions import jobs as job_actions
from actions.documents import get_titles
from actions.jobs import EnqueueResult
from actions.scans import list_scan_progress
from core.calendar import day_at, day_range
from core.jobs import LIVE, Job, JobStatus
from core.scans import Scan
from core.text import clean_line
from dashboard.context import Before, Chosen
from dashboard.pages.history import find_documents, parse_day
from dashboard.pages.instances import build_pause_button, load_hold_views
from dashboard.pages.outcomes import describe_cancelled, describe_restarted
from dashboard.pages.view import ActView, CostlyForm, ReadView, UpTo, View, ask_if_costly
from dashboard.rendering import local_path
from store import JobFilter
from store.queue.reads import RunFacts

router = APIRouter()

_PAGE = 30
_SCANS_PAGE = 25
_MANY = 10_000
_MANY_SCANS = 1_000


@dataclass(frozen=True, slots=True)
class ScanOutcome:
    """A scan, and the states of the jobs that it created."""

    scan: Scan
    tally: Mapping[JobStatus, int]
    """Of its newest jobs, if it created very many."""

    @property
    def is_under_way(self) -> bool:
        """Whether it is running, or has jobs that can be cancelled."""
        live = JobStatus.PENDING in self.tally or JobStatus.PROCESSING in self.tally
        return live or self.scan.finished_at is None

    @property
    def is_cut(self) -> bool:
        """Whether it may have more jobs than were counted."""
        return sum(self.tally.values()) == _MANY_SCANS


@dataclass(frozen=True, slots=True)
class Run:
    """A job, and what came of it."""

    job: Job
    facts: RunFacts

    @property
    def took(self) -> timedelta | None:
        """Return how long its last attempt took; None while it has not ended."""
        job = self.job
        if job.started_at is None or job.finished_at is None:
            return None
        return max(timedelta(), job.finished_at - job.started_at)

    @property
    def can_be_retried(self) -> bool:
        return self.job.can_be_restarted

    @property
    def can_be_cancelled(self) -> bool:
        return self.job.status in LIVE


@dataclass(frozen=True, slots=True)
class ActivityQuery:
    """The filter in an address; what cannot be parsed is ignored."""

    status: JobStatus | None
    cause: str
    scan: int | None
    words: str
    """Of the title, or a number."""
    since: date | None
    until: date | None

    @property
    def is_any(self) -> bool:
        """Whether it lets everything through."""
        return self == ActivityQuery(None, "", None, "", None, None)

    @property
    def parameters(self) -> dict[str, object]:
        """Return the filter as the parameters of an address."""
        return {
            "status": self.status.value if self.status else "",
            "cause": self.cause,
            "scan": self.scan or "",
            "q": self.words,
            "since": self.since or "",
            "until": self.until or "",
        }


async def _parse_query(
    status: Annotated[str, Query()] = "",
    cause: Annotated[str, Query()] = "",
    scan: Chosen = None,
    q: Annotated[str, Query(max_length=200)] = "",
    since: Annotated[str, Query()] = "",
    until: Annotated[str, Query()] = "",
) -> ActivityQuery:
    return ActivityQuery(
        status=JobStatus(status) if status in set(JobStatus) else None,
        cause=cause,
        scan=scan,
        words=clean_line(q),
        since=parse_day(since),
        until=parse_day(until),
    )


ActivityQueryDep = Annotated[ActivityQuery, Depends(_parse_query)]


@router.get("/activity", include_in_schema=False)
async def activity(view: ReadView, wanted: ActivityQueryDep, before: Before = None) -> HTMLResponse:
    """List what was done about documents, newest first, by day."""
    store = view.context.store
    jobs = await store.jobs.list(await _build_filter(view, wanted, before), _PAGE + 1)
    shown = jobs[:_PAGE]
    holds = await load_hold_views(view)
    running = await list_scan_progress(view.caller, view.names)
    is_failed = wanted.status is JobStatus.FAILED
    return await view.page(
        "activity.html",
        days=await _group_by_day(view, shown),
        titles=await get_titles(store, [job.document for job in shown]),
        wanted=wanted,
        outcome=None if wanted.scan is None else await _load_outcome(view, wanted.scan),
        query=wanted.parameters | {"instance": view.chosen},
        statuses=await _count_by_status(view),
        causes=await store.statistics.list_failure_causes(view.names) if is_failed else (),
        holds=holds,
        pausing=build_pause_button(view, holds),
        # The page of one scan lists only that scan.
        scans=[progress for progress in running if wanted.scan in {None, progress.scan.id}],
        may_act=view.may_act,
        currencies={name: view.currency_of(name) for name in view.all_names},
        next_before=shown[-1].id if len(jobs) > _PAGE else None,
        is_first=before is None,
    )


@router.post("/activity/jobs", include_in_schema=False, response_model=None)
async def act_on_jobs(
    view: ActView,
    action: Annotated[str, Form()],
    job: Annotated[tuple[int, ...], Form()] = (),
    back: Annotated[str, Form()] = "/activity",
    up_to: UpTo = None,
) -> Response:
    """Retry or cancel the selected jobs; those for which that is not possible are counted."""
    if action == "cancel":
        cancelled = job_actions.cancel_each(view.caller, job[:_PAGE])
        return await view.perform_and_report(local_path(back), cancelled, describe_cancelled)

    async def restart() -> EnqueueResult:
        return await job_actions.retry(view.caller, job[:_PAGE], up_to=up_to)

    queued = view.perform_and_report(local_path(back), restart(), describe_restarted)
    fields = {"action": action, "job": [str(id_) for id_ in job], "back": back}
    form = CostlyForm("/activity/jobs", "Retry", local_path(back), fields)
    return await ask_if_costly(view, queued, form)


@router.get("/activity/scans", include_in_schema=False)
async def scans(
    view: ReadView, before: Before = None, empty: Annotated[str, Query()] = ""
) -> HTMLResponse:
    """List scans, newest first; those that found nothing only on request."""
    found = await view.context.store.scans.list_for_instances(
        instances=view.names, limit=_SCANS_PAGE + 1, before_id=before, with_empty=bool(empty)
    )
    shown = found[:_SCANS_PAGE]
    return await view.page(
        "scans.html",
        outcomes=await load_outcomes(view, shown),
        currency_of=view.currency_of,
        with_empty=bool(empty),
        query={"empty": "yes" if empty else "", "instance": view.chosen},
        may_act=view.may_act,
        next_before=shown[-1].id if len(found) > _SCANS_PAGE else None,
        is_first=before is None,
    )


async def load_outcomes(view: View, scans: Sequence[Scan]) -> list[ScanOutcome]:
    """Return each scan with the states of its jobs."""
    tallies = await view.context.store.jobs.count_for_scans(
        [scan.id for scan in scans], most=_MANY_SCANS
    )
    outcomes = []
    for scan in scans:
        tally = tallies[scan.id]
        by_status = {status: tally[status] for status in JobStatus if status in tally}
        outcomes.append(ScanOutcome(scan, by_status))
    return outcomes


async def _build_filter(view: View, wanted: ActivityQuery, before: int | None) -> JobFilter:
    since, until = day_range(wanted.since, wanted.until, view.context.zone)
    return JobFilter(
        status=wanted.status,
        instances=frozenset(view.names),
        cause=wanted.cause or None,
        scan_id=wanted.scan,
        before_id=before,
        documents=await find_documents(view, wanted.words) if wanted.words else None,
        created_since=since,
        created_until=until,
        only_runs=wanted.status is None,
    )


async def _group_by_day(view: View, jobs: Sequence[Job]) -> dict[date, list[Run]]:
    """Return the jobs with what came of them, by the day on which they were created."""
    facts = await view.context.store.jobs.list_facts([job.id for job in jobs])
    days: dict[date, list[Run]] = {}
    for job in jobs:
        day = day_at(job.created_at, view.context.zone)
        days.setdefault(day, []).append(Run(job, facts[job.id]))
    return days


async def _count_by_status(view: View) -> dict[str, str]:
    """Count the jobs by status, up to a limit: counting very many takes long."""
    tally = await view.context.store.statistics.count_by_status(view.names, most=_MANY)
    return {
        status.value: view.translator.number(count) + ("+" if count == _MANY else "")
        for status, count in tally.items()
    }


async def _load_outcome(view: View, scan_id: int) -> ScanOutcome:
    """Return the scan by which the jobs are filtered; raise ScanNotFound."""
    (outcome,) = await load_outcomes(view, [await view.caller.get_scan(scan_id)])
    return outcome
