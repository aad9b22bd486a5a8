"""Pause and resume: rests that a person places and ends; they survive a restart."""

from collections.abc import Collection
from dataclasses import dataclass

from actions.caller import Caller
from actions.errors import ConcernsAll
from core.holds import PAUSE_ALL, Hold, HoldCause, HoldKind, pause_target
from core.messages import message


@dataclass(frozen=True, slots=True)
class Resumed:
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
    def all_rest(self) -> bool:
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


async def resume(caller: Caller, instance: str | None) -> Resumed:
    """End the pause of an instance, or that of everything, and no other. Raise like `pause`."""
    return await _lift(caller, {_target(caller, instance)})


async def let_go_on(caller: Caller, instance: str) -> Resumed:
    """End whatever pauses an instance: with its own pause also that of everything.

    Who sees only some instances cannot end that one: it is among the others. Raise InstanceUnknown.
    """
    own = _target(caller, instance)
    return await _lift(caller, {own, PAUSE_ALL} if caller.only is None else {own})


async def _lift(caller: Caller, targets: Collection[str]) -> Resumed:
    holds = await caller.store.holds.active()
    pauses = [hold for hold in holds if hold.kind is HoldKind.PAUSE and _sees(caller, hold)]
    lifted = tuple(hold for hold in pauses if hold.target in targets)
    for hold in lifted:
        await caller.store.holds.lift(hold.target, now=caller.now())
    return Resumed(lifted, tuple(hold for hold in pauses if hold not in lifted))


def _target(caller: Caller, instance: str | None) -> str:
    if instance is not None:
        caller.require(instance)
        return pause_target(instance)
    if caller.only is not None:
        raise ConcernsAll
    return PAUSE_ALL


def _sees(caller: Caller, pause: Hold) -> bool:
    return pause.target == PAUSE_ALL or caller.sees(pause.subject)
