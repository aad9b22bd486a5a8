"""Pause and resume: rests that a person places and ends; they survive a restart."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from actions.caller import Caller
from actions.errors import AllInstancesRequired
from core.calendar import day_start, month_start
from core.errors import Problem
from core.holds import PAUSE_ALL, Hold, HoldCause, HoldKind, pause_target
from core.jobs import JobStatus
from core.messages import message
from core.scans import NextScan, next_scan_of
from store import InstanceOverview


@dataclass(frozen=True, slots=True)
class ResumeResult:
    """What a resume found."""

    lifted: tuple[Hold, ...]
    """Pauses that ended with it."""
    others: tuple[Hold, ...]
    """Pauses that are left, as far as the caller may see them."""

    @property
    def was_paused(self) -> bool:
        return bool(self.lifted)

    @property
    def is_for_all(self) -> bool:
        """Whether everything was paused, and goes on."""
        return any(hold.target == PAUSE_ALL for hold in self.lifted)

    @property
    def is_all_paused(self) -> bool:
        """Whether everything is paused still."""
        return any(hold.target == PAUSE_ALL for hold in self.others)


async def pause(caller: Caller, instance: str | None, why: str = "") -> Hold:
    """Let an instance, or everything, rest until it is resumed.

    Raise InstanceUnknown, or ConcernsAll if everything is meant and the caller sees only some.
    """
    cause = HoldCause(
        message("paused by {who}: {why}", who=caller.by, why=why)
        if why
        else message("paused by {who}", who=caller.by)
    )
    target = _target(caller, instance)
    return await caller.store.holds.place(target, cause, next_probe_at=None, now=caller.now())


async def resume(caller: Caller, instance: str | None) -> ResumeResult:
    """End the pause of an instance, or that of everything, and no other. Raise like `pause`."""
    return await _lift(caller, {_target(caller, instance)})


async def resume_fully(caller: Caller, instance: str) -> ResumeResult:
    """End whatever pauses an instance: with its own pause also that of everything.

    Who sees only some instances cannot end that one: it is among the others. Raise InstanceUnknown.
    """
    own = _target(caller, instance)
    return await _lift(caller, {own, PAUSE_ALL} if caller.only is None else {own})


async def _lift(caller: Caller, targets: Collection[str]) -> ResumeResult:
    holds = await caller.store.holds.list_active()
    pauses = [hold for hold in holds if hold.kind is HoldKind.PAUSE and _sees(caller, hold)]
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


def _sees(caller: Caller, pause: Hold) -> bool:
    return pause.target == PAUSE_ALL or caller.can_see(pause.subject)


@dataclass(frozen=True, slots=True)
class InstanceStatus:
    """How one instance stands."""

    instance: str
    last_scan_at: datetime | None
    """When its last scan ended that went through."""
    last_failure_at: datetime | None
    """When the last scan ended, if it did not go through."""
    last_failure: Problem | None
    """Why it did not."""
    next_scan: NextScan
    next_scan_at: datetime | None
    """When the next scan is planned, never in the past; None if `next_scan` is not planned."""
    pending: int
    processing: int
    failed: int
    held: int
    """How many of the pending jobs rest."""
    for_review: int
    """Documents with something that waits for a person."""
    documents_today: int
    cost_this_month: Decimal
    currency: str


async def list_statuses(caller: Caller, names: Sequence[str]) -> tuple[InstanceStatus, ...]:
    """Tell how instances stand; raise InstanceUnknown."""
    for name in names:
        caller.require_instance(name)
    seen = await load_overviews(caller, names)
    return tuple(build_status(caller, name, one) for name, one in seen.items())


async def load_overviews(caller: Caller, names: Sequence[str]) -> Mapping[str, InstanceOverview]:
    """See how instances stand, with as many questions however many they are."""
    day, month = day_start(caller.now(), caller.zone), month_start(caller.now(), caller.zone)
    return await caller.store.instances.get_overviews(names, day=day, month=month)


def build_status(caller: Caller, name: str, seen: InstanceOverview) -> InstanceStatus:
    """Tell of an instance what was seen of it, and what its settings say."""
    settings, known, last = caller.require_instance(name), seen.known, seen.last_ended_scan
    failed = last if last is not None and last.problem is not None else None
    planned_at = known.next_scan_at if known and settings.scan.enabled else None
    newest = seen.newest_scan
    next_scan = next_scan_of(
        planned_at,
        stopped_by=seen.stopped_by,
        running=newest is not None and newest.finished_at is None,
        now=caller.now(),
    )
    return InstanceStatus(
        instance=name,
        last_scan_at=known.last_scan_at if known else None,
        last_failure_at=failed.finished_at if failed else None,
        last_failure=failed.problem if failed else None,
        next_scan=next_scan,
        next_scan_at=planned_at if next_scan is NextScan.PLANNED else None,
        pending=seen.jobs[JobStatus.PENDING],
        processing=seen.jobs[JobStatus.PROCESSING],
        failed=seen.jobs[JobStatus.FAILED],
        held=seen.held,
        for_review=seen.for_review,
        documents_today=seen.documents_today,
        cost_this_month=seen.cost_this_month,
        currency=settings.limits.currency,
    )
