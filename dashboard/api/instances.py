"""`/instances`, `/stats` and `/costs`: the state of each instance, its figures, and pausing it."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel

from actions import instances
from actions.caller import Caller
from actions.costs import Costs, list_costs
from actions.instances import list_overviews
from core.calendar import day_start
from core.holds import Hold, filter_holds
from core.jobs import JobStatus
from core.scans import NextScan
from core.spending import Spending
from dashboard.api.jobs import Why
from dashboard.api.router import api_router, error_responses
from dashboard.api.schemas import ProblemShown
from dashboard.api.serialize import serialize_problem
from dashboard.auth.dependencies import ActCaller, ContextDep, ReadCaller
from dashboard.connection_tests import run_test

router = api_router(tag="instances")
figures = api_router(tag="figures")
Tested = Literal["paperless", "model"]


class HoldShown(BaseModel):
    """A hold: its target, and the jobs that need it, are on hold."""

    target: str
    cause: str
    since: datetime
    next_probe_at: datetime | None
    """null: only a person ends it."""


class InstanceShown(BaseModel):
    """The state of an instance."""

    instance: str
    last_scan_at: datetime | None
    last_failure_at: datetime | None
    last_failure: ProblemShown | None
    next_scan: NextScan
    next_scan_at: datetime | None
    """When the next scan is planned, never in the past; null unless `next_scan` is `planned`."""
    pending: int
    processing: int
    failed: int
    held: int
    """How many of the pending jobs are on hold."""
    for_review: int
    """Documents with changes for review."""
    documents_today: int
    cost_this_month: Decimal
    currency: str
    holds: list[HoldShown]
    """Why its jobs are on hold."""


class FindingShown(BaseModel):
    """The result of one test."""

    name: str
    ok: bool
    message: str
    hint: str
    """How to solve the problem."""


class ResumedShown(BaseModel):
    """The result of a resume."""

    was_paused: bool
    still_paused: list[HoldShown]
    """Other pauses that remain."""


class SpendingShown(BaseModel):
    """Usage and cost of model calls."""

    documents: int
    pages: int
    """Of the documents whose pages Paperless knows."""
    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal
    cost_per_document: Decimal
    cost_per_page: Decimal | None
    """Of the documents whose pages are known; null if there are none."""


class CostsShown(BaseModel):
    """Usage and cost of one instance in a month."""

    instance: str
    month: str
    currency: str
    limit: Decimal
    """0: no limit."""
    total: SpendingShown
    days: dict[str, SpendingShown]
    models: dict[str, SpendingShown]


class InstanceStats(BaseModel):
    """Counts of one instance."""

    jobs: dict[JobStatus, int]
    for_review: int
    """Documents with changes for review."""
    today: SpendingShown


class Stats(BaseModel):
    """Counts of all instances."""

    instances: dict[str, InstanceStats]
    mean_seconds: float | None
    """Mean duration of the latest analyses; null before the first."""


@router.get("/instances", responses=error_responses())
async def list_instances(caller: ReadCaller) -> list[InstanceShown]:
    """Show all instances."""
    return await _load_instances(caller, list(caller.settings))


@router.get("/instances/{instance}", responses=error_responses(404))
async def get_instance(caller: ReadCaller, instance: str) -> InstanceShown:
    """Show one instance."""
    [shown] = await _load_instances(caller, [instance])
    return shown


@router.post("/instances/{instance}/pause", responses=error_responses(404))
async def pause_instance(caller: ActCaller, instance: str, why: Why | None = None) -> HoldShown:
    """Pause an instance until it is resumed; the pause survives restarts."""
    return serialize_hold(await instances.pause(caller, instance, why.why if why else ""))


@router.post("/instances/{instance}/resume", responses=error_responses(404))
async def resume_instance(caller: ActCaller, instance: str) -> ResumedShown:
    """Resume a paused instance."""
    return _serialize_resumed(await instances.resume(caller, instance))


@router.post("/pause", responses=error_responses())
async def pause_everything(caller: ActCaller, why: Why | None = None) -> HoldShown:
    """Pause all instances until they are resumed."""
    return serialize_hold(await instances.pause(caller, None, why.why if why else ""))


@router.post("/resume", responses=error_responses())
async def resume_everything(caller: ActCaller) -> ResumedShown:
    """Resume after a pause of all instances."""
    return _serialize_resumed(await instances.resume(caller, None))


@router.post("/instances/{instance}/test/{what}", responses=error_responses(404))
async def test_instance(
    caller: ActCaller, context: ContextDep, instance: str, what: Tested
) -> list[FindingShown]:
    """Test an instance's Paperless, or its model with a made-up letter; takes up to a minute."""
    caller.get_instance(instance)
    report = await run_test(context, what, instance)
    return [
        FindingShown(
            name=finding.name,
            ok=finding.ok,
            message=finding.detail or str(finding.summary),
            hint=str(finding.advice) if finding.advice else "",
        )
        for finding in report.findings
    ]


