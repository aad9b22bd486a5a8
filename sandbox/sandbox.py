"""The whole pretend world: a Paperless with sample documents and a model, both on real ports."""

from contextlib import ExitStack
from types import TracebackType

from sandbox.model.server import ModelServer
from sandbox.paperless import V3, Paperless, Release, World, load_world
from sandbox.server import Server


class Sandbox:
    """A Paperless and a model, running as long as the context lasts."""

    def __init__(self, world: World | None = None, *, release: Release = V3) -> None:
        self.paperless = Paperless(world or load_world(release=release))
        self.model = ModelServer()
        self._server = Server(self.paperless)
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
        """Token of the user that the clerk works as."""
        return self.world.users["paperclerk"].token

    def settings(self, tables: str = "") -> str:
        """Return a settings file for this world; `tables` stand after the two that it needs."""
        return (
            f'[paperless]\nurl = "{self.url}"\ntoken = "{self.token}"\n\n'
            f'[ai]\nbase_url = "{self.model.base_url}"\nmodel = "sandbox-model"\n\n{tables}'
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
