"""The state of the fake model server: its behaviour, key, faults and log."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.faults import Faults
from sandbox.layers import Request, RequestLog
from sandbox.model.behaviour import Behaviour

COMPLETIONS = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class LoggedChat:
    """One chat request, for an audit."""

    number: int
    model: object
    messages: object
    response_format: object
    parameters: Mapping[str, object]
    status: int | None
    """None until there is a response; 499 if the client disconnected before."""
    fault: str | None


class ModelState:
    """The state of one fake server. Thread-safe."""

    def __init__(self, behaviour: Behaviour | None = None, api_key: str | None = None) -> None:
        self.api_key = api_key
        self.faults = Faults()
        self.log = RequestLog()
        self._lock = threading.Lock()
        self._behaviour = behaviour or Behaviour()
        self._before = self._behaviour
        self._left: int | None = None
        self._served = 0

    @property
    def behaviour(self) -> Behaviour:
        with self._lock:
            return self._behaviour

    def behave(self, behaviour: Behaviour, times: int | None = None) -> None:
        """Set the behaviour, for a number of chats or until it is set again."""
        if times is not None and times < 1:
            raise ValueError(f"a behaviour lasts for at least one chat, got {times}")
        with self._lock:
            if self._left is None:
                self._before = self._behaviour
            self._behaviour, self._left = behaviour, times

    def next_behaviour(self, prompt: str) -> Behaviour:
        """Return the behaviour for the next chat, and count it."""
        with self._lock:
            behaviour = self._behaviour
            if behaviour.only_for not in prompt:
                return Behaviour(models=behaviour.models)
            if self._left is not None:
                self._count_down(self._left - 1)
            return behaviour

    def next_number(self) -> int:
        with self._lock:
            self._served += 1
            return self._served

    def chats(self) -> list[LoggedChat]:
        """Return the chat requests so far, in the order of arrival."""
        return [_logged(request) for request in self.log if request.path == COMPLETIONS]

    def _count_down(self, left: int) -> None:
        self._left = left or None
        if not left:
            self._behaviour = self._before


def _logged(request: Request) -> LoggedChat:
    body = request.body if isinstance(request.body, dict) else {}
    named = {"model", "messages", "response_format"}
    return LoggedChat(
        number=request.number,
        model=body.get("model"),
        messages=body.get("messages"),
        response_format=body.get("response_format"),
        parameters={key: value for key, value in body.items() if key not in named},
        status=request.status,
        fault=request.fault,
    )
