"""What routes are given: the app context, and the types of numbers in addresses."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias

from fastapi import Path, Query

from actions.caller import Instances
from actions.health import Liveness
from core.calendar import Clock
from core.holds import PAUSE_ALL, HoldTargets, targets_of
from core.messages import Message
from core.scans import ScanPage, SkipReason
from core.settings import Settings, SettingsStatus, get_environment
from paperless_client import DocumentSummary, User
from store import Store

if TYPE_CHECKING:
    from actions.costs import EstimateSummary, ScanOrder
    from actions.setup import Draft

MAX_ID = 2**53 - 1
"""The greatest integer that every JSON parser reads exactly."""

PathId = Annotated[int, Path(ge=1, le=MAX_ID)]
Chosen = Annotated[int | None, Query(ge=1, le=MAX_ID)]
"""Filter by the thing with this number; left out: any."""
Before = Annotated[int | None, Query(ge=1, le=MAX_ID)]
"""Continue before the thing with this number; left out: begin with the newest."""


class Finding(Protocol):
    """One result of a connection test."""

    @property
    def name(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    @property
    def summary(self) -> Message:
        """The result in a sentence."""
        ...

    @property
    def detail(self) -> str:
        """More for the operator; "" if there is no more."""
        ...

    @property
    def advice(self) -> Message | None:
        """What to do about it."""
        ...


ConnectionTest: TypeAlias = Callable[[str], AsyncIterator[Finding]]
"""Test a connection of an instance; yield the findings."""


class DraftCheck(Protocol):
    """The check of an instance whose settings are not written yet, with its results so far."""

    @property
    def findings(self) -> Sequence[Finding]: ...
    @property
    def estimate(self) -> "EstimateSummary | None":
        """What its first scan would take; None if that is not known, or not yet."""
        ...

    @property
    def is_done(self) -> bool: ...


class StartCheck(Protocol):
    """Starts to check a draft; raises PaperclerkError."""

    def __call__(self, draft: "Draft", user: User | None, /) -> DraftCheck: ...


class SelectionExplainer(Protocol):
    """Explains what a scan selects, and why it does not select a document."""

    async def explain(self, document: int) -> tuple[DocumentSummary, SkipReason | None]:
        """Return the document, and why a scan would skip it; None if it would not."""
        ...

    async def preview(self, order: "ScanOrder") -> ScanPage:
        """Return what a scan would select now."""
        ...


async def _find_nothing(_instance: str) -> AsyncIterator[Finding]:
    """Yield nothing: the check of a context without connections."""
    return
    yield


@dataclass(frozen=True, slots=True)
class AppContext:
    """Everything that pages and API use of the daemon."""

    settings: Settings
    store: Store
    instances: Instances
    clock: Clock
    zone: tzinfo
    version: str
    liveness: Liveness
    wake: Callable[[], None]
    """Wake timers and processor after something was stored for them."""
    hint: Callable[[str, int], None] = lambda _instance, _document: None
    """Look up a document that a webhook has named, by instance and id."""
    scanners: Mapping[str, SelectionExplainer] = field(default_factory=dict)
    connection_tests: Mapping[str, ConnectionTest] = field(default_factory=dict)
    """By what they test: `paperless` and `model`."""
    check_reachability: ConnectionTest = field(default=_find_nothing)
    """Check Paperless and the model of an instance without any cost."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the daemon stops; ends event streams."""
    environ: Mapping[str, str] = field(default_factory=get_environment)
    """The environment variables, some of which take precedence over the settings files."""
    send_test: Callable[[], Awaitable[None]] | None = None
    """Send a test notification; raise PaperclerkError. None if notifications are off."""
    suggesting_workflows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Workflows of Paperless that apply its own AI suggestions, by instance, as last read."""
    start_check: StartCheck | None = None
    """Check an instance that is being set up. None if instances cannot be set up here."""
    settings_status: SettingsStatus = field(default_factory=SettingsStatus)
    """Errors in the settings files, changes that need a restart, and the last change."""
    reload: Callable[[], Awaitable[SettingsStatus]] | None = None
    """Read the settings files now, as after writing one; None if they are not from files."""


def targets_in(instances: Instances, name: str) -> HoldTargets:
    """Return the hold targets of an instance; without its model if it is not connected."""
    instance = instances.get(name)
    return instance.targets if instance else targets_of(name)


def all_targets(instances: Instances, names: Iterable[str]) -> frozenset[str]:
    """Return every hold target that concerns the named instances."""
    return frozenset({PAUSE_ALL}).union(
        *(targets_in(instances, name).all_targets for name in names)
    )
