"""`/health`: whether the process lives. That others are down is no reason to restart it."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel

from core.holds import MODEL, PAPERLESS, Hold
from dashboard.asking import AtDesk
from store import StoreUnavailable

TOO_SILENT = timedelta(minutes=5)

router = APIRouter()


class Condition(StrEnum):
    """How the whole is."""

    OK = "ok"
    DEGRADED = "degraded"
    """Something outside is down; we wait for it, and nothing is lost."""
    BROKEN = "broken"


class Health(BaseModel):
    """How the process is, and what it waits for."""

    status: Condition
    database: bool
    processor: bool
    waits_for: list[str] = []


async def _examine(desk: AtDesk) -> Health:
    alive = desk.signs.processor_silent() < TOO_SILENT
    try:
        holds = await desk.store.holds.active()
    except StoreUnavailable:
        return Health(status=Condition.BROKEN, database=False, processor=alive)
    waits_for = [hold.target for hold in holds if _is_outage(hold)]
    return Health(
        status=_condition(alive=alive, waits=bool(waits_for)),
        database=True,
        processor=alive,
        waits_for=waits_for,
    )


@router.get("/health", tags=["health"], responses={503: {"model": Health}})
async def health(response: Response, examined: Annotated[Health, Depends(_examine)]) -> Health:
    """Say how the process is: 503 if it should be restarted, and 200 otherwise."""
    if examined.status is Condition.BROKEN:
        response.status_code = 503
    return examined


def _condition(*, alive: bool, waits: bool) -> Condition:
    if not alive:
        return Condition.BROKEN
    return Condition.DEGRADED if waits else Condition.OK


def _is_outage(hold: Hold) -> bool:
    return hold.target.startswith((PAPERLESS, MODEL))
