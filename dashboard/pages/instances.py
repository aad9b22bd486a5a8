"""The holds and instances that pages show, with the actions that a person may take."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from actions.instances import InstanceOverview, build_overview, load_figures
from core.holds import PAUSE_ALL, Hold, HoldKind, filter_holds, pause_target
from core.scans import Scan
from dashboard.context import all_targets, targets_in
from dashboard.pages.view import View
from store import InstanceFigures


@dataclass(frozen=True, slots=True)
class HoldView:
    """A hold, as a page shows it."""

    hold: Hold
    waiting: int
    """Number of held jobs in the shown instances."""
    test: str
    """Path of the connection test; "" without permission, or if it is no outage."""
    resume: str
    """Path of the resume button; "" without permission, or if it is no pause."""
    confirm: str = ""
    """Path of the button that confirms a changed address; "" if there is nothing to confirm."""


@dataclass(frozen=True, slots=True)
class PauseButton:
    """The button that pauses or resumes the shown instances."""

    action: str
    of_all: bool
    is_paused: bool


class InstanceState(StrEnum):
    """What an instance does now, or why it does nothing."""

    PAPERLESS_UNREACHABLE = "paperless_unreachable"
    MODEL_UNREACHABLE = "model_unreachable"
    ADDRESS_CHANGED = "address_changed"
    PAUSED = "paused"
    LIMIT_REACHED = "limit_reached"
    OUTSIDE_HOURS = "outside_hours"
    SCANNING = "scanning"
    PROCESSING = "processing"
    WAITING = "waiting"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class InstanceCard:
    """The state of an instance, as the overview shows it."""

    overview: InstanceOverview
    scan: Scan | None
    """The newest one."""
    held_by: frozenset[HoldKind]
    """The kinds of holds that concern it."""
    link: str
    """Address of its Paperless for people."""
    model: str
    waits_until: datetime | None = None
    """When the first of its jobs is due; None if one is due or running, or there is none."""

    @property
    def paused(self) -> bool:
        return HoldKind.PAUSE in self.held_by

    @property
    def is_scanning(self) -> bool:
        return self.scan is not None and self.scan.finished_at is None

    @property
    def state(self) -> InstanceState:
        """Return the most important of what is to be said about it."""
        for kind, state in _HELD_STATES.items():
            if kind in self.held_by:
                return state
        if self.is_scanning:
            return InstanceState.SCANNING
        if self.waits_until is not None:
            return InstanceState.WAITING
        is_busy = self.overview.processing or self.overview.pending
        return InstanceState.PROCESSING if is_busy else InstanceState.READY


_HELD_STATES = {
    HoldKind.PAPERLESS: InstanceState.PAPERLESS_UNREACHABLE,
    HoldKind.MODEL: InstanceState.MODEL_UNREACHABLE,
    HoldKind.ADDRESS: InstanceState.ADDRESS_CHANGED,
    HoldKind.PAUSE: InstanceState.PAUSED,
    HoldKind.LIMIT: InstanceState.LIMIT_REACHED,
    HoldKind.HOURS: InstanceState.OUTSIDE_HOURS,
}
"""In the order of their importance."""


@dataclass(frozen=True, slots=True)
class MonthlySpending:
    """What instances with one currency spent this month, and their budget."""

    currency: str
    cost: Decimal
    limit: Decimal
    """0: some of them have no limit."""

    @property
    def percent(self) -> int:
        return min(100, round(100 * self.cost / self.limit)) if self.limit else 0


def build_pause_button(view: View, holds: Iterable[HoldView]) -> PauseButton | None:
    """Build the button for the one shown instance, or for all; None without permission."""
    held, names = {held.hold.target for held in holds}, view.names
    if not view.may_act:
        return None
    if len(names) == 1:
        is_paused = bool(held & {pause_target(names[0]), PAUSE_ALL})
        action = "resume" if is_paused else "pause"
        return PauseButton(f"/instances/{names[0]}/{action}", of_all=False, is_paused=is_paused)
    if view.person.instances is not None:
        return None
    is_paused = PAUSE_ALL in held
    return PauseButton("/resume" if is_paused else "/pause", of_all=True, is_paused=is_paused)


async def load_hold_views(view: View) -> list[HoldView]:
    """Load the holds of the shown instances; count held jobs only if there are any."""
    holds = await load_visible_holds(view)
    held = await view.context.store.jobs.count_held_by_instance(view.names) if holds else {}
    return build_hold_views(view, holds, held)


def build_hold_views(view: View, holds: Iterable[Hold], held: Mapping[str, int]) -> list[HoldView]:
    """Build the view of each hold with the number of jobs that it holds; outages come first."""
    views = [_build_hold_view(view, hold, held) for hold in holds]
    return sorted(views, key=lambda hold_view: not hold_view.hold.is_outage)


async def load_instance_cards(view: View, holds: tuple[Hold, ...]) -> list[InstanceCard]:
    """Load the state of each shown instance."""
    figures_by_name = await load_figures(view.caller, view.names)
    return [
        _build_instance_card(view, name, holds, figures)
        for name, figures in figures_by_name.items()
    ]


async def load_visible_holds(view: View) -> tuple[Hold, ...]:
    """Return the active holds that concern the shown instances."""
    targets = all_targets(view.context.instances, view.names)
    return filter_holds(await view.context.store.holds.list_active(), targets)


def sum_monthly_spending(view: View, cards: Iterable[InstanceCard]) -> list[MonthlySpending]:
    """Sum the spending of this month by currency."""
    costs: defaultdict[str, list[Decimal]] = defaultdict(list)
    limits: defaultdict[str, list[Decimal]] = defaultdict(list)
    for card in cards:
        costs[card.overview.currency].append(card.overview.cost_this_month)
        settings = view.context.settings.instances[card.overview.instance]
        limits[card.overview.currency].append(settings.limits.cost_per_month)
    return [
        MonthlySpending(currency, sum(spent, Decimal(0)), _sum_limits(limits[currency]))
        for currency, spent in costs.items()
    ]


def _build_hold_view(view: View, hold: Hold, held: Mapping[str, int]) -> HoldView:
    known = view.context.instances
    stopped = [
        name
        for name in view.names
        if name in known and filter_holds([hold], known[name].targets.all_targets)
    ]
    waiting = sum(held.get(name, 0) for name in stopped)
    may_act = view.may_act
    return HoldView(
        hold,
        waiting,
        test=_test_path(view, hold, stopped) if may_act and hold.is_outage else "",
        resume=_resume_path(view, hold) if may_act and hold.kind is HoldKind.PAUSE else "",
        confirm=_confirm_path(hold) if may_act else "",
    )


def _test_path(view: View, hold: Hold, stopped: list[str]) -> str:
    what = "model" if hold.kind is HoldKind.MODEL else "paperless"
    can_be_tested = stopped and what in view.context.connection_tests
    return f"/settings/{stopped[0]}/{what}" if can_be_tested else ""


def _confirm_path(hold: Hold) -> str:
    needs_person = hold.kind is HoldKind.ADDRESS and hold.next_probe_at is None
    return f"/instances/{hold.subject}/confirm-address" if needs_person else ""


def _resume_path(view: View, hold: Hold) -> str:
    if hold.target == PAUSE_ALL:
        return "/resume" if view.person.instances is None else ""
    return f"/instances/{hold.subject}/resume"


def _sum_limits(limits: list[Decimal]) -> Decimal:
    """Return the total limit; 0, which means none, if one of them is missing."""
    return sum(limits, Decimal(0)) if all(limits) else Decimal(0)


def _build_instance_card(
    view: View, name: str, holds: tuple[Hold, ...], figures: InstanceFigures
) -> InstanceCard:
    settings = view.context.settings.instances[name]
    own_holds = filter_holds(holds, targets_in(view.context.instances, name).all_targets)
    due = figures.first_due
    return InstanceCard(
        overview=build_overview(view.caller, name, figures),
        scan=figures.newest_scan,
        held_by=frozenset(hold.kind for hold in own_holds),
        link=settings.paperless.link_url.rstrip("/"),
        model=settings.ai.model,
        waits_until=due if due is not None and due > view.context.clock() else None,
    )
