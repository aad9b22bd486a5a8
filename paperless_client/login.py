"""Recognize a Paperless without credentials, and exchange a password for a token."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import httpx
from pydantic import BaseModel, Field, ValidationError

from core.messages import message
from paperless_client.decoding import (
    ENCODING,
    BodyTooLarge,
    describe_response,
    is_from_paperless,
    parse_retry_after,
    read_body,
    with_body,
)
from paperless_client.errors import (
    CertificateUntrusted,
    LoginRefused,
    MfaCodeRefused,
    MfaCodeRequired,
    NotPaperless,
    PaperlessUnavailable,
)
from paperless_client.transport import api_root, is_certificate_error

# The answers have no code. Paperless does not translate these two.
_MFA_ERRORS: Final = {"MFA code is required": MfaCodeRequired, "Invalid MFA code": MfaCodeRefused}
_REACH: Final = message("reach Paperless")
_LOG_IN: Final = message("log in to Paperless")


@dataclass(frozen=True, slots=True)
class Login:
    """What a person enters on the login page of Paperless."""

    username: str
    password: str = field(repr=False)
    mfa_code: str = field(default="", repr=False)


class _Issued(BaseModel):
    """The response to a successful login."""

    token: str = Field(min_length=1)


class _Refused(BaseModel):
    """The response to a refused login."""

    non_field_errors: list[str] = []


async def require_paperless(url: str, http: httpx.AsyncClient) -> None:
    """Check that a Paperless responds at the address, without sending credentials.

    Raise NotPaperless if something else responds, and PaperlessUnavailable if nothing does.
    """
    target = f"{api_root(url)}documents/?id=0&page_size=1"
    response = await _send(http.build_request("GET", target, headers=_headers()), http)
    if response.status_code >= 500:
        raise PaperlessUnavailable(_REACH, describe_response(response), status=response.status_code)
    # A Paperless that logs in everyone by itself answers with its version instead.
    if not _asks_for_token(response) and not is_from_paperless(response):
        raise NotPaperless(_REACH, describe_response(response), status=response.status_code)


async def request_token(url: str, login: Login, http: httpx.AsyncClient, *, now: datetime) -> str:
    """Return the API token of a user; raise LoginRefused if the login is wrong or incomplete."""
    body = {"username": login.username, "password": login.password}
    if login.mfa_code:
        body["code"] = login.mfa_code
    request = http.build_request("POST", f"{api_root(url)}token/", json=body, headers=_headers())
    response = await _send(request, http)
    status, said = response.status_code, describe_response(response)
    if status == 429 or status >= 500:
        wait = parse_retry_after(response.headers.get("retry-after", ""), now=now)
        raise PaperlessUnavailable(_LOG_IN, said, status=status, retry_after=wait)
    try:
        if status == 200:
            return _Issued.model_validate_json(response.content).token
        if status == 400:
            reasons = _Refused.model_validate_json(response.content).non_field_errors
            kinds = (_MFA_ERRORS[reason] for reason in reasons if reason in _MFA_ERRORS)
            raise next(kinds, LoginRefused)(said, status=status)
    except ValidationError as error:
        raise NotPaperless(_LOG_IN, said, status=status) from error
    raise NotPaperless(_LOG_IN, said, status=status)


def _headers() -> dict[str, str]:
    return {"Accept": "application/json", "Accept-Encoding": ENCODING}


def _asks_for_token(response: httpx.Response) -> bool:
    challenge = response.headers.get("www-authenticate", "")
    return response.status_code == 401 and challenge.lower().startswith("token")


async def _send(request: httpx.Request, http: httpx.AsyncClient) -> httpx.Response:
    """Send a request; a redirect is not followed, because it could lead to another host."""
    try:
        response = await http.send(request, stream=True, follow_redirects=False)
        try:
            return await read_body(response)
        except BodyTooLarge:
            return with_body(response, b"")
        finally:
            await response.aclose()
    except httpx.HTTPError as error:
        kind = CertificateUntrusted if is_certificate_error(error) else PaperlessUnavailable
        why = f"{type(error).__name__}: {error}".rstrip(": ")
        address = str(request.url.copy_with(query=None))
        answer = message("no answer from {address} ({why})", address=address, why=why)
        raise kind(_REACH, answer) from error
