"""All routes of the API below `/api/v1`, and its OpenAPI description."""

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.security import HTTPBearer
from starlette.responses import JSONResponse

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


@openapi.get("/api/v1/openapi.json")
async def describe(request: Request, person: RequireRead) -> JSONResponse:
    """Return the OpenAPI description of the API."""
    app = request.app
    assert isinstance(app, FastAPI)
    return JSONResponse(app.openapi())


# Only for the description: the authenticator accepts sessions, too.
_TOKEN = HTTPBearer(auto_error=False, description="An API token, from `paperclerk token create`.")

router = APIRouter(prefix=PREFIX, dependencies=[Depends(_TOKEN)])
for module in (
    *(
        jobs,
        results,
        documents,
        search,
        changes,
        review,
        owner_names,
        names,
        learnt,
        scans,
        instances,
        figures,
    ),
    notifications,
    stream,
):
    router.include_router(module.router)
