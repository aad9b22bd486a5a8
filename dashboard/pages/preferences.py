"""`/preferences`: language and look, remembered by the browser."""

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse

from dashboard.auth.local import local_path
from dashboard.auth.proxies import is_secure
from dashboard.rendering import THEMES, redirect, urls_of
from i18n import LANGUAGES

router = APIRouter()

_A_YEAR = 365 * 24 * 60 * 60


@router.post("/preferences", include_in_schema=False)
async def prefer(
    request: Request,
    language: Annotated[str, Form()] = "",
    theme: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "/",
) -> RedirectResponse:
    """Remember what was chosen; anything else means that the browser is asked again.

    Nobody need be logged in: the login page has these, too, and nothing of ours is changed.
    """
    response = redirect(request, urls_of(request)(local_path(back)))
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
