"""Replies of Paperless: JSON, plain text, pages; and the refusals that views raise."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

JSON = "application/json"
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply, ready to be sent."""

    status: int = 200
    content: bytes = b""
    content_type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)


class Refused(Exception):
    """The request is refused. A text body is sent as it is, any other as JSON."""

    def __init__(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body
        self.headers = headers or {}


class Crashed(Exception):
    """Paperless itself fails; earlier writes of the request stay."""


def json_reply(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return Reply(status, content, JSON, headers or {})


def text_reply(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a reply of plain text, which Paperless labels as HTML."""
    return Reply(status, text.encode(), HTML, headers or {})


def page(title: str, status: int) -> Reply:
    body = f"<!doctype html>\n<html><head><title>{title}</title></head>\n<h1>{title}</h1></html>\n"
    return text_reply(body, status)


def not_permitted() -> Refused:
    return Refused(403, {"detail": "You do not have permission to perform this action."})


def not_permitted_text() -> Refused:
    """Return the refusal of some views: 403 with plain text where JSON is expected."""
    return Refused(403, "Insufficient permissions")


def not_found(what: str) -> Refused:
    return Refused(404, {"detail": f"No {what} matches the given query."})


def not_imitated(what: str) -> Refused:
    """Return the refusal of a request that the sandbox does not imitate."""
    return Refused(501, f"The sandbox does not imitate {what}.")
