"""Authentication: tokens, passwords, and the ways in which they are refused."""

import base64
import binascii
from datetime import timedelta

from sandbox.paperless.calls import Call
from sandbox.paperless.records import User
from sandbox.paperless.replies import Refused, Reply, json_reply
from sandbox.paperless.world import World

ANONYMOUS = User(0, "", "", "", set(), is_active=False)

_MISSING = "Authentication credentials were not provided."
_MINUTE = timedelta(minutes=1)
_TOKENS_A_MINUTE = 5


def authenticate(world: World, header: str | None) -> User | None:
    """Return the user of an Authorization header; None without one or with an unknown scheme."""
    scheme, _, rest = (header or "").partition(" ")
    match scheme.lower():
        case "token":
            return _active(_by_token(world, rest.strip()))
        case "basic":
            return _active(_by_password(world, rest.strip()))
        case _:
            return None


def require(user: User | None) -> User:
    if user is None:
        raise _unauthorized(_MISSING)
    return user


def issue_token(call: Call) -> Reply:
    """Exchange a password for a token; v3 counts the tries."""
    _throttle(call.world)
    data = call.data()
    missing = {
        key: ["This field is required."] for key in ("username", "password") if key not in data
    }
    if missing:
        raise Refused(400, missing)
    user = call.world.users.get(str(data["username"]))
    if user is None or not user.is_active or user.password != data["password"]:
        raise _login_refused("Unable to log in with provided credentials.")
    # These two are not recorded: they follow the source of Paperless, which does not translate
    # them.
    if user.mfa_code and not data.get("code"):
        raise _login_refused("MFA code is required")
    if user.mfa_code and user.mfa_code != data["code"]:
        raise _login_refused("Invalid MFA code")
    return json_reply({"token": user.token})


def _login_refused(reason: str) -> Refused:
    return Refused(400, {"non_field_errors": [reason]})


def _by_token(world: World, token: str) -> User:
    if not token:
        raise _unauthorized("Invalid token header. No credentials provided.")
    if " " in token:
        raise _unauthorized("Invalid token header. Token string should not contain spaces.")
    for user in world.users.values():
        if user.token == token:
            return user
    raise _unauthorized("Invalid token.")


def _by_password(world: World, credentials: str) -> User:
    try:
        username, _, password = base64.b64decode(credentials).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        username, password = "", ""
    user = world.users.get(username)
    if user is None or user.password != password:
        raise _unauthorized("Invalid username/password.", 'Basic realm="api"')
    return user


def _active(user: User) -> User:
    if not user.is_active:
        raise _unauthorized("User inactive or deleted.")
    return user


def _unauthorized(detail: str, challenge: str = "Token") -> Refused:
    return Refused(401, {"detail": detail}, {"www-authenticate": challenge})


def _throttle(world: World) -> None:
    if not world.release.is_v3:
        return
    now = world.now()
    recent = [moment for moment in world.token_requests if now - moment < _MINUTE]
    if len(recent) >= _TOKENS_A_MINUTE:
        wait = int((recent[0] + _MINUTE - now).total_seconds()) + 1
        detail = f"Request was throttled. Expected available in {wait} seconds."
        raise Refused(429, {"detail": detail}, {"retry-after": str(wait)})
    world.token_requests = [*recent, now]
