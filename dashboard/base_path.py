"""Serve below a path, whether the proxy in front passes it on or strips it."""

from starlette.types import ASGIApp, Receive, Scope, Send


class BasePath:
    """Tells the app below which path it is seen, so that its links and files are found there.

    Some proxies pass `/clerk/review` on as it is, others as `/review`: both are the same page.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self.app = app
        self._base_path = base_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in {"http", "websocket"} and self._base_path:
            path: str = scope["path"]
            inside = path == self._base_path or path.startswith(f"{self._base_path}/")
            seen = path if inside else self._base_path + path
            scope = {**scope, "root_path": self._base_path, "path": seen, "raw_path": seen.encode()}
        await self.app(scope, receive, send)
