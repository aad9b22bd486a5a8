"""How long finished things are kept."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long after their end things are kept. What is live is kept however old it is."""

    events: timedelta = timedelta(days=30)
    """A finished job's story."""
    results: timedelta = timedelta(days=90)
    """What a model said."""
    partial_results: timedelta = timedelta(days=14)
    """What it said about single passes, what is not the final word any more, and answers word by
    word."""
    jobs: timedelta = timedelta(days=90)
    """Finished jobs, with all that is left of them, and scans."""
    changes: timedelta = timedelta(days=365)
    """Settled changes: so long they can be undone."""


@dataclass(frozen=True, slots=True)
class PruneCounts:
    """How many rows were deleted."""

    events: int = 0
    results: int = 0
    answers: int = 0
    jobs: int = 0
    changes: int = 0
    scans: int = 0