def serialize_hold(hold: Hold) -> HoldShown:
    return HoldShown(
        target=hold.target,
        cause=str(hold.cause.message),
        since=hold.since,
        next_probe_at=hold.next_probe_at,
    )


@figures.get("/stats", responses=error_responses())
async def stats(caller: ReadCaller) -> Stats:
    """Return the jobs by status, the documents for review, and today's cost."""
    mean: timedelta | None = await caller.store.health.get_mean_time(caller.only)
    waiting = await caller.store.statistics.count_for_review(tuple(caller.settings))
    return Stats(
        instances={
            name: await _load_stats(caller, name, waiting[name]) for name in caller.settings
        },
        mean_seconds=None if mean is None else round(mean.total_seconds(), 1),
    )


@figures.get("/costs", responses=error_responses(404))
async def costs(
    caller: ReadCaller,
    month: Annotated[str | None, Query(pattern=r"^2[0-9]{3}-(0[1-9]|1[0-2])$")] = None,
    instance: str | None = None,
) -> list[CostsShown]:
    """Return the costs of a month by day and by model; the current month by default."""
    first = None if month is None else date.fromisoformat(f"{month}-01")
    names = [instance] if instance is not None else list(caller.settings)
    return [_serialize_costs(cost) for cost in await list_costs(caller, names, first)]


async def _load_instances(caller: Caller, names: Sequence[str]) -> list[InstanceShown]:
    overviews, holds = await list_overviews(caller, names), await caller.store.holds.list_active()
    shown = []
    for overview in overviews:
        targets = caller.get_instance(overview.instance).targets.all_targets
        values = asdict(overview) | {"last_failure": serialize_problem(overview.last_failure)}
        own_holds = [serialize_hold(hold) for hold in filter_holds(holds, targets)]
        shown.append(InstanceShown(**values, holds=own_holds))
    return shown


def _serialize_resumed(resumed: instances.ResumeResult) -> ResumedShown:
    remaining = [serialize_hold(hold) for hold in resumed.others]
    return ResumedShown(was_paused=resumed.was_paused, still_paused=remaining)


async def _load_stats(caller: Caller, name: str, for_review: int) -> InstanceStats:
    store, today = caller.store, day_start(caller.now(), caller.zone)
    return InstanceStats(
        jobs=dict(await store.jobs.count_by_status(name)),
        for_review=for_review,
        today=_serialize_spending(await store.calls.sum_spending(name, since=today)),
    )


def _serialize_costs(costs: Costs) -> CostsShown:
    return CostsShown(
        instance=costs.instance,
        month=costs.month,
        currency=costs.currency,
        limit=costs.limit,
        total=_serialize_spending(costs.total),
        days={day: _serialize_spending(spent) for day, spent in costs.days.items()},
        models={model: _serialize_spending(spent) for model, spent in costs.models.items()},
    )


def _serialize_spending(spending: Spending) -> SpendingShown:
    return SpendingShown.model_validate(spending, from_attributes=True)
