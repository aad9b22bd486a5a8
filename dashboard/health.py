"""`/health`: whether the process works. An outage of others is no reason to restart it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel

from actions.health import (
    TOO_SILENT,
    HealthSnapshot,
    HealthSnapshotCache,
    HealthWarning,
    list_warnings,
)
from dashboard.auth.dependencies import ContextDep
from store import StoreUnavailable

__all__ = ["TOO_SILENT", "router"]

router = APIRouter()


class Condition(StrEnum):
    """How the whole is."""

    OK = "ok"
    DEGRADED = "degraded"
    """Paperless or a model is unreachable; jobs wait, and nothing is lost."""
    BROKEN = "broken"


class Count(BaseModel):
    """A figure, and when it was taken."""

    value: int
    updated_at: datetime


class Seconds(BaseModel):
    """A duration, and when it was taken."""

    value: float | None
    """null: there was nothing to measure yet."""
    updated_at: datetime


class HealthFigures(BaseModel):
    """The figures that tell whether all is well."""

    jobs_waiting: Count
    failed_last_hour: Count
    failed_last_day: Count
    mean_seconds: Seconds
    """How long the latest analyses took on average."""


class Health(BaseModel):
    """How the process is, and what it waits for."""

    status: Condition
    database: bool
    processor: bool
    scheduler: bool
    """false: a scan is more than five minutes past its time."""
    waits_for: list[str] = []
    """`model`, `paperless`: what is unreachable, but not whose: this route needs no login."""
    warnings: list[HealthWarning] = []
    figures: HealthFigures | None = None
    """null: the database does not answer."""


async def _check_health(request: Request, context: ContextDep) -> Health:
    alive = context.liveness.processor_silent() < TOO_SILENT
    snapshots: HealthSnapshotCache = request.app.state.health
    try:
        holds, figures = await context.store.holds.list_active(), await snapshots.get()
    except StoreUnavailable:
        return Health(status=Condition.BROKEN, database=False, processor=alive, scheduler=True)
    waits_for = sorted({hold.kind.value for hold in holds if hold.is_outage})
    condition = Condition.DEGRADED if waits_for else Condition.OK
    return Health(
        status=condition if alive else Condition.BROKEN,
        database=True,
        processor=alive,
        scheduler=not figures.late_scans,
        waits_for=waits_for,
        warnings=list(list_warnings(figures)),
        figures=_serialize_figures(figures),
    )


@router.get("/health", tags=["health"], responses={503: {"model": Health}})
async def health(response: Response, found: Annotated[Health, Depends(_check_health)]) -> Health:
    """Return the health of the process: 503 if it should be restarted, otherwise 200."""
    if found.status is Condition.BROKEN:
        response.status_code = 503
    return found


def _serialize_figures(figures: HealthSnapshot) -> HealthFigures:
    mean = figures.mean_time

    def count(value: int) -> Count:
        return Count(value=value, updated_at=figures.at)

    return HealthFigures(
        jobs_waiting=count(figures.waiting),
        failed_last_hour=count(figures.failed_last_hour),
        failed_last_day=count(figures.failed_last_day),
        mean_seconds=Seconds(
            value=None if mean is None else round(mean.total_seconds(), 1),
            updated_at=figures.at,
        ),
    )
