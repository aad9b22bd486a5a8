"""What the dashboard has before it: the store, the settings, and a bell to the daemon."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Protocol, TypeAlias

from actions.health import Signs
from core.clock import Clock
from core.messages import Message
from core.settings import Settings
from processor.instance import Instance
from scanner.scan import Scanner
from store import Store


class Finding(Protocol):
    """One thing that a test looked at."""

    @property
    def name(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    @property
    def said(self) -> Message:
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


Examine: TypeAlias = Callable[[str], AsyncIterator[Finding]]
"""Look at something of an instance, and tell what is found."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything that pages and API need; they are given nothing else."""

    settings: Settings
    store: Store
    instances: Mapping[str, Instance]
    clock: Clock
    zone: tzinfo
    version: str
    signs: Signs
    ring: Callable[[], None]
    """Tell timers and processor that something was put into the store for them."""
    scanners: Mapping[str, Scanner] = field(default_factory=dict)
    """They know why a document is, or is not, selected."""
    examinations: Mapping[str, Examine] = field(default_factory=dict)
    """What can be tested: `paperless` and `model`."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the daemon stops: what would go on for ever ends then."""
    send_test: Callable[[], Awaitable[None]] | None = None
    """Send a message as a test; raise PaperclerkError. None if no messages are sent."""
