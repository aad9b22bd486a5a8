"""One call of the API, as the views see it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, QueryParams

from sandbox.paperless.records import User
from sandbox.paperless.replies import Refused, Reply
from sandbox.paperless.world import World


@dataclass(frozen=True, slots=True)
class Call:
    """A request of an authenticated user, with the negotiated API version."""

    world: World
    user: User
    method: str
    path: str
    key: str
    """The variable part of the path, such as a document's id; "" if there is none."""
    query: QueryParams
    headers: Headers
    body: bytes
    api: int

    @property
    def address(self) -> str:
        """The address as the caller wrote it: Paperless trusts the Host header."""
        return f"http://{self.headers.get('host', 'localhost')}{self.path}"

    @property
    def id(self) -> int:
        """The id in the path; raise Refused if it is not a number."""
        if not self.key.isdecimal():
            raise Refused(404, {"detail": "Not found."})
        return int(self.key)

    def data(self) -> Mapping[str, object]:
        """Parse the body; raise Refused if it is invalid."""
        parsed = self._parsed()
        if not isinstance(parsed, dict):
            kind = type(parsed).__name__
            message = f"Invalid data. Expected a dictionary, but got {kind}."
            raise Refused(400, {"non_field_errors": [message]})
        return parsed

    def _parsed(self) -> object:
        content_type = self.headers.get("content-type", "").split(";")[0].strip()
        if not self.body:
            return {}
        if content_type == "application/x-www-form-urlencoded":
            return dict(parse_qsl(self.body.decode(), keep_blank_values=True))
        if content_type != "application/json":
            raise Refused(415, {"detail": f'Unsupported media type "{content_type}" in request.'})
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise Refused(400, {"detail": f"JSON parse error - {error}"}) from error


View = Callable[[Call], Reply]
