"""Holds: an endpoint or an instance rests because of an outage, and its jobs lose nothing."""

from dataclasses import dataclass
from datetime import datetime

PAPERLESS = "paperless:"
MODEL = "model:"


def paperless_target(instance: str) -> str:
    """Name the hold that rests every job of `instance`."""
    return PAPERLESS + instance


def model_target(endpoint: str) -> str:
    """Name the hold that rests the model jobs of every instance that uses `endpoint`."""
    return MODEL + endpoint


@dataclass(frozen=True, slots=True)
class Hold:
    """One target that rests until a probe without a document succeeds."""

    target: str
    cause: str
    since: datetime
    next_probe_at: datetime
    probes: int
    """How many probes have failed since it was first placed."""
