"""The two releases of Paperless that the sandbox imitates, and their API versions."""

import re
from dataclasses import dataclass

from sandbox.paperless.replies import Refused


@dataclass(frozen=True, slots=True)
class Release:
    """One release of Paperless-ngx."""

    version: str
    oldest_api: int
    newest_api: int

    @property
    def is_v3(self) -> bool:
        return self.newest_api >= 10


V2 = Release("2.20.15", oldest_api=1, newest_api=9)
V3 = Release("3.0.5", oldest_api=9, newest_api=10)
RELEASES = {"2": V2, "3": V3, V2.version: V2, V3.version: V3}

_HTML = ("text/html", "text/*")
_JSON = ("application/json", "application/*", "*/*")


@dataclass(frozen=True, slots=True)
class Negotiated:
    """The result of an Accept header."""

    api: int
    wants_html: bool
    """True for a browser, which gets the same content as an HTML page."""


def negotiate(accept: str, release: Release) -> Negotiated:
    """Return API version and format, or refuse with 406, before the token is checked."""
    ranges = sorted((_parse(part) for part in accept.split(",")), key=_specificity)
    for media_type, version in ranges:
        if media_type in _HTML + _JSON:
            return Negotiated(_api_version(version, release), media_type in _HTML)
    raise Refused(406, {"detail": "Could not satisfy the request Accept header."})


def _parse(part: str) -> tuple[str, str | None]:
    media_type, *parameters = part.split(";")
    version = re.search(r"version=([^;,\s]+)", ";".join(parameters))
    return media_type.strip().lower() or "*/*", version[1] if version else None


def _specificity(parsed: tuple[str, str | None]) -> int:
    return parsed[0].count("*")


def _api_version(asked: str | None, release: Release) -> int:
    if asked is None:
        return release.newest_api
    if asked.isdecimal() and release.oldest_api <= int(asked) <= release.newest_api:
        return int(asked)
    raise Refused(406, {"detail": 'Invalid version in "Accept" header.'})
