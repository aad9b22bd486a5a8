"""`/account`: the password, sessions by browser, and API tokens."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Form
from starlette.responses import HTMLResponse, Response

from core.access import ADMIN, ApiToken, NewToken, Permission, hash_secret, new_secret
from core.text import clean_line
from dashboard.auth.login import MIN_PASSWORD_LENGTH, FormText, LoginDep, find_password_problem
from dashboard.errors import BadRequest, TooManyTries, WrongPassword
from dashboard.pages.view import AdminView, View
from store import Store, TokenNameReserved, TokenNameTaken

router = APIRouter(prefix="/account", include_in_schema=False)

_HERE = "/account"
TOKEN_PREFIX = "pck_"  # noqa: S105 - not a secret
"""Prefix of every token, so that people and secret scanners recognise one."""
# Most browsers also claim to be others: the first match counts.
_BROWSERS = (
    ("Edge", r"\bEdg(?:A|iOS)?/"),
    ("Opera", r"\bOPR/"),
    ("Samsung Internet", r"\bSamsungBrowser/"),
    ("Firefox", r"\b(?:Firefox|FxiOS)/"),
    ("Chrome", r"\b(?:Chrome|CriOS)/"),
    ("Safari", r"\bSafari/"),
)
_SYSTEMS = (
    ("iOS", r"\b(?:iPhone|iPad)\b"),
    ("Android", r"\bAndroid\b"),
    ("Windows", r"\bWindows\b"),
    ("ChromeOS", r"\bCrOS\b"),
    ("macOS", r"\bMacintosh\b"),
    ("Linux", r"\bLinux\b"),
)


@dataclass(frozen=True, slots=True)
class UserAgent:
    """A browser and the system it runs on; "" if unknown."""

    browser: str
    system: str


async def create_token(store: Store, new: NewToken, *, now: datetime) -> tuple[str, ApiToken]:
    """Create a token; return it with the record that is stored.

    Raise TokenNameTaken or TokenNameReserved.
    """
    token = new_secret(TOKEN_PREFIX)
    # People type names again: a name contains no invisible characters.
    new = replace(new, name=clean_line(new.name))
    return token, await store.access.tokens.create(new, hash_secret(token), now=now)


def parse_user_agent(header: str) -> UserAgent:
    """Return the browser and the system, as far as they are known."""
    return UserAgent(_find(_BROWSERS, header), _find(_SYSTEMS, header))


@router.get("")
async def account(view: AdminView) -> HTMLResponse:
    """Show the account page."""
    return await _page(view)


@router.post("/password")
async def change_password(
    view: AdminView,
    login: LoginDep,
    before: FormText = "",
    password: FormText = "",
    again: FormText = "",
) -> Response:
    """Change the password, if the current one is given."""
    if (problem := find_password_problem(password, again)) is not None:
        return await _page(view, status=422, problem=problem)
    try:
        await login.check_password(view.request, before)
    except (WrongPassword, TooManyTries) as error:
        minutes = error.minutes if isinstance(error, TooManyTries) else 0
        return await _page(view, status=error.status, problem=error.code, minutes=minutes)
    response = view.redirect_with_message(
        _HERE, "Password changed. All other sessions have been logged out."
    )
    await login.change_password(view.request, response, password)
    return response


@router.post("/tokens")
async def make_token(
    view: AdminView,
    name: FormText = "",
    right: FormText = "",
    instances: Annotated[tuple[str, ...], Form()] = (),
) -> HTMLResponse:
    """Create a token. The response shows it itself: a redirect would have to carry it."""
    new = _new_token(view, name, right, instances)
    try:
        token, _ = await create_token(view.context.store, new, now=view.context.clock())
    except (TokenNameTaken, TokenNameReserved) as error:
        return await _page(view, status=409, problem=error.code)
    return await _page(view, token=token)


@router.post("/tokens/revoke")
async def revoke_token(view: AdminView, name: FormText = "") -> Response:
    """Revoke a token."""
    await view.context.store.access.tokens.revoke(name, now=view.context.clock())
    return view.redirect_with_message(_HERE, "API token {name} revoked.", name=name)


def _new_token(view: View, name: str, right: str, instances: tuple[str, ...]) -> NewToken:
    known = {permission.name.lower(): permission for permission in Permission}
    if not name.strip() or right not in known or not set(instances) <= set(view.all_names):
        raise BadRequest("a token needs a name, a permission and existing instances")
    return NewToken(name.strip(), known[right], frozenset(instances) or None)


async def _page(view: View, *, status: int = 200, **values: object) -> HTMLResponse:
    access = view.context.store.access
    tokens = [token for token in await access.tokens.list() if token.revoked_at is None]
    defaults: dict[str, object] = {
        "sessions": await access.sessions.list_for_account(ADMIN, now=view.context.clock()),
        "parse_user_agent": parse_user_agent,
        "tokens": tokens,
        "has_password": await access.get_password_hash() is not None,
        "shortest": MIN_PASSWORD_LENGTH,
        "rights": [permission.name.lower() for permission in Permission],
        "problem": "",
        "minutes": 0,
        "token": "",
    }
    return await view.page("access/account.html", status=status, **(defaults | values))


def _find(names: tuple[tuple[str, str], ...], header: str) -> str:
    return next((name for name, pattern in names if re.search(pattern, header)), "")
