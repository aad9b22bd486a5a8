"""`/hooks/paperless/NAME`: the webhook by which Paperless names a document that has arrived.

It is a hint: of the request, nothing but the number of a document is used.
"""

import json
import re
from datetime import timedelta
from time import monotonic
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Request, Response

from core.access import WEBHOOK_HEADER, hash_secret, secrets_equal
from dashboard.auth.dependencies import ContextDep
from dashboard.errors import BadRequest, TooManyWebhooks, WebhookRefused

router = APIRouter(prefix="/hooks", include_in_schema=False)

MOST = 300
SPAN = timedelta(minutes=1)
_LINK = re.compile(r"/documents/([1-9][0-9]{0,14})/")
_NUMBER = re.compile(r"[1-9][0-9]{0,14}")


class WebhookRate:
    """Counts the webhooks of each instance; more than `MOST` per `SPAN` are refused."""

    def __init__(self) -> None:
        self._spans: dict[str, tuple[float, int]] = {}
        """When the current span of each instance began, and its webhooks so far."""

    def require(self, instance: str) -> None:
        """Count a webhook; raise TooManyWebhooks."""
        now = monotonic()
        begun, count = self._spans.get(instance, (now, 0))
        if now - begun > SPAN.total_seconds():
            begun, count = now, 0
        self._spans[instance] = begun, count + 1
        if count >= MOST:
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
