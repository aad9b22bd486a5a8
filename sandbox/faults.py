"""Faults on demand: a queue of rules that `FaultLayer` applies around any ASGI app.

faults = Faults()
app = FaultLayer(app, faults)  # from sandbox.layers
faults.add(Fault(method="PATCH", path="/api/documents/7/", effect=Answer(status=502)))
faults.add(Fault(path="/v1/.*", nth=3, times=2, effect=too_many_requests(retry_after=30)))
faults.add(Fault(method="PATCH", moment="after", effect=Answer(status=500)))  # written, and yet 500
"""

import asyncio
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.types import Scope

CONTROL = "/sandbox/"
"""Prefix of the control routes; no fault applies to them."""


class _Strict(BaseModel):
    """Part of a rule; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Answer(_Strict):
    """Respond with this instead of the app's response."""

    do: Literal["answer"] = "answer"
    status: int = 503
    body: str = ""
    headers: Mapping[str, str] = Field(default_factory=dict)


class Delay(_Strict):
    """Wait for a time or until released, then continue normally."""

    do: Literal["delay"] = "delay"
    seconds: float = 0.2


class Cut(_Strict):
    """Carry out the request, send half of the body, and close the connection."""

    do: Literal["cut"] = "cut"


class Hang(_Strict):
    """Send nothing for a time, or until the client gives up or is released; then disconnect."""

    do: Literal["hang"] = "hang"
    seconds: float = 30.0


Effect = Annotated[Answer | Delay | Cut | Hang, Field(discriminator="do")]


class Fault(_Strict):
    """A rule: which requests fail, and how.

    `path` is a regular expression for the whole path (without the query). The rule strikes from
    the `nth` request that it matches, `times` times (None: for ever). With moment `after` the
    request is carried out first, and the client does not learn of it.
    """

    effect: Effect
    method: str = "*"
    path: str = ".*"
    nth: int = Field(default=1, ge=1)
    times: int | None = Field(default=1, ge=1)
    moment: Literal["instead", "after"] = "instead"

    def __str__(self) -> str:
        moment = "after" if isinstance(self.effect, Cut) else self.moment
        status = f" {self.effect.status}" if isinstance(self.effect, Answer) else ""
        return f"{self.effect.do}{status}, {moment}"

    def matches(self, method: str, path: str) -> bool:
        return self.method in ("*", method) and re.fullmatch(self.path, path) is not None


def html_page(status: int = 200) -> Answer:
    """Build a response like a proxy's login or error page: HTML where JSON was expected."""
    page = "<!doctype html><html><body><h1>Sign in</h1></body></html>"
    return Answer(status=status, body=page, headers={"content-type": "text/html; charset=utf-8"})


def redirect(location: str, status: int = 302) -> Answer:
    return Answer(status=status, headers={"location": location})


def too_many_requests(retry_after: int | str) -> Answer:
    """Build a response with status 429; `retry_after` is in seconds, or an HTTP date."""
    return Answer(
        status=429,
        body='{"detail":"Request was throttled."}',
        headers={"content-type": "application/json", "retry-after": str(retry_after)},
    )


class Faults:
    """The queue of rules, in the order in which they were added. Safe to use from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[_Counted] = []
        self._struck: list[Fault] = []
        self._holds: set[RequestHold] = set()

    def add(self, *faults: Fault) -> None:
        with self._changed:
            self._waiting += [_Counted(fault) for fault in faults]

    def clear(self) -> None:
        """Delete the remaining rules, and release all delayed requests."""
        with self._changed:
            self._waiting.clear()
        self.release()

    def release(self) -> None:
        """End every current hang and delay."""
        with self._changed:
            for hold in self._holds:
                hold.end()

    @property
    def waiting(self) -> tuple[Fault, ...]:
        with self._changed:
            return tuple(counted.fault for counted in self._waiting)

    @property
    def struck(self) -> tuple[Fault, ...]:
        """The faults that were applied, in order; one entry for each request."""
        with self._changed:
            return tuple(self._struck)

    def wait_for_strikes(self, count: int, timeout: float) -> bool:
        """Block until this many faults were applied in total; return False at the timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._struck) >= count, timeout)

    def strike(self, scope: Scope) -> "Strike | None":
        """Return the fault for a request and count it; None if no rule applies."""
        if scope["path"].startswith(CONTROL):
            return None
        with self._changed:
            for counted in self._waiting:
                if counted.strikes(scope["method"], scope["path"]):
                    return self._begin(counted)
        return None

    def end(self, strike: "Strike") -> None:
        with self._changed:
            self._holds.discard(strike.hold)

    def _begin(self, counted: "_Counted") -> "Strike":
        if counted.used_up:
            self._waiting.remove(counted)
        # The delay begins with the strike, so that whoever sees the strike can release it.
        strike = Strike(counted.fault, RequestHold(asyncio.get_running_loop()))
        self._holds.add(strike.hold)
        self._struck.append(counted.fault)
        self._changed.notify_all()
        return strike


class RequestHold:
    """A request that is being delayed; any thread may release it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._over = asyncio.Event()

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)

    async def wait(self) -> None:
        await self._over.wait()


@dataclass(frozen=True, slots=True)
class Strike:
    """A fault that is being applied to one request."""

    fault: Fault
    hold: RequestHold


class _Counted:
    """A rule and how many requests it has matched."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self._matched = 0

    def strikes(self, method: str, path: str) -> bool:
        if not self.fault.matches(method, path):
            return False
        self._matched += 1
        return self._matched >= self.fault.nth

    @property
    def used_up(self) -> bool:
        times = self.fault.times
        return times is not None and self._matched >= self.fault.nth + times - 1
