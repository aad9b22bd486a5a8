"""How long finished jobs, results and changes are kept."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Retention after the end; what is not finished is kept at any age."""

    events: timedelta = timedelta(days=30)
    """Timelines of finished jobs."""
    results: timedelta = timedelta(days=90)
    """Results of analyses."""
    partial_results: timedelta = timedelta(days=14)
    """Results of single chunks, superseded results, and raw responses."""
    jobs: timedelta = timedelta(days=90)
    """Finished jobs with everything that belongs to them, and scans."""
    changes: timedelta = timedelta(days=365)
    """Settled changes, which can be undone until then."""


@dataclass(frozen=True, slots=True)
class PruneCounts:
    """How many rows were deleted."""

    events: int = 0
    results: int = 0
    planned_suggestions: int = 0
    answers: int = 0
    jobs: int = 0
    changes: int = 0
    scans: int = 0
