"""`/settings/diagnostics.json`: a file to attach to a bug report."""

from fastapi import APIRouter
from starlette.responses import Response

from actions.diagnostics import DiagnosticsSource, build_diagnostics
from dashboard.pages.view import AdminView

router = APIRouter()


@router.get("/settings/diagnostics.json", include_in_schema=False)
async def download(view: AdminView) -> Response:
    """Return the same file as `paperclerk diagnostics`."""
    context = view.context
    source = DiagnosticsSource(
        context.settings,
        context.store,
        context.clock(),
        context.zone,
        context.version,
        context.check_reachability,
    )
    name = f"paperclerk-diagnostics-{view.translator.today.isoformat()}.json"
    return Response(
        await build_diagnostics(source),
        media_type="application/json",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )
