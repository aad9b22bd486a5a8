"""The routes of all pages, static files, and `/preferences`: language and theme."""

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
    document,
    documents,
    files,
    history,
    job,
    learnt,
    names,
    notifications,
    overview,
    owner_names,
    results,
    review,
    review_document,
    scan_now,
    settings,
    settings_edit,
    setup_finish,
    setup_servers,
    undo,
    webhook,
)
from dashboard.rendering import STATIC, THEMES, redirect, url_builder
from i18n import LANGUAGES

_PAGES = (
    *(overview, scan_now, review, review_document, names, owner_names, learnt, activity, job),
    *(results, documents, document, files, history, undo, costs, notifications),
    # The page of a file before that of a test, whose address has the same form.
    *(settings_edit, settings, setup_servers, setup_finish, diagnostics, webhook, actions),
)
_A_YEAR = 365 * 24 * 60 * 60
_IMMUTABLE = "public, max-age=31536000, immutable"


class _Files(StaticFiles):
    """Static files; cached for ever if the address carries the hash of their content."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        has_hash = b"v=" in scope["query_string"]
        response.headers["cache-control"] = _IMMUTABLE if has_hash else "no-cache"
        return response


def add_pages(router: APIRouter) -> None:
    """Add the routes of every page."""
    for page in _PAGES:
        router.include_router(page.router)
    router.add_api_route("/preferences", prefer, methods=["POST"], include_in_schema=False)
    add_files(router)


def add_files(app: FastAPI | APIRouter) -> None:
    """Add the static files: styles, scripts and icons."""
    app.mount("/static", _Files(directory=STATIC), name="static")


async def prefer(
    request: Request,
    language: Annotated[str, Form()] = "",
    theme: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "/",
) -> RedirectResponse:
    """Store the chosen language or theme in a cookie; delete it for any other value.

    No login is needed: the login page offers the choice, too, and only a cookie is set.
    """
    response = redirect(request, url_builder(request)(local_path(back)))
    root: str = request.scope.get("root_path", "")
    path, secure = root or "/", is_secure(request)
    for name, choice, known in (("language", language, LANGUAGES), ("theme", theme, THEMES)):
        if choice in known:
            response.set_cookie(
                name, choice, max_age=_A_YEAR, path=path, secure=secure, samesite="lax"
            )
        elif choice:
            response.delete_cookie(name, path=path)
    return response
