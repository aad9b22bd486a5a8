"""All routes of the API below `/api/v1`, and its OpenAPI description."""

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute

from dashboard.api import (
    changes,
    documents,
    figures,
    instances,
    jobs,
    learnt,
    names,
    notifications,
    owner_names,
    results,
    review,
    scans,
    search,
    stream,
)
from dashboard.api.paging import PREFIX
from dashboard.auth import RequireRead

openapi = APIRouter(include_in_schema=False)


@openapi.get(f"{PREFIX}/openapi.json")
async def describe(request: Request, person: RequireRead) -> JSONResponse:
    """Return the OpenAPI description of the API."""
    app = request.app
    assert isinstance(app, FastAPI)
    return JSONResponse(app.openapi())


_MODULES = (
    *(jobs, results, documents, search, changes, review, owner_names, names, learnt, scans),
    *(instances, figures, notifications, stream),
)
routes: list[BaseRoute] = [route for module in _MODULES for route in module.router.routes]
