"""The whole sandbox: a fake Paperless with sample documents and a fake model, on real ports."""

from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType

from starlette.types import ASGIApp

from sandbox.model.server import ModelServer
from sandbox.paperless import V3, Paperless, Release, World, load_world
from sandbox.server import Server


class Sandbox:
    """A fake Paperless and a fake model, running while the context is open."""

    def __init__(
        self,
        world: World | None = None,
        *,
        release: Release = V3,
        middleware: Callable[[ASGIApp], ASGIApp] | None = None,
    ) -> None:
        """`middleware` wraps the Paperless that is served."""
        self.paperless = Paperless(world or load_world(release=release))
        self.model = ModelServer()
        self._server = Server(middleware(self.paperless) if middleware else self.paperless)
        self._stack = ExitStack()

    @property
    def world(self) -> World:
        return self.paperless.world

    @property
    def url(self) -> str:
        """Address for `paperless.url`."""
        return self._server.url

    @property
    def token(self) -> str:
        """Token of Paperclerk's user."""
        return self.world.users["paperclerk"].token

    def settings(self, tables: str = "", *, stream: bool = False) -> str:
        """Return a settings file for this sandbox; `tables` are appended to the required ones.

        Without streaming, there is one model call for each document and no test of the endpoint.
        """
        return (
            f'[paperless]\nurl = "{self.url}"\ntoken = "{self.token}"\n\n'
            f'[ai]\nbase_url = "{self.model.base_url}"\nmodel = "sandbox-model"\n'
            f"stream = {str(stream).lower()}\n\n{tables}"
        )

    def __enter__(self) -> "Sandbox":
        self._stack.enter_context(self._server)
        self._stack.enter_context(self.model)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
