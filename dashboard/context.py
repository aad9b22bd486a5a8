"""The numbers by which a request names things, and its place in a list."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Annotated, Protocol, TypeAlias

from fastapi import Path, Query

from actions.health import Liveness
from core.clock import Clock
from core.holds import PAUSE_ALL, HoldTargets, targets_of
from core.messages import Message
from core.settings import Settings
from processor.instance import Instance
from scanner.scan import Scanner
from store import Store

MAX_ID = 2**53 - 1
"""The greatest number that every program reads from JSON as it was."""

PathId = Annotated[int, Path(ge=1, le=MAX_ID)]
Chosen = Annotated[int | None, Query(ge=1, le=MAX_ID)]
"""Only what belongs to this one; left out: to any."""
Before = Annotated[int | None, Query(ge=1, le=MAX_ID)]
"""Go on with what came before this one; left out: begin with the newest."""


class Finding(Protocol):
    """One thing that a test looked at."""

    @property
    def name(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    @property
    def summary(self) -> Message:
        """What was found."""
        ...

    @property
    def detail(self) -> str:
        """The same for the operator; "" if there is no more to say."""
        ...

    @property
    def advice(self) -> Message | None:
        """What to do about it."""
        ...


ConnectionTest: TypeAlias = Callable[[str], AsyncIterator[Finding]]
"""Look at something of an instance, and tell what is found."""


@dataclass(frozen=True, slots=True)
class AppContext:
    """Everything that pages and API need; they are given nothing else."""

    settings: Settings
    store: Store
    instances: Mapping[str, Instance]
    clock: Clock
    zone: tzinfo
    version: str
    liveness: Liveness
    wake: Callable[[], None]
    """Tell timers and processor that something was put into the store for them."""
    scanners: Mapping[str, Scanner] = field(default_factory=dict)
    """They know why a document is, or is not, selected."""
    connection_tests: Mapping[str, ConnectionTest] = field(default_factory=dict)
    """What can be tested: `paperless` and `model`."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the daemon stops: what would go on for ever ends then."""
    send_test: Callable[[], Awaitable[None]] | None = None
    """Send a message as a test; raise PaperclerkError. None if no messages are sent."""


def targets_in(instances: Mapping[str, Instance], name: str) -> HoldTargets:
    """Name what rests an instance; one that is not connected has no model that is known."""
    instance = instances.get(name)
    return instance.targets if instance else targets_of(name)


def all_targets(instances: Mapping[str, Instance], names: Iterable[str]) -> frozenset[str]:
    """Name all that may rest, as far as these instances have to do with it."""
    return frozenset({PAUSE_ALL}).union(
        *(targets_in(instances, name).all_targets for name in names)
    )
