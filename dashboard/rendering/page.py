"""Turn a template and values into a page, in the language of who looks at it."""

import hashlib
import re
from collections.abc import Callable
from datetime import tzinfo
from functools import cache
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, unquote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from core.clock import Clock
from dashboard.auth.csrf import address_in, path_within
from dashboard.auth.proxies import is_secure
from i18n import LANGUAGES, Translator, choose_language, get_translator
from i18n.labels import Labels

STATIC = Path(__file__).parent.parent / "static"
THEMES = ("light", "dark")

_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""What turns the direction of writing round, also of our own words after it; and controls."""


def _strip_controls(value: object) -> object:
    """Give what a template puts into a page, without what would change the text around it."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _TURNS.sub("", value)
    return value


_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\((https://[^)\s]+)\)")


def format_code(text: str) -> Markup:
    """Show what stands in backticks, and where a link leads, as code; the rest is escaped as ever.

    No link comes of it: the text may hold what others said.
    """
    plain = _LINK.sub(r"\1 (`\2`)", str(_strip_controls(text)))
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(plain))))  # noqa: S704 - escaped


_templates = Environment(
    loader=PackageLoader("dashboard"),
    autoescape=True,
    finalize=_strip_controls,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


_templates.filters["coded"] = format_code


class RenderContext(Protocol):
    """What a page knows of where it is rendered."""

    @property
    def clock(self) -> Clock: ...
    @property
    def zone(self) -> tzinfo: ...
    @property
    def version(self) -> str: ...


def translator_for(request: Request, around: RenderContext) -> Translator:
    """Return the speech of who asks."""
    accepted = request.headers.get("accept-language", "")
    language = choose_language(request.cookies.get("language"), accepted)
    return get_translator(language, zone=around.zone, now=around.clock())


def render(
    request: Request, around: RenderContext, template: str, *, status: int = 200, **values: object
) -> HTMLResponse:
    """Render a template for who asks. Every value is escaped; none may bring markup along."""
    translator = translator_for(request, around)
    context = {
        "_": translator.text,
        "_n": translator.plural,
        "translator": translator,
        "labels": Labels(translator),
        "url": url_builder(request),
        "static": _static_of(request),
        "path": path_of(request),
        "here": path_within(request),
        "languages": LANGUAGES,
        "theme": _theme(request),
        "flash": flash_of(request),
        "version": around.version,
        "person": None,
        "for_review": 0,
        "is_part": request.headers.get("hx-request") == "true",
    }
    response = HTMLResponse(
        _templates.get_template(template).render(context | values), status_code=status
    )
    response.headers["vary"] = "Cookie, Accept-Language, HX-Request"
    forget_flash(request, response)
    return response


def url_builder(request: Request) -> Callable[..., str]:
    """Return what turns a path of ours into one that a browser can ask for."""

    def url(path: str, **query: object) -> str:
        said = {name: str(value) for name, value in query.items() if value not in {None, ""}}
        return address_in(request, path, **said)

    return url


def path_of(request: Request) -> str:
    """Return the path of this page, without what a proxy puts before it."""
    return path_within(request).partition("?")[0]


def _static_of(request: Request) -> Callable[[str], str]:
    url = url_builder(request)
    return lambda name: url(f"/static/{name}", v=_mark(name))


@cache
def _mark(name: str) -> str:
    """Return what changes when a file does, so that browsers may keep it for ever."""
    return hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]


def _theme(request: Request) -> str:
    said = request.cookies.get("theme", "")
    return said if said in THEMES else ""


_COOKIE = "flash"
_LONGEST = 500
REFUSED = "!"
"""A sentence that begins so says why something was not done."""


def redirect(request: Request, to: str, said: str = "") -> RedirectResponse:
    """Send the browser to a page of ours, which shows what is said."""
    response = RedirectResponse(to, status_code=303)
    if said:
        response.set_cookie(
            _COOKIE,
            quote(said[:_LONGEST]),
            max_age=60,
            path=_path(request),
            secure=is_secure(request),
            httponly=True,
            samesite="lax",
        )
    return response


def flash_of(request: Request) -> str:
    return unquote(request.cookies.get(_COOKIE, ""))[:_LONGEST]


def forget_flash(request: Request, response: Response) -> None:
    """Show it once."""
    if _COOKIE in request.cookies:
        response.delete_cookie(_COOKIE, path=_path(request))


def _path(request: Request) -> str:
    root: str = request.scope.get("root_path", "")
    return root or "/"
