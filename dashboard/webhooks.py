"""The webhook by which Paperless reports a new document, and the page that installs it.

A request is only a hint: nothing but the document's number is used.
"""

import json
import re
from datetime import timedelta
from time import monotonic
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, Response

from actions.webhooks import InstalledWebhook, get_webhook_status, install_webhook
from core.access import WEBHOOK_HEADER, hash_secret, secrets_equal
from core.errors import PaperclerkError
from dashboard.auth.dependencies import ContextDep
from dashboard.errors import BadRequest, TooManyWebhooks, WebhookRefused
from dashboard.pages.view import AdminView, View
from paperless_client import PaperlessError

router = APIRouter(prefix="/hooks", include_in_schema=False)
pages = APIRouter(include_in_schema=False)
"""The page on which a webhook is installed."""

MAX_WEBHOOKS = 300
RATE_PERIOD = timedelta(minutes=1)
_LINK = re.compile(r"/documents/([1-9][0-9]{0,14})/")
_NUMBER = re.compile(r"[1-9][0-9]{0,14}")


class WebhookRate:
    """Counts the webhooks of each instance; refuses more than `MAX_WEBHOOKS` per `RATE_PERIOD`."""

    def __init__(self) -> None:
        self._periods: dict[str, tuple[float, int]] = {}
        """When the current period of each instance began, and its webhooks so far."""

    def require(self, instance: str) -> None:
        """Count a webhook; raise TooManyWebhooks."""
        now = monotonic()
        begun, count = self._periods.get(instance, (now, 0))
        if now - begun > RATE_PERIOD.total_seconds():
            begun, count = now, 0
        self._periods[instance] = begun, count + 1
        if count >= MAX_WEBHOOKS:
            raise TooManyWebhooks(instance)


async def _get_rate(request: Request) -> WebhookRate:
    rate: WebhookRate = request.app.state.webhook_rate
    return rate


@router.post("/paperless/{instance}", status_code=204)
async def receive(
    request: Request,
    context: ContextDep,
    rate: Annotated[WebhookRate, Depends(_get_rate)],
    instance: str,
) -> Response:
    """Accept a hint and respond at once; the document is looked up afterwards."""
    webhook = await context.store.webhooks.get(instance)
    # Without a webhook, nothing hashes to the empty text.
    expected = webhook.secret_hash if webhook and instance in context.settings.instances else ""
    if not secrets_equal(hash_secret(request.headers.get(WEBHOOK_HEADER, "")), expected):
        raise WebhookRefused
    rate.require(instance)
    number = find_document_number(await request.body())
    if number is None:
        raise BadRequest("the webhook names no document: send doc_url as a parameter")
    context.hint(instance, number)
    return Response(status_code=204)


@pages.get("/instances/{name}/webhook")
async def show(view: AdminView, name: str) -> HTMLResponse:
    """Show whether the webhook is installed and when it was last received."""
    return await _page(view, name)


@pages.post("/instances/{name}/webhook", response_model=None)
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


def find_document_number(body: bytes) -> int | None:
    """Return the document that a webhook names, by its address or its id; None if by neither."""
    params = _parse(body)
    if (link := _LINK.search(params.get("doc_url", ""))) is not None:
        return int(link[1])
    number = params.get("document_id", "")
    return int(number) if _NUMBER.fullmatch(number) else None


def _parse(body: bytes) -> dict[str, str]:
    """Return the parameters of a webhook, which Paperless sends as JSON or as a form."""
    text = body.decode("utf-8", "replace")
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = dict(parse_qsl(text))
    return {key: str(value) for key, value in parsed.items()} if isinstance(parsed, dict) else {}


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
