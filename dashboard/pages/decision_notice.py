"""The confirmation of a decision, with a button that takes it back; shown once."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from dashboard.auth.proxies import is_secure
from dashboard.context import MAX_ID

_COOKIE = "decided"
_LONGEST = 500
_MOST_JOBS = 100
"""More would not fit into a cookie."""


class _Stored(BaseModel):
    """The cookie; anybody may have changed it."""

    text: str = Field(max_length=_LONGEST)
    jobs: list[int] = Field(max_length=_MOST_JOBS)


@dataclass(frozen=True, slots=True)
class DecisionNotice:
    """What was decided, and the jobs that carry it out."""

    text: str
    jobs: tuple[int, ...]
    """Empty if it cannot be undone."""


def redirect_with_notice(
    request: Request, to: str, text: str, jobs: Iterable[int]
) -> RedirectResponse:
    """Redirect to a review page that shows what was decided, and offers to take it back."""
    response = RedirectResponse(to, status_code=303)
    listed = list(jobs)
    stored = {"text": text[:_LONGEST], "jobs": listed if len(listed) <= _MOST_JOBS else []}
    response.set_cookie(
        _COOKIE,
        quote(json.dumps(stored)),
        max_age=60,
        path=_path(request),
        secure=is_secure(request),
        httponly=True,
        samesite="lax",
    )
    return response


def notice_of(request: Request) -> DecisionNotice | None:
    """Return the confirmation of the last decision; None if there is none."""
    if _COOKIE not in request.cookies:
        return None
    try:
        stored = _Stored.model_validate_json(unquote(request.cookies[_COOKIE]))
    except ValidationError:
        return None
    jobs = tuple(number for number in stored.jobs if 0 < number <= MAX_ID)
    return DecisionNotice(stored.text, jobs)


def forget_notice(request: Request, response: Response) -> None:
    """Delete the confirmation: it is shown once."""
    if _COOKIE in request.cookies:
        response.delete_cookie(_COOKIE, path=_path(request))


def _path(request: Request) -> str:
    root: str = request.scope.get("root_path", "")
    return root or "/"
