"""`/activity/scans`: what each scan saw, and what became of the jobs that it made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from core.jobs import JobStatus
from core.scans import Scan
from dashboard.numbers import Before
from dashboard.pages.view import Reading, View

router = APIRouter()

_PAGE = 25
_MANY = 1_000


@dataclass(frozen=True, slots=True)
class ScanOutcome:
    """A scan, and what became of the jobs that it made."""

    scan: Scan
    tally: Mapping[JobStatus, int]
    """Of its newest jobs, if it made very many."""

    @property
    def is_under_way(self) -> bool:
        """Whether there is something to cancel."""
        return JobStatus.PENDING in self.tally or JobStatus.PROCESSING in self.tally

    @property
    def is_cut(self) -> bool:
        return sum(self.tally.values()) == _MANY


@router.get("/activity/scans", include_in_schema=False)
async def scans(
    view: Reading, before: Before = None, empty: Annotated[str, Query()] = ""
) -> HTMLResponse:
    """List scans, newest first; those that found nothing only if one wants to see them."""
    found = await view.desk.store.scans.listed(
        instances=view.names, limit=_PAGE + 1, before_id=before, with_empty=bool(empty)
    )
    shown = found[:_PAGE]
    return await view.page(
        "scans.html",
        outcomes=await outcomes_of(view, shown),
        with_empty=bool(empty),
        query={"empty": "yes" if empty else "", "instance": view.chosen},
        next_before=shown[-1].id if len(found) > _PAGE else None,
        is_first=before is None,
    )


async def outcomes_of(view: View, scans: Sequence[Scan]) -> list[ScanOutcome]:
    """Say how far the jobs of each scan are."""
    tallies = await view.desk.store.jobs.tallies([scan.id for scan in scans], most=_MANY)
    return [ScanOutcome(scan, _in_order(tallies[scan.id])) for scan in scans]


def _in_order(tally: Mapping[JobStatus, int]) -> Mapping[JobStatus, int]:
    return {status: tally[status] for status in JobStatus if status in tally}
