"""The `/metrics` route."""

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from dashboard.api.errors import error_responses
from dashboard.auth.dependencies import ContextDep, ReadCaller
from dashboard.metrics.families import MetricsCollector
from dashboard.metrics.readings import read_metrics
from dashboard.metrics.tally import Tally

router = APIRouter(tags=["health"])


@router.get("/metrics", response_class=PlainTextResponse, responses=error_responses())
async def metrics(request: Request, context: ContextDep, caller: ReadCaller) -> PlainTextResponse:
    """Return the metrics for Prometheus; a token needs the permission to read."""
    tally: Tally = request.app.state.tally
    registry = CollectorRegistry()
    registry.register(
        MetricsCollector(await read_metrics(context, caller, await tally.count_ended()))
    )
    return PlainTextResponse(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)
