"""The fake model on a real port."""

from types import TracebackType

from sandbox.model.app import build_model_app
from sandbox.model.behaviour import Behaviour
from sandbox.model.state import ModelState
from sandbox.server import Server


class ModelServer:
    """A fake model on 127.0.0.1; `port=0` selects a free port."""

    def __init__(self, state: ModelState | None = None, port: int = 0) -> None:
        self.state = state or ModelState()
        self._server = Server(build_model_app(self.state), port)

    @property
    def url(self) -> str:
        """Return the address of the server itself, for the control routes under /sandbox/."""
        return self._server.url

    @property
    def base_url(self) -> str:
        """Return the address for `ai.base_url`."""
        return f"{self._server.url}/v1"

    def behave(self, behaviour: Behaviour, times: int | None = None) -> None:
        """Set the behaviour, for a number of chats or until it is set again."""
        self.state.behave(behaviour, times)

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self._server.stop()

    def __enter__(self) -> "ModelServer":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
