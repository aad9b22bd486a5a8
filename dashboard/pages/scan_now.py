"""`/instances/home/scan` and `/dry-runs/3`: estimate and start a scan; what a dry run found."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_UP, Decimal
from typing import Annotated

from fastapi import APIRouter, Form
from pydantic import BaseModel, BeforeValidator, Field
from starlette.responses import HTMLResponse, Response

from actions import scans
from actions.costs import EstimateSummary, ScanOrder, estimate_scan, require_scan_consent
from actions.documents import get_titles
from actions.dry_runs import list_tried_documents
from actions.errors import ConsentRequired
from actions.scans import list_scan_progress
from core.errors import PaperclerkError
from core.jobs import ANALYZE, DRY_RUN
from dashboard.context import Before, PathId
from dashboard.pages.job import build_tried
from dashboard.pages.view import ActView, ReadView, View
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)

_NEWEST = 20
"""Documents that a limited scan takes, unless the person chooses another number."""
_MAX_DOCUMENTS = 1_000_000
_DRY_RUN_PAGE = 20


class ScanForm(BaseModel):
    """What to scan, as the form gives it; the same choices as on the command line."""

    which: str = "all"
    """ "newest": only so many as `limit` says."""
    limit: Annotated[
        int | None, BeforeValidator(lambda text: text or None), Field(ge=1, le=_MAX_DOCUMENTS)
    ] = None
    dry_run: str = ""
    estimate: str = ""
    """Any text: only estimate the cost."""
    up_to: Annotated[Decimal, Field(ge=0)] | None = None
    """The cost that the person has confirmed."""

    @property
    def kind(self) -> str:
        return DRY_RUN if self.dry_run else ANALYZE

    @property
    def documents(self) -> int | None:
        """Return the maximum number of documents; None for all."""
        return (self.limit or _NEWEST) if self.which == "newest" else None


@dataclass(frozen=True, slots=True)
class ShownEstimate:
    """An estimate, and whether the scan needs the person's consent to it."""

    summary: EstimateSummary
    is_above_limit: bool

    @property
    def time(self) -> timedelta | None:
        """Return how long the model takes; None if it has not been called before."""
        seconds = self.summary.seconds
        return None if seconds is None else timedelta(seconds=seconds)

    @property
    def rounded(self) -> Decimal:
        """Return the cost that a person confirms: never less than the estimate."""
        return (self.summary.cost or Decimal()).quantize(Decimal("0.01"), ROUND_UP)


@router.get("/instances/{name}/scan")
async def choose(view: ActView, name: str) -> HTMLResponse:
    """Show the choices for a scan, and the scan that is running."""
    view.require_connected(name)
    return await _page(view, name, ScanForm())


@router.post("/instances/{name}/scan", response_model=None)
async def scan(view: ActView, name: str, form: Annotated[ScanForm, Form()]) -> Response:
    """Request a scan, or show its estimate.

    The estimate is also shown if it is more than `limits.consent_above`, and more than the person
    has confirmed.
    """
    order = ScanOrder(view.caller.by, kind=form.kind, limit=form.documents)
    try:
        if form.estimate:
            estimate = ShownEstimate(await _estimate(view, name, order), is_above_limit=False)
            return await _page(view, name, form, estimate)
        consent = await require_scan_consent(
            view.caller, view.context.scanners.get(name), name, order, form.up_to
        )
    except ConsentRequired as required:
        [summary] = required.estimates
        estimate = ShownEstimate(summary, is_above_limit=True)
        return await _page(view, name, form, estimate, status=409)
    except (PaperclerkError, PaperlessError) as error:
        return view.redirect_with_error("/", error)
    try:
        requested = await scans.request_scan(
            view.caller, name, kind=order.kind, limit=order.limit, consent=consent
        )
    except (PaperclerkError, PaperlessError) as error:
        return view.redirect_with_error("/", error)
    # The page of a dry run shows its results as they come.
    to = f"/dry-runs/{requested.id}" if requested.kind == DRY_RUN else "/"
    return view.redirect_with_message(to, "Scan of {name} requested.", name=name)


@router.get("/dry-runs/{scan_id}")
async def show_dry_run(view: ReadView, scan_id: PathId, before: Before = None) -> HTMLResponse:
    """Show the documents of a dry run, with what would be written to each of them."""
    scan, found = await list_tried_documents(view.caller, scan_id, _DRY_RUN_PAGE + 1, before)
    shown = found[:_DRY_RUN_PAGE]
    running = await list_scan_progress(view.caller, [scan.instance])
    return await view.page(
        "dry_run.html",
        scan=scan,
        documents=[(tried.job, build_tried(tried.suggestions)) for tried in shown],
        titles=await get_titles(view.context.store, [tried.job.document for tried in shown]),
        running=[progress for progress in running if progress.scan.id == scan.id],
        may_act=view.may_act,
        next_before=shown[-1].job.id if len(found) > _DRY_RUN_PAGE else None,
        is_first=before is None,
    )


async def _estimate(view: View, name: str, order: ScanOrder) -> EstimateSummary:
    view.require_connected(name)
    return await estimate_scan(
        view.context.store,
        view.caller.get_instance(name),
        view.context.scanners[name],
        order,
        limits=view.caller.require_instance(name).limits,
        now=view.context.clock(),
    )


async def _page(
    view: View, name: str, form: ScanForm, estimate: ShownEstimate | None = None, status: int = 200
) -> HTMLResponse:
    return await view.page(
        "scan_now.html",
        status=status,
        name=name,
        form=form,
        newest=_NEWEST,
        estimate=estimate,
        running=await list_scan_progress(view.caller, [name]),
        may_act=True,
    )
