"""The one page that is served while the settings cannot be used: what is wrong, and where.

There is no store yet, so nobody can log in. What it tells is little: names of files and settings,
lines, and sentences that quote no secret.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from core.clock import Clock
from core.settings import SettingError
from dashboard.auth.csrf import FIRST_PAGE, address_in
from dashboard.middleware import BasePath, BodySizeLimit, SecurityHeaders
from dashboard.pages.routes import add_files
from dashboard.rendering import render

PATH = "/setup"

done = APIRouter(include_in_schema=False)
"""What the page meets at its own address as soon as the daemon has started."""
_help = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class SetupInfo:
    """What the page of a daemon without settings is made from."""

    folder: str
    """Where the settings files are looked for."""
    mistakes: Callable[[], Sequence[SettingError]]
    clock: Clock
    zone: tzinfo
    version: str


def _asked(request: Request) -> SetupInfo:
    told: SetupInfo = request.app.state.help
    return told


def build_setup_app(told: SetupInfo, *, base_path: str) -> ASGIApp:
    """Build the app that is there until the settings are right."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.help = told
    add_files(app)
    app.include_router(_help)
    app.add_middleware(BodySizeLimit)
    return SecurityHeaders(BasePath(app, base_path))


@_help.get("/health")
async def health() -> JSONResponse:
    """Say that nothing is done yet; no restart would help."""
    return JSONResponse({"status": "setup"})


@_help.get("/{anything:path}")
async def show(request: Request, told: Annotated[SetupInfo, Depends(_asked)]) -> Response:
    """Show what is wrong, whatever is asked for."""
    return render(
        request,
        told,
        "setup.html",
        status=200 if request.url.path.endswith(PATH) else 503,
        mistakes=told.mistakes(),
        folder=told.folder,
    )


@done.get(PATH)
async def go_on(request: Request) -> Response:
    """Send who waited for the settings to be right on to the dashboard."""
    first_page = address_in(request, FIRST_PAGE)
    if request.headers.get("hx-request") == "true":
        return Response(headers={"hx-redirect": first_page})
    return RedirectResponse(first_page, status_code=303)
