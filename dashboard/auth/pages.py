"""The pages at the door, and what they say when something is wrong."""

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dashboard.auth.local import local_path
from dashboard.auth.passwords import SHORTEST, Unfit
from dashboard.context import Desk
from dashboard.errors import LinkUseless, TooManyTries, WrongPassword
from dashboard.rendering import render


def login_page(
    request: Request,
    desk: Desk,
    *,
    next_page: str,
    has_password: bool,
    problem: WrongPassword | TooManyTries | None = None,
) -> HTMLResponse:
    """Ask for the password, or say why nobody can log in here."""
    shut = problem if isinstance(problem, TooManyTries) else None
    page = render(
        request,
        desk,
        "access/login.html",
        status=problem.status if problem else 200,
        next=local_path(next_page),
        has_password=has_password,
        closed=not desk.settings.daemon.web.login,
        problem=problem.code if problem else "",
        minutes=shut.minutes if shut else 0,
    )
    if shut:
        page.headers["retry-after"] = str(shut.seconds)
    return page


def welcome_page(
    request: Request, desk: Desk, *, link: str = "", problem: LinkUseless | Unfit | None = None
) -> HTMLResponse:
    """Ask for a new password; without a good link say where to get one."""
    refused = isinstance(problem, LinkUseless)
    return render(
        request,
        desk,
        "access/welcome.html",
        status=LinkUseless.status if refused else 422 if problem else 200,
        link=link,
        shortest=SHORTEST,
        problem=problem.code if isinstance(problem, LinkUseless) else problem or "",
    )
