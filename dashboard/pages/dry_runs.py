"""`/dry-runs/3`: what a scan would write, document by document."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from actions.documents import get_titles
from actions.dry_runs import list_tried_documents
from actions.scans import list_scan_progress
from dashboard.auth import Permission
from dashboard.context import Before, PathId
from dashboard.pages.suggestion_outcomes import build_tried
from dashboard.pages.view import ReadView

router = APIRouter(include_in_schema=False)

_PAGE = 20


@router.get("/dry-runs/{scan_id}")
async def show_dry_run(view: ReadView, scan_id: PathId, before: Before = None) -> HTMLResponse:
    """Show the documents of a dry run, with what would be written to each of them."""
    scan, found = await list_tried_documents(view.caller, scan_id, _PAGE + 1, before)
    shown = found[:_PAGE]
    running = await list_scan_progress(view.caller, [scan.instance])
    return await view.page(
        "dry_run.html",
        scan=scan,
        documents=[(tried.job, build_tried(tried.suggestions)) for tried in shown],
        titles=await get_titles(view.context.store, [tried.job.document for tried in shown]),
        running=[progress for progress in running if progress.scan.id == scan.id],
        may_act=view.person.has_permission(Permission.ACT),
        next_before=shown[-1].job.id if len(found) > _PAGE else None,
        is_first=before is None,
    )
