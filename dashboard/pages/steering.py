"""Steer the whole: let everything rest and go on, and cancel all that a scan has brought."""

from fastapi import APIRouter
from starlette.responses import RedirectResponse

from actions import instances, jobs
from dashboard.auth.local import local_path
from dashboard.numbers import Number
from dashboard.pages.actions import Back
from dashboard.pages.outcomes import cancelled
from dashboard.pages.view import Acting

router = APIRouter(include_in_schema=False)

_HERE = "/activity"


@router.post("/pause")
async def pause(view: Acting, back: Back = _HERE) -> RedirectResponse:
    """Let everything rest."""
    deed = instances.pause(view.caller, None)
    return await view.carry_out(local_path(back), deed, "Everything rests until you resume it.")


@router.post("/resume")
async def resume(view: Acting, back: Back = _HERE) -> RedirectResponse:
    """Let everything go on; an instance that was paused by itself still rests."""
    deed = instances.resume(view.caller, None)
    return await view.carry_out(local_path(back), deed, "Everything goes on.")


@router.post("/scans/{scan}/cancel")
async def cancel_scan(view: Acting, scan: Number, back: Back = _HERE) -> RedirectResponse:
    """Cancel the jobs of a scan that are not finished yet."""
    deed = jobs.cancel_scan(view.caller, scan)
    return await view.tell_of(local_path(back), deed, cancelled)
