"""`/setup`: the only page while the settings are invalid; it lists their errors.

There is no store yet, so nobody can log in. The page shows only names of files and settings,
line numbers, and messages that contain no secret.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from core.calendar import Clock
from core.settings import SettingError
from dashboard.middleware import BasePath, BodySizeLimit, SecurityHeaders
from dashboard.pages import STATIC_FILES
from dashboard.rendering import FIRST_PAGE, address_in, render

PATH = "/setup"

done = APIRouter(include_in_schema=False)
"""Serves `/setup` as soon as the daemon has started."""
_setup = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class SetupInfo:
    """What the setup page shows."""

    folder: str
    """The config folder."""
    errors: Callable[[], Sequence[SettingError]]
    clock: Clock
    zone: tzinfo
    version: str


async def _get_info(request: Request) -> SetupInfo:
    info: SetupInfo = request.app.state.setup
    return info


def build_setup_app(info: SetupInfo, *, base_path: str) -> ASGIApp:
    """Build the app that is served until the settings are valid."""
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        routes=[STATIC_FILES, *_setup.routes],
    )
    app.state.setup = info
    app.add_middleware(BodySizeLimit)
    return SecurityHeaders(BasePath(app, base_path))


@_setup.get("/health")
async def health() -> JSONResponse:
    """Report that setup is not complete; a restart would not help."""
    return JSONResponse({"status": "setup"})


@_setup.get("/{anything:path}")
async def show(request: Request, info: Annotated[SetupInfo, Depends(_get_info)]) -> Response:
    """Show the errors of the settings, whatever page was requested."""
    return render(
        request,
        info,
        "setup.html",
        status=200 if request.url.path.endswith(PATH) else 503,
        errors=info.errors(),
        folder=info.folder,
    )


@done.get(PATH)
async def go_on(request: Request) -> Response:
    """Redirect to the dashboard, for browsers that still show the setup page."""
    first_page = address_in(request, FIRST_PAGE)
    if request.headers.get("hx-request") == "true":
        return Response(headers={"hx-redirect": first_page})
    return RedirectResponse(first_page, status_code=303)
