"""Render pages in the browser's language, redirect with a flash message, build URLs."""

import hashlib
import re
from collections.abc import Callable
from datetime import tzinfo
from functools import cache
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, unquote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from core.calendar import Clock
from dashboard.auth.origin import is_secure
from i18n import LANGUAGES, Translator, choose_language, get_translator
from i18n.labels import Labels

STATIC = Path(__file__).parent / "static"
THEMES = ("light", "dark")
FIRST_PAGE = "/"

_CONTROLS = re.compile(r"[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Control characters, and those that change the direction of all text after them."""
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\((https://[^)\s]+)\)")
_FLASH_COOKIE = "flash"
_MAX_FLASH_LENGTH = 500
REFUSED = "!"
"""Prefix of a flash message about something that was not done."""


def _strip_controls(value: object) -> object:
    """Remove control characters from a value: they would change the text around it."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _CONTROLS.sub("", value)
    return value


def format_code(text: str) -> Markup:
    """Format text in backticks, and the targets of links, as code; escape the rest.

    No link is made: the text may quote a document or a model.
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
    """The part of the app context that rendering needs."""

    @property
    def clock(self) -> Clock: ...
    @property
    def zone(self) -> tzinfo: ...
    @property
    def version(self) -> str: ...


def translator_for(request: Request, around: RenderContext) -> Translator:
    """Return the translator for the language of the browser."""
    accepted = request.headers.get("accept-language", "")
    language = choose_language(request.cookies.get("language"), accepted)
    return get_translator(language, zone=around.zone, now=around.clock())


def render(
    request: Request, around: RenderContext, template: str, *, status: int = 200, **values: object
) -> HTMLResponse:
    """Render a template in the language of the browser; every value is escaped."""
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
        "flash": unquote(request.cookies.get(_FLASH_COOKIE, ""))[:_MAX_FLASH_LENGTH],
        "version": around.version,
        "person": None,
        "for_review": 0,
        "unread": None,
        "is_part": request.headers.get("hx-request") == "true",
    }
    response = HTMLResponse(
        _templates.get_template(template).render(context | values), status_code=status
    )
    response.headers["vary"] = "Cookie, Accept-Language, HX-Request"
    if _FLASH_COOKIE in request.cookies:
        # A flash message is shown once.
        response.delete_cookie(_FLASH_COOKIE, path=cookie_path(request))
    return response


def url_builder(request: Request) -> Callable[..., str]:
    """Return a function that builds the address of a path within the dashboard."""

    def url(path: str, **query: object) -> str:
        given = {name: str(value) for name, value in query.items() if value not in {None, ""}}
        return address_in(request, path, **given)

    return url


def path_of(request: Request) -> str:
    """Return the path of this page, without the base path."""
    return path_within(request).partition("?")[0]


def _static_of(request: Request) -> Callable[[str], str]:
    url = url_builder(request)
    return lambda name: url(f"/static/{name}", v=_hash_file(name))


@cache
def _hash_file(name: str) -> str:
    """Return a hash of a static file, so that browsers may cache it for ever."""
    return hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]


def _theme(request: Request) -> str:
    theme = request.cookies.get("theme", "")
    return theme if theme in THEMES else ""


def redirect(request: Request, to: str, flash: str = "") -> RedirectResponse:
    """Redirect to a page that shows a flash message."""
    response = RedirectResponse(to, status_code=303)
    if flash:
        response.set_cookie(
            _FLASH_COOKIE,
            quote(flash[:_MAX_FLASH_LENGTH]),
            max_age=60,
            path=cookie_path(request),
            secure=is_secure(request),
            httponly=True,
            samesite="lax",
        )
    return response


def cookie_path(request: Request) -> str:
    """Return the path to which the dashboard's cookies are limited."""
    root: str = request.scope.get("root_path", "")
    return root or "/"


def local_path(path: str) -> str:
    """Return the path if it is within the dashboard, else the first page: no open redirects."""
    is_local = path.startswith("/") and not path.startswith(("//", "/\\"))
    # A browser drops tabs and line ends, and "/\t/elsewhere" would become another host.
    return path if is_local and path.isprintable() else FIRST_PAGE


def path_within(request: Request) -> str:
    """Return the request's path and query, relative to the dashboard's root."""
    root: str = request.scope.get("root_path", "")
    path = request.url.path.removeprefix(root) or FIRST_PAGE
    return f"{path}?{request.url.query}" if request.url.query else path


def address_in(request: Request, path: str, **query: str) -> str:
    """Return the address of a path of the dashboard, as the browser requests it."""
    root: str = request.scope.get("root_path", "")
    encoded = f"?{urlencode(query)}" if query else ""
    return f"{root}{path}{encoded}"


def login_address(request: Request, next_page: str) -> str:
    """Return the address of the login page, which then redirects to `next_page`."""
    query = {} if next_page == FIRST_PAGE else {"next": next_page}
    return address_in(request, "/login", **query)
