"""The login, logout and welcome pages."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dashboard.auth.csrf import FIRST_PAGE, address_in, local_path, login_address
from dashboard.auth.dependencies import AuthenticationBackend, ContextDep, RequireAdmin, RequireRead
from dashboard.auth.login import (
    SHORTEST_PASSWORD,
    FormText,
    LoginDep,
    PasswordProblem,
    find_password_problem,
)
from dashboard.context import AppContext
from dashboard.errors import LinkUseless, TooManyTries, WrongPassword
from dashboard.rendering import render

router = APIRouter(include_in_schema=False)

LinkQuery = Annotated[str, Query()]
NextQuery = Annotated[str, Query(alias="next")]
NextField = Annotated[str, Form(alias="next")]


def login_page(
    request: Request,
    context: AppContext,
    *,
    next_page: str,
    has_password: bool,
    problem: WrongPassword | TooManyTries | None = None,
) -> HTMLResponse:
    """Render the password form, or why nobody can log in here."""
    lockout = problem if isinstance(problem, TooManyTries) else None
    page = render(
        request,
        context,
        "access/login.html",
        status=problem.status if problem else 200,
        next=local_path(next_page),
        has_password=has_password,
        closed=not context.settings.daemon.web.login,
        problem=problem.code if problem else "",
        minutes=lockout.minutes if lockout else 0,
    )
    if lockout:
        page.headers["retry-after"] = str(lockout.seconds)
    return page


def welcome_page(
    request: Request,
    context: AppContext,
    *,
    link: str = "",
    problem: LinkUseless | PasswordProblem | None = None,
) -> HTMLResponse:
    """Render the form for a new password; without a valid link, where to get one."""
    refused = isinstance(problem, LinkUseless)
    return render(
        request,
        context,
        "access/welcome.html",
        status=LinkUseless.status if refused else 422 if problem else 200,
        link=link,
        shortest=SHORTEST_PASSWORD,
        problem=problem.code if isinstance(problem, LinkUseless) else problem or "",
    )


@router.get("/login")
async def ask_for_password(
    request: Request, context: ContextDep, login: LoginDep, next_page: NextQuery = FIRST_PAGE
) -> Response:
    """Show the login page; redirect whoever is logged in already."""
    backend: AuthenticationBackend = request.app.state.authentication
    if await backend.authenticate(request) is not None:
        return _redirect(request, next_page)
    return login_page(
        request, context, next_page=next_page, has_password=await login.has_password()
    )


@router.post("/login")
async def log_in(
    request: Request,
    context: ContextDep,
    login: LoginDep,
    password: FormText = "",
    next_page: NextField = FIRST_PAGE,
) -> Response:
    """Begin a session if the password is right; without login, sessions have no effect."""
    if not context.settings.daemon.web.login:
        return RedirectResponse(login_address(request, local_path(next_page)), status_code=303)
    try:
        await login.check_password(request, password)
    except (WrongPassword, TooManyTries) as error:
        has_password = await login.has_password()
        return login_page(
            request, context, next_page=next_page, has_password=has_password, problem=error
        )
    response = _redirect(request, next_page)
    await login.log_in(request, response)
    return response


@router.post("/logout")
async def log_out(request: Request, person: RequireRead, login: LoginDep) -> Response:
    """End this session."""
    response = _redirect(request, "/login")
    await login.log_out(request, response)
    return response


@router.post("/logout/everywhere")
async def log_out_everywhere(request: Request, person: RequireAdmin, login: LoginDep) -> Response:
    """End every session, including this one."""
    response = _redirect(request, "/login")
    await login.log_out_everywhere(request, response)
    return response


@router.get("/welcome")
async def ask_for_new_password(
    request: Request, context: ContextDep, login: LoginDep, link: LinkQuery = ""
) -> Response:
    """Show the form for a new password to whoever has a valid link."""
    try:
        await login.check_link(link)
    except LinkUseless as error:
        return welcome_page(request, context, problem=error)
    return welcome_page(request, context, link=link)


@router.post("/welcome")
async def set_password(
    request: Request,
    context: ContextDep,
    login: LoginDep,
    link: FormText = "",
    password: FormText = "",
    again: FormText = "",
) -> Response:
    """Set the password if the link is valid; begin a session if login is on."""
    if (problem := find_password_problem(password, again)) is not None:
        return welcome_page(request, context, link=link, problem=problem)
    try:
        await login.redeem(request, link, password)
    except LinkUseless as error:
        return welcome_page(request, context, problem=error)
    response = _redirect(request, FIRST_PAGE)
    if context.settings.daemon.web.login:
        await login.log_in(request, response)
    return response


def _redirect(request: Request, path: str) -> RedirectResponse:
    return RedirectResponse(address_in(request, local_path(path)), status_code=303)
