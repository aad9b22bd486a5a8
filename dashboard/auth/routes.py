"""`/login`, `/logout` and `/welcome`: coming in and going out."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from dashboard.asking import AtDesk
from dashboard.auth.asking import AtDoor, Typed
from dashboard.auth.dependencies import Administers, Guard, Reads
from dashboard.auth.local import FIRST_PAGE, address_in, local_path, login_address
from dashboard.auth.pages import login_page, welcome_page
from dashboard.auth.passwords import unfit
from dashboard.errors import LinkUseless, TooManyTries, WrongPassword

router = APIRouter(include_in_schema=False)


Asked = Annotated[str, Query()]
GoingOn = Annotated[str, Query(alias="next")]
GoesOn = Annotated[str, Form(alias="next")]


@router.get("/login")
async def ask_for_password(
    request: Request, desk: AtDesk, door: AtDoor, going_on: GoingOn = FIRST_PAGE
) -> Response:
    """Ask for the password; whoever is known already is sent on."""
    guard: Guard = request.app.state.guard
    if await guard.who(request) is not None:
        return _on_to(request, going_on)
    return login_page(request, desk, next_page=going_on, has_password=await door.has_password())


@router.post("/login")
async def log_in(
    request: Request,
    desk: AtDesk,
    door: AtDoor,
    password: Typed = "",
    going_on: GoesOn = FIRST_PAGE,
) -> Response:
    """Begin a session, if it is the password; where nobody logs in, a session would be useless."""
    if not desk.settings.daemon.web.login:
        return RedirectResponse(login_address(request, local_path(going_on)), status_code=303)
    try:
        await door.check_password(request, password)
    except (WrongPassword, TooManyTries) as error:
        has_password = await door.has_password()
        return login_page(
            request, desk, next_page=going_on, has_password=has_password, problem=error
        )
    response = _on_to(request, going_on)
    await door.let_in(request, response)
    return response


@router.post("/logout")
async def log_out(request: Request, person: Reads, door: AtDoor) -> Response:
    """End this session."""
    response = _on_to(request, "/login")
    await door.let_out(request, response)
    return response


@router.post("/logout/everywhere")
async def log_out_everywhere(request: Request, person: Administers, door: AtDoor) -> Response:
    """End every session, also this one."""
    response = _on_to(request, "/login")
    await door.let_out_everywhere(request, response)
    return response


@router.get("/welcome")
async def ask_for_new_password(
    request: Request, desk: AtDesk, door: AtDoor, link: Asked = ""
) -> Response:
    """Ask whoever has a good link for a new password."""
    try:
        await door.check_link(link)
    except LinkUseless as error:
        return welcome_page(request, desk, problem=error)
    return welcome_page(request, desk, link=link)


@router.post("/welcome")
async def set_password(
    request: Request,
    desk: AtDesk,
    door: AtDoor,
    link: Typed = "",
    password: Typed = "",
    again: Typed = "",
) -> Response:
    """Set the password, if the link is good, and begin a session where people log in."""
    if (problem := unfit(password, again)) is not None:
        return welcome_page(request, desk, link=link, problem=problem)
    try:
        await door.redeem(request, link, password)
    except LinkUseless as error:
        return welcome_page(request, desk, problem=error)
    response = _on_to(request, FIRST_PAGE)
    if desk.settings.daemon.web.login:
        await door.let_in(request, response)
    return response


def _on_to(request: Request, path: str) -> RedirectResponse:
    return RedirectResponse(address_in(request, local_path(path)), status_code=303)
