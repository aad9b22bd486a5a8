"""How things stand: each instance with its timer and queue, and what rests."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from actions.status import InstanceStatus, look_at, status_of
from core.holds import Hold, HoldKind, holds_among
from core.scans import Scan
from dashboard.pages.view import View
from dashboard.resting import all_targets, targets_in
from store import Standing as Seen


@dataclass(frozen=True, slots=True)
class Standing:
    """One instance at this moment."""

    told: InstanceStatus
    scan: Scan | None
    """The newest one."""
    paused: bool
    trouble: bool
    """Its Paperless or its model is away."""
    link: str
    """Where people find its Paperless."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What instances of one currency spent this month, and how much they may."""

    currency: str
    cost: Decimal
    limit: Decimal
    """0: some of them have no limit."""

    @property
    def percent(self) -> int:
        return min(100, round(100 * self.cost / self.limit)) if self.limit else 0


async def standings(view: View, holds: tuple[Hold, ...]) -> list[Standing]:
    """Say how the instances stand that are looked at."""
    seen = await look_at(view.caller, view.names)
    return [_standing(view, name, holds, one) for name, one in seen.items()]


async def visible_holds(view: View) -> tuple[Hold, ...]:
    """List what rests, as far as it has to do with the instances that are looked at."""
    targets = all_targets(view.desk.instances, view.names)
    return holds_among(await view.desk.store.holds.active(), targets)


def spent_this_month(view: View, standings: Iterable[Standing]) -> list[Spent]:
    """Add up the month, currency by currency."""
    costs: defaultdict[str, list[Decimal]] = defaultdict(list)
    limits: defaultdict[str, list[Decimal]] = defaultdict(list)
    for one in standings:
        costs[one.told.currency].append(one.told.cost_this_month)
        settings = view.desk.settings.instances[one.told.instance]
        limits[one.told.currency].append(settings.limits.cost_per_month)
    return [Spent(one, _sum(costs[one]), _whole(limits[one])) for one in costs]


def _whole(limits: list[Decimal]) -> Decimal:
    """Add limits up; with one that is missing there is none."""
    return _sum(limits) if all(limits) else Decimal(0)


def _sum(amounts: list[Decimal]) -> Decimal:
    return sum(amounts, Decimal(0))


def _standing(view: View, name: str, holds: tuple[Hold, ...], seen: Seen) -> Standing:
    settings = view.desk.settings.instances[name]
    resting = holds_among(holds, targets_in(view.desk.instances, name).every)
    return Standing(
        told=status_of(view.caller, name, seen),
        scan=seen.newest_scan,
        paused=any(hold.kind is HoldKind.PAUSE for hold in resting),
        trouble=any(hold.is_outage for hold in resting),
        link=settings.paperless.link_url.rstrip("/"),
    )
