"""What rests, how much waits because of it, and what a person can do about it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from actions.instances import InstanceStatus, build_status, load_overviews
from core.holds import PAUSE_ALL, Hold, HoldKind, filter_holds, pause_target
from core.scans import Scan
from dashboard.auth import Permission
from dashboard.context import all_targets, targets_in
from dashboard.pages.view import View
from store import InstanceOverview as Seen


@dataclass(frozen=True, slots=True)
class HoldView:
    """One hold, as a page tells of it."""

    hold: Hold
    waiting: int
    """Jobs that rest, of the instances that are looked at."""
    test: str
    """Where one sees whether it is still away; "" if one may not, or it is no outage."""
    resume: str
    """Where one ends it; "" if one may not, or it ends by itself."""


@dataclass(frozen=True, slots=True)
class PauseButton:
    """The button that lets what is looked at rest, or go on."""

    action: str
    of_all: bool
    is_paused: bool


def build_pause_button(view: View, rests: Iterable[HoldView]) -> PauseButton | None:
    """Return the button for the one instance that is looked at, or for all; None if one may not."""
    paused, names = {one.hold.target for one in rests}, view.names
    if not view.person.has_permission(Permission.ACT):
        return None
    if len(names) == 1:
        rests_now = bool(paused & {pause_target(names[0]), PAUSE_ALL})
        deed = "resume" if rests_now else "pause"
        return PauseButton(f"/instances/{names[0]}/{deed}", of_all=False, is_paused=rests_now)
    if view.person.instances is not None:
        return None
    everything = PAUSE_ALL in paused
    return PauseButton("/resume" if everything else "/pause", of_all=True, is_paused=everything)


async def load_hold_views(view: View) -> list[HoldView]:
    """List what rests; how much waits is only asked when something does."""
    holds = await load_visible_holds(view)
    held = await view.context.store.jobs.count_held_by_instance(view.names) if holds else {}
    return build_hold_views(view, holds, held)


def build_hold_views(view: View, holds: Iterable[Hold], held: Mapping[str, int]) -> list[HoldView]:
    """Tell of each hold how many jobs rest in the instances that it stops; outages come first."""
    rests = [_build_hold_view(view, hold, held) for hold in holds]
    return sorted(rests, key=lambda one: not one.hold.is_outage)


def _build_hold_view(view: View, hold: Hold, held: Mapping[str, int]) -> HoldView:
    known = view.context.instances
    stopped = [
        name
        for name in view.names
        if name in known and filter_holds([hold], known[name].targets.all_targets)
    ]
    waiting = sum(held.get(name, 0) for name in stopped)
    may_act = view.person.has_permission(Permission.ACT)
    return HoldView(
        hold,
        waiting,
        test=_test(view, hold, stopped) if may_act and hold.is_outage else "",
        resume=_resume(view, hold) if may_act and hold.kind is HoldKind.PAUSE else "",
    )


def _test(view: View, hold: Hold, stopped: list[str]) -> str:
    what = "model" if hold.kind is HoldKind.MODEL else "paperless"
    can_be_tested = stopped and what in view.context.connection_tests
    return f"/settings/{stopped[0]}/{what}" if can_be_tested else ""


def _resume(view: View, hold: Hold) -> str:
    if hold.target == PAUSE_ALL:
        return "/resume" if view.person.instances is None else ""
    return f"/instances/{hold.subject}/resume"


@dataclass(frozen=True, slots=True)
class InstanceCard:
    """One instance at this moment."""

    status: InstanceStatus
    scan: Scan | None
    """The newest one."""
    paused: bool
    trouble: bool
    """Its Paperless or its model is away."""
    link: str
    """Where people find its Paperless."""


@dataclass(frozen=True, slots=True)
class MonthlySpending:
    """What instances of one currency spent this month, and how much they may."""

    currency: str
    cost: Decimal
    limit: Decimal
    """0: some of them have no limit."""

    @property
    def percent(self) -> int:
        return min(100, round(100 * self.cost / self.limit)) if self.limit else 0


async def load_instance_cards(view: View, holds: tuple[Hold, ...]) -> list[InstanceCard]:
    """Say how the instances stand that are looked at."""
    seen = await load_overviews(view.caller, view.names)
    return [_build_instance_card(view, name, holds, one) for name, one in seen.items()]


async def load_visible_holds(view: View) -> tuple[Hold, ...]:
    """List what rests, as far as it has to do with the instances that are looked at."""
    targets = all_targets(view.context.instances, view.names)
    return filter_holds(await view.context.store.holds.list_active(), targets)


def sum_monthly_spending(view: View, standings: Iterable[InstanceCard]) -> list[MonthlySpending]:
    """Add up the month, currency by currency."""
    costs: defaultdict[str, list[Decimal]] = defaultdict(list)
    limits: defaultdict[str, list[Decimal]] = defaultdict(list)
    for one in standings:
        costs[one.status.currency].append(one.status.cost_this_month)
        settings = view.context.settings.instances[one.status.instance]
        limits[one.status.currency].append(settings.limits.cost_per_month)
    return [MonthlySpending(one, _sum(costs[one]), _whole(limits[one])) for one in costs]


def _whole(limits: list[Decimal]) -> Decimal:
    """Add limits up; with one that is missing there is none."""
    return _sum(limits) if all(limits) else Decimal(0)


def _sum(amounts: list[Decimal]) -> Decimal:
    return sum(amounts, Decimal(0))


def _build_instance_card(
    view: View, name: str, holds: tuple[Hold, ...], seen: Seen
) -> InstanceCard:
    settings = view.context.settings.instances[name]
    resting = filter_holds(holds, targets_in(view.context.instances, name).all_targets)
    return InstanceCard(
        status=build_status(view.caller, name, seen),
        scan=seen.newest_scan,
        paused=any(hold.kind is HoldKind.PAUSE for hold in resting),
        trouble=any(hold.is_outage for hold in resting),
        link=settings.paperless.link_url.rstrip("/"),
    )
