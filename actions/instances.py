"""Pause and resume instances, and load their overviews."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from actions.caller import Caller
from actions.errors import AllInstancesRequired
from core.calendar import day_start, month_start
from core.errors import Problem
from core.holds import (
    PAUSE_ALL,
    Hold,
    HoldCause,
    HoldKind,
    address_target,
    filter_holds,
    pause_target,
)
from core.jobs import JobStatus
from core.messages import message
from core.scans import NextScan, next_scan_of
from core.settings import InstanceSettings
from store import InstanceFigures


@dataclass(frozen=True, slots=True)
class ResumeResult:
    """The pauses that a resume lifted, and those that are left."""

    lifted: tuple[Hold, ...]
    """Pauses that were lifted."""
    others: tuple[Hold, ...]
    """Pauses that are left and that the caller may see."""

    @property
    def was_paused(self) -> bool:
        return bool(self.lifted)

    @property
    def is_for_all(self) -> bool:
        """Whether a pause of all instances was lifted."""
        return any(hold.target == PAUSE_ALL for hold in self.lifted)

    @property
    def is_all_paused(self) -> bool:
        """Whether all instances are still paused."""
        return any(hold.target == PAUSE_ALL for hold in self.others)


@dataclass(frozen=True, slots=True)
class InstanceOverview:
    """The state of one instance, from its stored figures and its settings."""

    instance: str
    last_scan_at: datetime | None
    """When its last successful scan ended."""
    last_failure_at: datetime | None
    """When its last scan ended, if it failed."""
    last_failure: Problem | None
    """Why it failed."""
    next_scan: NextScan
    next_scan_at: datetime | None
    """When the next scan is planned, never in the past; None if `next_scan` is not planned."""
    pending: int
    processing: int
    failed: int
    held: int
    """How many of the pending jobs are on hold."""
    for_review: int
    """Documents with changes for review."""
    documents_today: int
    cost_this_month: Decimal
    currency: str


async def pause(caller: Caller, instance: str | None, why: str = "") -> Hold:
    """Pause an instance, or all of them, until they are resumed; a pause survives a restart.

    Raise InstanceUnknown, or AllInstancesRequired if the caller may see only some.
    """
    cause = HoldCause(
        message("paused by {who}: {why}", who=caller.by, why=why)
        if why
        else message("paused by {who}", who=caller.by)
    )
    target = _target(caller, instance)
    return await caller.store.holds.place(target, cause, next_probe_at=None, now=caller.now())


async def resume(caller: Caller, instance: str | None) -> ResumeResult:
    """Lift the pause of an instance, or that of all, and no other. Raise like `pause`."""
    return await _lift(caller, {_target(caller, instance)})


async def resume_fully(caller: Caller, instance: str) -> ResumeResult:
    """Lift every pause of an instance: its own, and that of all instances.

    A caller who may see only some instances cannot lift the latter. Raise InstanceUnknown.
    """
    own = _target(caller, instance)
    return await _lift(caller, {own, PAUSE_ALL} if caller.only is None else {own})


async def confirm_address(caller: Caller, instance: str) -> bool:
    """Accept the address of an instance although the documents there seem to be others.

    Return whether it was on hold for that. Raise InstanceUnknown.
    """
    url, target = caller.require_instance(instance).paperless.url, address_target(instance)
    if not filter_holds(await caller.store.holds.list_active(), {target}):
        return False
    await caller.store.instances.set_url(instance, url)
    await caller.store.holds.lift(target, now=caller.now())
    return True


async def list_overviews(caller: Caller, names: Sequence[str]) -> tuple[InstanceOverview, ...]:
    """Return the overviews of instances; raise InstanceUnknown."""
    for name in names:
        caller.require_instance(name)
    figures_by_name = await load_figures(caller, names)
    return tuple(build_overview(caller, name, figures) for name, figures in figures_by_name.items())


async def list_stored_overviews(
    caller: Caller, names: Sequence[str]
) -> tuple[InstanceOverview, ...]:
    """Return the overviews of instances whose settings are not valid, as far as they are stored."""
    figures_by_name = await load_figures(caller, names)
    return tuple(
        _build_overview(caller, name, figures, None) for name, figures in figures_by_name.items()
    )


async def load_figures(caller: Caller, names: Sequence[str]) -> Mapping[str, InstanceFigures]:
    """Load the figures of instances; the number of queries is fixed."""
    day, month = day_start(caller.now(), caller.zone), month_start(caller.now(), caller.zone)
    return await caller.store.instances.get_figures(names, day=day, month=month)


def build_overview(caller: Caller, name: str, figures: InstanceFigures) -> InstanceOverview:
    """Build the overview of an instance from its figures and its settings."""
    return _build_overview(caller, name, figures, caller.require_instance(name))


def _build_overview(
    caller: Caller, name: str, figures: InstanceFigures, settings: InstanceSettings | None
) -> InstanceOverview:
    last, known = figures.last_ended_scan, figures.known
    failed = last if last is not None and last.problem is not None else None
    may_be_planned = settings is None or settings.scan.enabled
    planned_at = known.next_scan_at if known and may_be_planned else None
    newest = figures.newest_scan
    next_scan = next_scan_of(
        planned_at,
        stopped_by=figures.stopped_by,
        running=newest is not None and newest.finished_at is None,
        now=caller.now(),
    )
    return InstanceOverview(
        instance=name,
        last_scan_at=known.last_scan_at if known else None,
        last_failure_at=failed.finished_at if failed else None,
        last_failure=failed.problem if failed else None,
        next_scan=next_scan,
        next_scan_at=planned_at if next_scan is NextScan.PLANNED else None,
        pending=figures.jobs[JobStatus.PENDING],
        processing=figures.jobs[JobStatus.PROCESSING],
        failed=figures.jobs[JobStatus.FAILED],
        held=figures.held,
        for_review=figures.for_review,
        documents_today=figures.documents_today,
        cost_this_month=figures.cost_this_month,
        currency=settings.limits.currency if settings else "",
    )


async def _lift(caller: Caller, targets: Collection[str]) -> ResumeResult:
    holds = await caller.store.holds.list_active()
    pauses = [hold for hold in holds if hold.kind is HoldKind.PAUSE and _can_see(caller, hold)]
    lifted = tuple(hold for hold in pauses if hold.target in targets)
    for hold in lifted:
        await caller.store.holds.lift(hold.target, now=caller.now())
    return ResumeResult(lifted, tuple(hold for hold in pauses if hold not in lifted))


def _target(caller: Caller, instance: str | None) -> str:
    if instance is not None:
        caller.require_instance(instance)
        return pause_target(instance)
    if caller.only is not None:
        raise AllInstancesRequired
    return PAUSE_ALL


def _can_see(caller: Caller, pause: Hold) -> bool:
    return pause.target == PAUSE_ALL or caller.can_see(pause.subject)
