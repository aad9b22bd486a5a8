"""Where a daemon dies: at a transition in its store, at a request to the sandbox, or at any time.

Every transition of a job writes an event, so the events name all places in the store. Before the
event, the transition is made and not recorded. Before the commit, both are made and not stored.
After the commit, both are stored and no other process knows of them yet.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from core.jobs import EventName
from sandbox.faults import Fault, Hang

_LONG = 60.0
_ONE = r"/api/documents/\d+/"


class Side(StrEnum):
    """On which side of an event a daemon dies."""

    BEFORE_EVENT = "before its event"
    BEFORE_COMMIT = "before the commit"
    AFTER_COMMIT = "after the commit"


class Server(StrEnum):
    """The server of the request at which the daemon dies."""

    PAPERLESS = "paperless"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class AtMove:
    """The daemon kills itself, at the nth such event."""

    event: EventName
    side: Side
    nth: int = 1

    def __str__(self) -> str:
        return f"{self.event} {self.side}"


@dataclass(frozen=True, slots=True)
class AtRequest:
    """The daemon is killed while one of its requests is delayed, carried out or not."""

    name: str
    server: Server
    fault: Fault

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class AtMoment:
    """The daemon is killed a number of seconds after its start."""

    seconds: float

    def __str__(self) -> str:
        return "any moment"


Point: TypeAlias = AtMove | AtRequest | AtMoment


def at_moves(*events: EventName) -> tuple[AtMove, ...]:
    """Return all three sides of each event."""
    return tuple(AtMove(event, side) for event in events for side in Side)


def _paperless(name: str, method: str, path: str, *, nth: int = 1) -> AtRequest:
    fault = Fault(method=method, path=path, nth=nth, effect=Hang(seconds=_LONG))
    return AtRequest(name, Server.PAPERLESS, fault)


def _carried_out(point: AtRequest, name: str) -> AtRequest:
    return AtRequest(name, point.server, point.fault.model_copy(update={"moment": "after"}))


LISTING = _paperless("in the middle of a scan's page", "GET", "/api/documents/")
READING = _paperless("while it reads a document", "GET", "/api/documents/", nth=2)
READING_AGAIN = _paperless("while it reads a document before the write", "GET", _ONE)
PATCHING = _paperless("after the intent, before the PATCH", "PATCH", _ONE)
PATCHED = _carried_out(PATCHING, "after the PATCH")
READING_BACK = _paperless("while it reads back, before the settle", "GET", _ONE, nth=2)
NAMING = _carried_out(
    _paperless("", "POST", "/api/correspondents/"), "after a name was made, before its use"
)
_ASKING = Fault(path="/v1/chat/completions", effect=Hang(seconds=_LONG))
ASKING = AtRequest("while the model thinks", Server.MODEL, _ASKING)
ANSWERED = _carried_out(ASKING, "after the answer, before it is stored")

SCANNING: tuple[Point, ...] = (LISTING, *at_moves(EventName.ENQUEUED))
"""Kills before anything is in the queue; these come first."""
ASKING_AND_WRITING: tuple[Point, ...] = (
    READING,
    ASKING,
    ANSWERED,
    NAMING,
    READING_AGAIN,
    PATCHING,
    PATCHED,
    READING_BACK,
)
TAKING: tuple[Point, ...] = at_moves(
    EventName.CLAIMED, EventName.RECOVERED, EventName.PROGRESSED, EventName.RESULT_STORED
)
SETTLING: tuple[Point, ...] = at_moves(
    EventName.CHANGES_RECORDED, EventName.CHANGES_SETTLED, EventName.COMPLETED
)
FILING = SCANNING + ASKING_AND_WRITING + TAKING + SETTLING
DECIDING: tuple[Point, ...] = (
    READING_AGAIN,
    PATCHING,
    PATCHED,
    READING_BACK,
    *at_moves(EventName.CLAIMED, EventName.CHANGES_SETTLED, EventName.COMPLETED),
)
"""Points of an accepted review and of an undo."""
