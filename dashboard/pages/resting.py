"""What rests, how much waits because of it, and what a person can do about it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.holds import Hold, HoldKind, holds_among
from dashboard.access import Right
from dashboard.pages.standing import visible_holds
from dashboard.pages.view import View


@dataclass(frozen=True, slots=True)
class Rest:
    """One hold, as a page tells of it."""

    hold: Hold
    waiting: int
    """Jobs that rest, of the instances that are looked at."""
    test: str
    """Where one sees whether it is still away; "" if one may not, or it is no outage."""


async def rests_with_jobs(view: View) -> list[Rest]:
    """List what rests; how much waits is only asked when something does."""
    holds = await visible_holds(view)
    held = await view.desk.store.jobs.held_in(view.names) if holds else {}
    return rests_of(view, holds, held)


def rests_of(view: View, holds: Iterable[Hold], held: Mapping[str, int]) -> list[Rest]:
    """Tell of each hold how many jobs rest in the instances that it stops; outages come first."""
    rests = [_rest(view, hold, held) for hold in holds]
    return sorted(rests, key=lambda one: not one.hold.is_outage)


def _rest(view: View, hold: Hold, held: Mapping[str, int]) -> Rest:
    known = view.desk.instances
    stopped = [
        name
        for name in view.names
        if name in known and holds_among([hold], known[name].targets.every)
    ]
    waiting = sum(held.get(name, 0) for name in stopped)
    return Rest(hold, waiting, _test(view, hold, stopped) if hold.is_outage else "")


def _test(view: View, hold: Hold, stopped: list[str]) -> str:
    what = "model" if hold.kind is HoldKind.MODEL else "paperless"
    if not stopped or what not in view.desk.examinations or not view.person.may(Right.ACT):
        return ""
    return f"/settings/{stopped[0]}/{what}"
