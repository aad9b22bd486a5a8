"""`/instances/NAME/webhook`: install the webhook, and see whether it works."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

from actions.webhooks import InstalledWebhook, get_webhook_status, install_webhook
from core.errors import PaperclerkError
from dashboard.pages.view import AdminView, View
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)


@router.get("/instances/{name}/webhook")
async def show(view: AdminView, name: str) -> HTMLResponse:
    """Show whether the webhook is installed and when it was last received."""
    return await _page(view, name)


@router.post("/instances/{name}/webhook", response_model=None)
async def install(view: AdminView, name: str) -> Response:
    """Install the webhook; where a person must enter it, the response shows the secret itself."""
    view.require_connected(name)
    try:
        installed = await install_webhook(view.caller, name, _address(view, name))
    except (PaperclerkError, PaperlessError) as error:
        return await _page(view, name, problem=error, status=409)
    if installed.secret:
        return await _page(view, name, installed=installed)
    return view.redirect_with_message(
        f"/instances/{name}/webhook", "Webhook installed in Paperless, with a new secret."
    )


async def _page(
    view: View,
    name: str,
    *,
    installed: InstalledWebhook | None = None,
    problem: PaperclerkError | PaperlessError | None = None,
    status: int = 200,
) -> HTMLResponse:
    view.require_connected(name)
    url = _address(view, name)
    return await view.page(
        "webhook.html",
        status=status,
        instance=name,
        url_of_hook=url,
        found=await get_webhook_status(view.caller, name, url),
        installed=installed,
        problem=problem,
    )


def _address(view: View, name: str) -> str:
    return view.context.settings.daemon.web.webhook_address(name)
