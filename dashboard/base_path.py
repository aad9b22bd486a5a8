"""Serve below a path, whether the proxy in front passes it on or strips it."""

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class BasePath:
    """Tells the app below which path it is seen, so that its links and files are found there.

    Some proxies pass `/clerk/review` on as it is, others as `/review`: both are the same page. So
    is `/clerk/review/`. The framework would send the browser on from there to an address that
    begins with what it takes for our own host and scheme, and behind a proxy they are others.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self.app = app
        self._base_path = base_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
        elif self._base_path and scope["path"] == self._base_path:
            await RedirectResponse(self._first_page(scope))(scope, receive, send)
        else:
            seen = self._seen(scope["path"])
            changed = {"root_path": self._base_path, "path": seen, "raw_path": seen.encode()}
            await self.app({**scope, **changed}, receive, send)

    def _seen(self, path: str) -> str:
        """Return a path as the browser has it, without slashes at its end."""
        within = path.removeprefix(self._base_path) if self._is_passed_on(path) else path
        return f"{self._base_path}{within.rstrip('/') or '/'}"

    def _is_passed_on(self, path: str) -> bool:
        return path.startswith(f"{self._base_path}/")

    def _first_page(self, scope: Scope) -> str:
        query: str = scope["query_string"].decode("latin-1")
        return f"{self._base_path}/?{query}" if query else f"{self._base_path}/"
