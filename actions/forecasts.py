"""Forecast when work ends, at the pace that the model's rate and hours and the limits allow."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from actions.caller import Caller
from actions.instances import InstanceOverview
from core.calendar import start_of
from core.pace import Pace
from core.spending import TypicalUsage, count_days_needed


@dataclass(frozen=True, slots=True)
class QueueForecast:
    """When the queue of an instance will be empty."""

    instance: str
    documents: int
    ends_at: datetime


async def list_queue_forecasts(
    caller: Caller, overviews: tuple[InstanceOverview, ...]
) -> tuple[QueueForecast, ...]:
    """Return the forecasts of the instances whose model has a rate or hours, and whose jobs wait.

    A model that has not been called yet has no forecast.
    """
    forecasts = []
    for overview in overviews:
        settings = caller.require_instance(overview.instance)
        pace, documents = settings.ai.pace(caller.zone), overview.pending
        work = await estimate_work(caller, overview.instance, documents) if pace else None
        if work is None or not documents:
            continue
        ends_at = max(
            pace.ends_at(caller.now(), work),
            _begin_of_last_day(caller, pace, overview, settings.limits.documents_per_day),
        )
        forecasts.append(QueueForecast(overview.instance, documents, ends_at))
    return tuple(forecasts)


async def estimate_work(caller: Caller, instance: str, documents: int) -> timedelta | None:
    """Return how long the model takes for so many documents; None if it has not been called yet."""
    ai = caller.require_instance(instance).ai
    usage = await caller.store.calls.get_typical_usage(
        instance, endpoint=ai.base_url, model=ai.model
    )
    return None if usage is None else _work_of(usage, ai.pace(caller.zone)) * documents


def _work_of(usage: TypicalUsage, pace: Pace) -> timedelta:
    """Return the time of one document: its calls, or the wait that the rate demands."""
    tokens = usage.tokens_in + usage.tokens_out
    by_rate = pace.rate.least_time(requests=usage.calls, tokens=tokens)
    return max(timedelta(milliseconds=usage.took_ms), by_rate)


def _begin_of_last_day(
    caller: Caller, pace: Pace, overview: InstanceOverview, per_day: int
) -> datetime:
    """Return when the last of the days begins that the daily limit makes necessary."""
    used = overview.documents_today
    days = count_days_needed(overview.pending, per_day=per_day, used_today=used) or 1
    if days == 1:
        return caller.now()
    return pace.opens_at(start_of(caller.today() + timedelta(days=days - 1), caller.zone))
