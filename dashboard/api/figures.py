"""`/stats` and `/costs`: counts of jobs and reviews, and spending."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel

from actions.caller import Caller
from actions.costs import Costs, list_costs
from core.calendar import day_start
from core.jobs import JobStatus
from core.spending import Spending
from dashboard.api.errors import error_responses
from dashboard.api.router import api_router
from dashboard.auth.dependencies import ReadCaller

router = api_router(tag="figures")


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


@router.get("/stats", responses=error_responses())
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


@router.get("/costs", responses=error_responses(404))
async def costs(
    caller: ReadCaller,
    month: Annotated[str | None, Query(pattern=r"^2[0-9]{3}-(0[1-9]|1[0-2])$")] = None,
    instance: str | None = None,
) -> list[CostsShown]:
    """Return the costs of a month by day and by model; the current month by default."""
    first = None if month is None else date.fromisoformat(f"{month}-01")
    names = [instance] if instance is not None else list(caller.settings)
    return [_serialize_costs(cost) for cost in await list_costs(caller, names, first)]


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
