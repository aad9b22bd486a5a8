"""`/api/v1/openapi.json`: what the REST API can do, told to those who may use it."""

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import JSONResponse

from dashboard.auth import Reads

router = APIRouter(include_in_schema=False)


@router.get("/api/v1/openapi.json")
async def description(request: Request, person: Reads) -> JSONResponse:
    """Describe the API as OpenAPI does."""
    app = request.app
    assert isinstance(app, FastAPI)
    return JSONResponse(app.openapi())
