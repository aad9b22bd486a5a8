"""Pages, rendered on the server and refreshed with htmx; their static files and preferences."""

from typing import Annotated

from fastapi import Form
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from dashboard.auth.origin import is_secure
from dashboard.pages import (
    actions,
    activity,
    costs,
    documents,
    files,
    history,
    job,
    names,
    notifications,
    overview,
    review,
    review_document,
    scan_now,
    settings,
    settings_edit,
    setup_steps,
)
from dashboard.rendering import STATIC, THEMES, cookie_path, local_path, redirect, url_builder
from i18n import LANGUAGES

__all__ = ["PAGES", "STATIC_FILES"]

_MODULES = (
    *(overview, scan_now, review, review_document, names, activity, job, documents, files),
    # The page of a file before that of a test, whose address has the same form.
    *(history, costs, notifications, settings_edit, settings, setup_steps, actions),
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
    path, secure = cookie_path(request), is_secure(request)
    for name, choice, known in (("language", language, LANGUAGES), ("theme", theme, THEMES)):
        if choice in known:
            response.set_cookie(
                name, choice, max_age=_A_YEAR, path=path, secure=secure, samesite="lax"
            )
        elif choice:
            response.delete_cookie(name, path=path)
    return response


STATIC_FILES = Mount("/static", _Files(directory=STATIC), name="static")
"""Styles, scripts and icons."""
PAGES: tuple[BaseRoute, ...] = (
    *(route for module in _MODULES for route in module.router.routes),
    APIRoute("/preferences", prefer, methods=["POST"], include_in_schema=False),
    STATIC_FILES,
)
