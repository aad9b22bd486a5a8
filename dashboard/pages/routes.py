"""Put all pages into the app, with the files they need."""

from fastapi import APIRouter, FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from dashboard.pages import (
    actions,
    activity,
    costs,
    diagnostics,
    documents,
    examine,
    history,
    job,
    messages,
    names,
    overview,
    preferences,
    questions,
    review,
    scans,
    settings,
    steering,
    undo,
)
from dashboard.rendering import STATIC

_PAGES = (
    *(overview, review, names, activity, scans, job, questions, documents, history, undo, costs),
    *(settings, diagnostics, examine, messages, actions, steering, preferences),
)
_FOR_EVER = "public, max-age=31536000, immutable"


class _Files(StaticFiles):
    """Our own files; with the mark of their content in the address, they are kept for ever."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        marked = b"v=" in scope["query_string"]
        response.headers["cache-control"] = _FOR_EVER if marked else "no-cache"
        return response


def add_pages(router: APIRouter) -> None:
    """Add every page."""
    for page in _PAGES:
        router.include_router(page.router)
    add_files(router)


def add_files(app: FastAPI | APIRouter) -> None:
    """Add what pages look like, and what makes them quicker."""
    app.mount("/static", _Files(directory=STATIC), name="static")
