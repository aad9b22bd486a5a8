"""What a request may end with instead of an answer.

PaperclerkError
└── WebError            has a status beside its code
    ├── NotLoggedIn     nobody that is known: log in, or send a token
    ├── NotAllowed      known, but without the right
    │   ├── ForeignPage     the request was not sent by a page of ours
    │   ├── WrongPassword
    │   └── LinkUseless     the one-time link is used up or too old: ask for another
    ├── TooManyTries    the password was tried too often: wait
    ├── NotFound        there is no such thing, or it is not for these eyes
    ├── Gone            there was, until retention took it
    └── BadRequest      what was sent makes no sense
"""

from collections.abc import Mapping
from datetime import timedelta
from math import ceil
from typing import Any

from actions.decisions import BadValue
from actions.errors import (
    AllInstancesRequired,
    InstanceUnknown,
    InvalidRequest,
    NothingToAsk,
    NothingToReview,
    NothingToUndo,
)
from core.errors import PaperclerkError
from paperless_client import DocumentGone, OutageSuspected, PaperlessError
from store import JobDeleted, NotFound, Refused, StoreUnavailable


class WebError(PaperclerkError):
    """An answer that says why there is none."""

    status = 500


class NotLoggedIn(WebError):
    """Nobody that is known asks."""

    status = 401
    code = "not_logged_in"
    user_message = "Please log in."

    def __init__(self) -> None:
        super().__init__("log in, or send an API token as `Authorization: Bearer ...`")


class NotAllowed(WebError):
    """The person is known and may not do this."""

    status = 403
    code = "not_allowed"
    user_message = "You do not have permission to do this."


class ForeignPage(NotAllowed):
    """The request was not sent by a page of ours, or by one that is out of date."""

    code = "foreign_page"
    user_message = "The page that sent this is out of date."
    hint = "Reload the page."


class WrongPassword(NotAllowed):
    """It is not the password."""

    code = "wrong_password"
    user_message = "Wrong password."

    def __init__(self) -> None:
        super().__init__("that is not the password")


class LinkUseless(NotAllowed):
    """The one-time link was used, is too old, or was never one."""

    code = "link_useless"
    user_message = "This link has been used or has expired."
    hint = "Get a new one: paperclerk user link."

    def __init__(self) -> None:
        super().__init__("this link is used up or too old; `paperclerk user link` gives another")


class TooManyTries(WebError):
    """The password was tried too often, from one address or from many."""

    status = 429
    code = "too_many_tries"
    user_message = "Too many failed logins. Please wait."

    def __init__(self, wait: timedelta) -> None:
        self.minutes = max(1, ceil(wait / timedelta(minutes=1)))
        self.seconds = max(1, ceil(wait.total_seconds()))
        super().__init__(f"too many tries; the next one is possible in {self.minutes} min")


class PageNotFound(WebError):
    """There is no such thing, or it belongs to an instance that the person may not see."""

    status = 404
    code = "not_found"
    user_message = "Not found."


class Gone(WebError):
    """There was such a thing, and retention took it."""

    status = 410
    code = "gone"
    user_message = "This has been deleted because of its age."


class BadRequest(WebError):
    """What was sent makes no sense."""

    status = 400
    code = "bad_request"
    user_message = "The request is not valid."


_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (JobDeleted, 410),
    (NotFound, 404),
    (InstanceUnknown, 404),
    (AllInstancesRequired, 403),
    (NothingToReview, 404),
    (NothingToAsk, 404),
    (DocumentGone, 404),
    (NothingToUndo, 409),
    (Refused, 409),
    (InvalidRequest, 422),
    (BadValue, 422),
    (StoreUnavailable, 503),
    (OutageSuspected, 502),
    (PaperlessError, 502),
)
"""The first that fits decides: a special kind stands before the one it is of."""

OTHERWISE = 409
"""What was asked for cannot be done as things are."""


def status_of(error: PaperclerkError | PaperlessError) -> int:
    """Return the status that tells a program what to do about an error."""
    if isinstance(error, WebError):
        return error.status
    fits = (status for kind, status in _STATUSES if isinstance(error, kind))
    return next(fits, OTHERWISE)


_HOW = "send JSON, with `Content-Type: application/json`"
UNREADABLE = f"the body cannot be read: {_HOW}, in UTF-8"


def describe_fault(fault: Mapping[str, Any]) -> str:
    """Tell of one fault that the framework found, with where it is.

    What it says itself of a body as a whole would not help: it speaks of dictionaries where
    nothing was sent, or where it took JSON for bytes.
    """
    match fault:
        case {"type": "json_invalid", "loc": (_, int(position)), "ctx": {"error": str(said)}}:
            return f"the body is no JSON: {said} at character {position + 1}"
        case {"type": "missing", "loc": ("body",)}:
            return f"the body is missing: {_HOW}"
        case {"loc": ("body",), "input": bytes()}:
            return f"the body was not sent as JSON: {_HOW}"
        case {"loc": ("body",)}:
            return "the body is no JSON object, such as {...}"
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {fault['msg']}"
