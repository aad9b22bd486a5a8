"""What a request may end with instead of an answer.

PaperclerkError
└── WebError            has a status beside its code
    ├── NotLoggedIn     nobody that is known: log in, or send a token
    ├── NotAllowed      known, but without the right
    ├── NotFound        there is no such thing, or it is not for these eyes
    ├── Gone            there was, until retention took it
    └── BadRequest      what was sent makes no sense
"""

from core.errors import PaperclerkError


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
    user_message = "You may not do this."


class NotFound(WebError):
    """There is no such thing, or it belongs to an instance that the person may not see."""

    status = 404
    code = "not_found"
    user_message = "There is no such thing."


class Gone(WebError):
    """There was such a thing, and retention took it."""

    status = 410
    code = "gone"
    user_message = "This was deleted because it was old."


class BadRequest(WebError):
    """What was sent makes no sense."""

    status = 400
    code = "bad_request"
    user_message = "This makes no sense."
