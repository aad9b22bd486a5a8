"""Pause and resume: rests that a person places and ends; they survive a restart."""

from dataclasses import dataclass

from core.holds import PAUSE_ALL, Hold, HoldKind, pause_target
from processor.actions.caller import Caller


@dataclass(frozen=True, slots=True)
class Resumed:
    """What a resume found."""

    was_paused: bool
    others: tuple[Hold, ...]
    """Pauses that are left."""


async def pause(caller: Caller, instance: str | None, why: str = "") -> Hold:
    """Let an instance, or everything, rest until it is resumed."""
    cause = f"paused by {caller.by}: {why}" if why else f"paused by {caller.by}"
    target = _target(caller, instance)
    return await caller.store.holds.place(target, cause, next_probe_at=None, now=caller.now())


async def resume(caller: Caller, instance: str | None) -> Resumed:
    """Go on after a pause; tell of any other that is left."""
    target, holds = _target(caller, instance), await caller.store.holds.active()
    await caller.store.holds.lift(target, now=caller.now())
    pauses = [hold for hold in holds if hold.kind is HoldKind.PAUSE]
    return Resumed(
        was_paused=any(hold.target == target for hold in pauses),
        others=tuple(hold for hold in pauses if hold.target != target),
    )


def _target(caller: Caller, instance: str | None) -> str:
    if instance is None:
        return PAUSE_ALL
    caller.require(instance)
    return pause_target(instance)
