"""Errors of requests, and the HTTP status of every error.

PaperclerkError
└── WebError            has a status beside its code
    ├── NotLoggedIn     not authenticated: log in, or send a token
    ├── NotAllowed      authenticated, but without the permission
    │   ├── ForeignPage     the request was not sent by a page of the dashboard
    │   ├── WrongPassword
    │   ├── LinkUseless     the one-time link was used or has expired: create another
    │   └── WebhookRefused  a webhook without the secret of its instance: install it again
    ├── TooManyTries    too many wrong passwords: wait
    ├── TooManyRequests too many requests to other servers: wait
    ├── TooManyWebhooks too many webhooks of one instance: the next scan finds the documents
    ├── PageNotFound    it does not exist, or the person may not see it
    └── BadRequest      the request is invalid
"""

from datetime import timedelta
from math import ceil

from actions.decisions import BadValue
from actions.errors import (
    AllInstancesRequired,
    ConsentRequired,
    InstanceUnknown,
    InvalidRequest,
    NothingToAsk,
    NothingToReview,
    NothingToUndo,
)
from actions.own_values import NewNamesUnconfirmed
from core.errors import PaperclerkError
from paperless_client import DocumentGone, OutageSuspected, PaperlessError
from store import JobDeleted, NotFound, Refused, ResultDeleted, StoreUnavailable


class WebError(PaperclerkError):
    """An error with an HTTP status."""

    status = 500


class NotLoggedIn(WebError):
    """The request is not authenticated."""

    status = 401
    code = "not_logged_in"
    user_message = "Please log in."

    def __init__(self) -> None:
        super().__init__("log in, or send an API token as `Authorization: Bearer ...`")


class NotAllowed(WebError):
    """The person lacks the permission."""

    status = 403
    code = "not_allowed"
    user_message = "You do not have permission to do this."


class ForeignPage(NotAllowed):
    """The request was sent by a page of another site, or by an outdated page."""

    code = "foreign_page"
    user_message = "The page that sent this is out of date."
    hint = "Reload the page."


class WrongPassword(NotAllowed):
    """The password is wrong."""

    code = "wrong_password"
    user_message = "Wrong password."

    def __init__(self) -> None:
        super().__init__("that is not the password")


class LinkUseless(NotAllowed):
    """The one-time link was used, has expired, or never existed."""

    code = "link_useless"
    user_message = "This link has been used or has expired."
    hint = "To get a new link, run `paperclerk user link`."

    def __init__(self) -> None:
        super().__init__("this link is used up or too old; `paperclerk user link` gives another")


class WebhookRefused(NotAllowed):
    """A webhook lacks the secret of its instance, or the instance has no webhook."""

    code = "webhook_refused"
    user_message = "The webhook was refused."

    def __init__(self) -> None:
        super().__init__("this is not the secret of a webhook; `paperclerk webhook install`")


class TooManyWebhooks(WebError):
    """Paperless sends more webhooks for an instance than are accepted."""

    status = 429
    code = "too_many_webhooks"
    user_message = "Too many webhooks. The next scan finds the documents."

    def __init__(self, instance: str) -> None:
        super().__init__(f"too many webhooks for {instance}; the next scan finds the documents")


class TooManyTries(WebError):
    """Too many wrong passwords, from one address or from many."""

    status = 429
    code = "too_many_tries"
    user_message = "Too many failed logins. Please wait."

    def __init__(self, wait: timedelta) -> None:
        self.minutes = max(1, ceil(wait / timedelta(minutes=1)))
        self.seconds = max(1, ceil(wait.total_seconds()))
        super().__init__(f"too many tries; the next one is possible in {self.minutes} min")


class TooManyRequests(WebError):
    """Too many requests to other servers within a short time."""

    status = 429
    code = "too_many_requests"
    user_message = "Too many attempts. Please wait a few minutes."

    def __init__(self, wait: timedelta) -> None:
        super().__init__(
            f"too many requests; the next one is possible in {ceil(wait.total_seconds())} s"
        )


class PageNotFound(WebError):
    """It does not exist, or belongs to an instance that the person may not see."""

    status = 404
    code = "not_found"
    user_message = "Not found."


class BadRequest(WebError):
    """The request is invalid."""

    status = 400
    code = "bad_request"
    user_message = "The request is not valid."


_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (JobDeleted, 410),
    (ResultDeleted, 410),
    (NotFound, 404),
    (InstanceUnknown, 404),
    (AllInstancesRequired, 403),
    (NothingToReview, 404),
    (NothingToAsk, 404),
    (DocumentGone, 404),
    (NothingToUndo, 409),
    (ConsentRequired, 409),
    (NewNamesUnconfirmed, 409),
    (Refused, 409),
    (InvalidRequest, 422),
    (BadValue, 422),
    (StoreUnavailable, 503),
    (OutageSuspected, 502),
    (PaperlessError, 502),
)
"""The first match decides: a subclass stands before its base."""

OTHERWISE = 409
"""Status of every other error: the request conflicts with the present state."""


def status_of(error: PaperclerkError | PaperlessError) -> int:
    """Return the HTTP status of an error."""
    if isinstance(error, WebError):
        return error.status
    matching = (status for kind, status in _STATUSES if isinstance(error, kind))
    return next(matching, OTHERWISE)
