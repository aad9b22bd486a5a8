"""How things stand that leave no events: scans under way, and what rests."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.holds import Hold
from core.scans import Scan


@dataclass(frozen=True, slots=True)
class Standing:
    """What was seen last."""

    scans: Mapping[str, Scan] = field(default_factory=dict)
    """By instance: one of each at most is asked for or under way."""
    holds: frozenset[Hold] = frozenset()
