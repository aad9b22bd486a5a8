"""All pages, the files they need, and `/preferences`: language and theme, kept in a cookie."""

from typing import Annotated

from fastapi import APIRouter, FastAPI, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from dashboard.auth.csrf import local_path
from dashboard.auth.proxies import is_secure
from dashboard.pages import (
    actions,
    activity,
    costs,
    diagnostics,
    documents,
    history,
    job,
    names,
    overview,
    review,
    settings,
    undo,
)
from dashboard.rendering import STATIC, THEMES, redirect, url_builder
from i18n import LANGUAGES

_preferences = APIRouter()

_A_YEAR = 365 * 24 * 60 * 60


@_preferences.post("/preferences", include_in_schema=False)
async def prefer(
    request: Request,
    language: Annotated[str, Form()] = "",
    theme: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "/",
) -> RedirectResponse:
    """Remember what was chosen; anything else means that the browser is asked again.

    Nobody need be logged in: the login page has these, too, and nothing of ours is changed.
    """
    response = redirect(request, url_builder(request)(local_path(back)))
    root: str = request.scope.get("root_path", "")
    path, secure = root or "/", is_secure(request)
    for name, said, known in (("language", language, LANGUAGES), ("theme", theme, THEMES)):
        if said in known:
            response.set_cookie(
                name, said, max_age=_A_YEAR, path=path, secure=secure, samesite="lax"
            )
        elif said:
            response.delete_cookie(name, path=path)
    return response


_PAGES = (
    *(overview, review, names, activity, job, documents, history, undo, costs),
    *(settings, diagnostics, actions),
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
    router.include_router(_preferences)
    add_files(router)


def add_files(app: FastAPI | APIRouter) -> None:
    """Add what pages look like, and what makes them quicker."""
    app.mount("/static", _Files(directory=STATIC), name="static")
