"""Holds: something rests, because of an outage, a limit or a person, and its jobs lose nothing."""

from dataclasses import dataclass
from datetime import datetime, timedelta

PAPERLESS = "paperless:"
MODEL = "model:"
LIMIT = "limit:"
PAUSE = "pause:"

PAUSE_ALL = PAUSE + "*"
"""The hold that rests everything. No instance can have that name."""

_PROBE_STEP = timedelta(minutes=1)
_SLOWEST_PROBE = timedelta(minutes=5)


def paperless_target(instance: str) -> str:
    """Name the hold that rests every job of `instance`, because its Paperless is away."""
    return PAPERLESS + instance


def model_target(endpoint: str) -> str:
    """Name the hold that rests the model jobs of every instance that uses `endpoint`."""
    return MODEL + endpoint


def limit_target(instance: str) -> str:
    """Name the hold that rests the model jobs of `instance`, because a limit is reached."""
    return LIMIT + instance


def pause_target(instance: str) -> str:
    """Name the hold that rests every job of `instance`, because a person wants it so."""
    return PAUSE + instance


def next_probe_after(probes: int) -> timedelta:
    """Return the pause before a probe, counted from 1: a minute, two, up to every five."""
    if probes < 1:
        raise ValueError(f"probes are counted from 1, got {probes}")
    return min(_PROBE_STEP * probes, _SLOWEST_PROBE)


@dataclass(frozen=True, slots=True)
class Hold:
    """One target that rests until it is lifted."""

    target: str
    cause: str
    since: datetime
    next_probe_at: datetime | None
    """When to see whether it can be lifted; None: only a person ends it."""
    probes: int
    """How many probes have failed since it was placed."""

    @property
    def is_outage(self) -> bool:
        """Whether somebody does not answer, rather than that a person or a limit wants it so."""
        return self.target.startswith((PAPERLESS, MODEL))
