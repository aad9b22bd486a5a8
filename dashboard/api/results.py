"""Results: what a model said, at an address that stays."""

from fastapi import APIRouter

from actions.caller import Caller
from core.calendar import day_at
from dashboard.api.errors import may_answer
from dashboard.api.root import Root
from dashboard.api.schemas import ResultShown
from dashboard.api.serialize import result_shown
from dashboard.asking import Reading
from dashboard.errors import Gone
from dashboard.numbers import Number
from store import JobNotFound, ResultNotFound

router = APIRouter(tags=["results"])


@router.get("/results/{result}", responses=may_answer(404, 410))
async def get_result(caller: Reading, root: Root, result: Number) -> ResultShown:
    """Show a result; 410 with the date if retention has deleted it."""
    try:
        found = await caller.store.results.get(result)
        await caller.job(found.job_id)
    except JobNotFound as error:
        raise ResultNotFound(result) from error
    except ResultNotFound:
        await _tell_if_gone(caller, result)
        raise
    return result_shown(root, found)


async def _tell_if_gone(caller: Caller, result: int) -> None:
    deleted = await caller.store.results.deleted(result)
    if deleted is not None and caller.sees(deleted.instance):
        day = day_at(deleted.deleted_at, caller.zone).isoformat()
        raise Gone(f"result {result} was deleted on {day}, because it was old")
