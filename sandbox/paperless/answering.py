"""From a request to its reply, in the order in which Paperless decides."""

from urllib.parse import quote

from starlette.datastructures import Headers, QueryParams
from starlette.types import Scope

from sandbox.layers import note
from sandbox.paperless.auth import ANONYMOUS, authenticate, require
from sandbox.paperless.calls import Call, View
from sandbox.paperless.permissions import check_method
from sandbox.paperless.records import User
from sandbox.paperless.releases import Negotiated, negotiate
from sandbox.paperless.replies import Crashed, Refused, Reply, json_reply, page, text_reply
from sandbox.paperless.routes import Endpoint, endpoint_for
from sandbox.paperless.translations import translated
from sandbox.paperless.world import World

_LOGIN = "/accounts/login/"
_SAFE = ("GET", "HEAD", "OPTIONS")


def answer(world: World, scope: Scope, body: bytes) -> Reply:
    """Answer one request: host, path, Accept, token, permission, method, view."""
    headers = Headers(scope=scope)
    if _is_foreign(world, headers.get("host", "")):
        return page("Bad Request (400)", 400)
    if scope["path"] == "/api/":
        return Reply(302, headers={"location": "schema/view/"})
    found = endpoint_for(scope["path"])
    if found is None:
        return _nowhere(scope)
    try:
        negotiated = negotiate(headers.get("accept", "*/*"), world.release)
        user = authenticate(world, headers.get("authorization"))
    except Refused as refused:
        return _refusal(refused, headers)
    note(scope, "user", user.username if user else "")
    endpoint, key = found
    call = Call(
        world=world,
        user=user or ANONYMOUS,
        method=scope["method"],
        path=scope["path"],
        key=key,
        query=QueryParams(scope["query_string"]),
        headers=headers,
        body=body,
        api=negotiated.api,
    )
    reply = _view_reply(endpoint, call, user)
    return _dressed(reply, call, negotiated, user)


def _is_foreign(world: World, host: str) -> bool:
    allowed = world.allowed_hosts
    return allowed is not None and host.rsplit(":", 1)[0] not in allowed | {"localhost"}


def _nowhere(scope: Scope) -> Reply:
    """Return the reply for an unknown path: a page of the web interface, never a 404."""
    if scope["method"] not in _SAFE:
        return page("403 Forbidden", 403)
    if scope["path"] == _LOGIN:
        return page("This fake Paperless needs no login: its documents are at /documents.", 200)
    query = scope["query_string"].decode()
    wanted = scope["path"] + (f"?{query}" if query else "")
    return Reply(302, headers={"location": f"{_LOGIN}?next={quote(wanted)}"})


def _view_reply(endpoint: Endpoint, call: Call, user: User | None) -> Reply:
    try:
        if not endpoint.is_open:
            require(user)
        if endpoint.codename is not None:
            check_method(call.user, call.method, endpoint.codename)
        return _view(endpoint, call.method)(call)
    except Refused as refused:
        return _refusal(refused, call.headers)
    except Crashed:
        return page("Server Error (500)", 500)


def _view(endpoint: Endpoint, method: str) -> View:
    view = endpoint.views.get("GET" if method == "HEAD" else method)
    if view is None:
        detail = {"detail": f'Method "{method}" not allowed.'}
        raise Refused(405, detail, {"allow": endpoint.allowed})
    return view


def _refusal(refused: Refused, headers: Headers) -> Reply:
    body = translated(refused.body, headers.get("accept-language", ""))
    if isinstance(body, str):
        return text_reply(body, refused.status, refused.headers)
    return json_reply(body, refused.status, refused.headers)


def _dressed(reply: Reply, call: Call, negotiated: Negotiated, user: User | None) -> Reply:
    """Add the version headers for authenticated callers; build an HTML page for a browser."""
    if user is None:
        return reply
    release = call.world.release
    versions = {"x-api-version": str(release.newest_api), "x-version": release.version}
    headers = {**reply.headers, **versions}
    if negotiated.wants_html and reply.content_type == "application/json":
        content = b"<!DOCTYPE html><html><body><pre>" + reply.content + b"</pre></body></html>"
        return Reply(reply.status, content, "text/html; charset=utf-8", headers)
    return Reply(reply.status, reply.content, reply.content_type, headers)
