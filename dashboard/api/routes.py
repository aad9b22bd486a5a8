"""All routes of the API, below their one address, and its description."""

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.security import HTTPBearer
from starlette.responses import JSONResponse

from dashboard.api import (
    changes,
    documents,
    figures,
    instances,
    jobs,
    names,
    results,
    review,
    scans,
    stream,
)
from dashboard.api.paging import PREFIX
from dashboard.auth import RequireRead

openapi = APIRouter(include_in_schema=False)


@openapi.get("/api/v1/openapi.json")
async def describe(request: Request, person: RequireRead) -> JSONResponse:
    """Describe the API as OpenAPI does."""
    app = request.app
    assert isinstance(app, FastAPI)
    return JSONResponse(app.openapi())


# Only for the description: the guard knows tokens, and sessions as well.
_TOKEN = HTTPBearer(auto_error=False, description="An API token, from `paperclerk token create`.")

router = APIRouter(prefix=PREFIX, dependencies=[Depends(_TOKEN)])
_PARTS = (
    *(jobs, results, documents, changes, review, names, scans, instances, figures),
    stream,
)
for part in _PARTS:
    router.include_router(part.router)
