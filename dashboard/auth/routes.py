"""The pages at the door, and what they say when something is wrong."""

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dashboard.auth.csrf import FIRST_PAGE, address_in, local_path, login_address, path_within
from dashboard.auth.dependencies import AuthenticationBackend, ContextDep, RequireAdmin, RequireRead
from dashboard.auth.login import FormText, LoginDep
from dashboard.auth.passwords import SHORTEST, PasswordProblem, find_password_problem
from dashboard.context import AppContext
from dashboard.errors import LinkUseless, TooManyTries, WrongPassword
from dashboard.pages.errors import is_for_people
from dashboard.rendering import render


def login_page(
    request: Request,
    context: AppContext,
    *,
    next_page: str,
    has_password: bool,
    problem: WrongPassword | TooManyTries | None = None,
) -> HTMLResponse:
    """Ask for the password, or say why nobody can log in here."""
    shut = problem if isinstance(problem, TooManyTries) else None
    page = render(
        request,
        context,
        "access/login.html",
        status=problem.status if problem else 200,
        next=local_path(next_page),
        has_password=has_password,
        closed=not context.settings.daemon.web.login,
        problem=problem.code if problem else "",
        minutes=shut.minutes if shut else 0,
    )
    if shut:
        page.headers["retry-after"] = str(shut.seconds)
    return page


def welcome_page(
    request: Request,
    context: AppContext,
    *,
    link: str = "",
    problem: LinkUseless | PasswordProblem | None = None,
) -> HTMLResponse:
    """Ask for a new password; without a good link say where to get one."""
    refused = isinstance(problem, LinkUseless)
    return render(
        request,
        context,
        "access/welcome.html",
        status=LinkUseless.status if refused else 422 if problem else 200,
        link=link,
        shortest=SHORTEST,
        problem=problem.code if isinstance(problem, LinkUseless) else problem or "",
    )


HOW_TO_BE_KNOWN = "Bearer"
"""What every 401 must name: by a token. A browser asks nobody for one, as it would for Basic."""


def redirect_to_login(request: Request) -> Response | None:
    """Send a browser to the login page; None if it is a program that asks."""
    if not is_for_people(request):
        return None
    if request.headers.get("hx-request"):
        # A part of a page: the whole page has to go, not the part.
        going_on = login_address(request, _shown(request))
        headers = {"hx-redirect": going_on, "www-authenticate": HOW_TO_BE_KNOWN}
        return Response(status_code=401, headers=headers)
    asked_for = path_within(request) if request.method == "GET" else FIRST_PAGE
    return RedirectResponse(login_address(request, asked_for), status_code=303)


def _shown(request: Request) -> str:
    """Return the page that a part was asked for by."""
    root: str = request.scope.get("root_path", "")
    shown = urlsplit(request.headers.get("hx-current-url", ""))
    path = shown.path.removeprefix(root) or FIRST_PAGE
    return f"{path}?{shown.query}" if shown.query else path


router = APIRouter(include_in_schema=False)


Asked = Annotated[str, Query()]
GoingOn = Annotated[str, Query(alias="next")]
GoesOn = Annotated[str, Form(alias="next")]


@router.get("/login")
async def ask_for_password(
    request: Request, context: ContextDep, door: LoginDep, going_on: GoingOn = FIRST_PAGE
) -> Response:
    """Ask for the password; whoever is known already is sent on."""
    guard: AuthenticationBackend = request.app.state.guard
    if await guard.authenticate(request) is not None:
        return _on_to(request, going_on)
    return login_page(request, context, next_page=going_on, has_password=await door.has_password())


@router.post("/login")
async def log_in(
    request: Request,
    context: ContextDep,
    door: LoginDep,
    password: FormText = "",
    going_on: GoesOn = FIRST_PAGE,
) -> Response:
    """Begin a session, if it is the password; where nobody logs in, a session would be useless."""
    if not context.settings.daemon.web.login:
        return RedirectResponse(login_address(request, local_path(going_on)), status_code=303)
    try:
        await door.check_password(request, password)
    except (WrongPassword, TooManyTries) as error:
        has_password = await door.has_password()
        return login_page(
            request, context, next_page=going_on, has_password=has_password, problem=error
        )
    response = _on_to(request, going_on)
    await door.log_in(request, response)
    return response


@router.post("/logout")
async def log_out(request: Request, person: RequireRead, door: LoginDep) -> Response:
    """End this session."""
    response = _on_to(request, "/login")
    await door.log_out(request, response)
    return response


@router.post("/logout/everywhere")
async def log_out_everywhere(request: Request, person: RequireAdmin, door: LoginDep) -> Response:
    """End every session, also this one."""
    response = _on_to(request, "/login")
    await door.log_out_everywhere(request, response)
    return response


@router.get("/welcome")
async def ask_for_new_password(
    request: Request, context: ContextDep, door: LoginDep, link: Asked = ""
) -> Response:
    """Ask whoever has a good link for a new password."""
    try:
        await door.check_link(link)
    except LinkUseless as error:
        return welcome_page(request, context, problem=error)
    return welcome_page(request, context, link=link)


@router.post("/welcome")
async def set_password(
    request: Request,
    context: ContextDep,
    door: LoginDep,
    link: FormText = "",
    password: FormText = "",
    again: FormText = "",
) -> Response:
    """Set the password, if the link is good, and begin a session where people log in."""
    if (problem := find_password_problem(password, again)) is not None:
        return welcome_page(request, context, link=link, problem=problem)
    try:
        await door.redeem(request, link, password)
    except LinkUseless as error:
        return welcome_page(request, context, problem=error)
    response = _on_to(request, FIRST_PAGE)
    if context.settings.daemon.web.login:
        await door.log_in(request, response)
    return response


def _on_to(request: Request, path: str) -> RedirectResponse:
    return RedirectResponse(address_in(request, local_path(path)), status_code=303)
