"""The REST API below /api/v1: each route parses the request, calls one action, returns a schema."""

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute

from dashboard.api import (
    changes,
    documents,
    instances,
    jobs,
    names,
    notifications,
    review,
    scans,
    stream,
)
from dashboard.api.router import PREFIX
from dashboard.auth import RequireRead

__all__ = ["openapi", "routes"]

openapi = APIRouter(include_in_schema=False)
_ROUTERS = (
    *(jobs.router, jobs.results, documents.router, changes.router, review.router, names.router),
    *(scans.router, instances.router, instances.figures, notifications.router, stream.router),
)
routes: list[BaseRoute] = [route for router in _ROUTERS for route in router.routes]


@openapi.get(f"{PREFIX}/openapi.json")
async def describe(request: Request, person: RequireRead) -> JSONResponse:
    """Return the OpenAPI description of the API."""
    app = request.app
    assert isinstance(app, FastAPI)
    return JSONResponse(app.openapi())
