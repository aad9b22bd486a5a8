"""One scan of one instance: why documents are left alone, and what it leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.errors import Problem
from core.jobs import ANALYZE, NewJob


class Skip(StrEnum):
    """Why a scan leaves a document alone."""

    EXCLUDED = "excluded_tag"
    NOT_ASKED_FOR = "tag_missing"
    TOO_OLD = "added_before_since"
    TOO_YOUNG = "too_young"
    QUEUED = "queued"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    IGNORED = "ignored"
    GONE = "gone"
    OVER_LIMIT = "over_limit"


INTERRUPTED = Problem("interrupted", "interrupted")
"""A scan was stopped, or its process died."""


@dataclass(frozen=True, slots=True)
class Scan:
    """One pass over one instance, with its report.

    It may be asked for by one process and done by another.
    """

    id: int
    instance: str
    asked_by: str
    requested_at: datetime
    started_at: datetime | None = None
    """None while it is only asked for."""
    finished_at: datetime | None = None
    kind: str = ANALYZE
    """Kind of the jobs that it makes."""
    limit: int | None = None
    """At most so many documents are enqueued; None for all."""
    seen: int = 0
    enqueued: int = 0
    skipped: Mapping[Skip, int] = field(default_factory=dict)
    problem: Problem | None = None
    """Why the scan ended early; None if it went through."""


@dataclass(frozen=True, slots=True)
class ScanPage:
    """One page of a scan: what it selected, and why it left the rest alone."""

    selected: tuple[tuple[NewJob, str], ...] = ()
    """A job for each selected document, with the document's title."""
    seen: int = 0
    skipped: Mapping[Skip, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KnownInstance:
    """What we remember of one instance."""

    name: str
    endpoint: str
    """The model endpoint it uses, as holds name it."""
    first_started_at: datetime
    last_scan_at: datetime | None
    """When its last scan ended that went through; None before the first."""
    cron: str | None = None
    """The expression that `next_scan_at` was read from."""
    next_scan_at: datetime | None = None
    """When it is to be scanned next, also if that was missed; None if nothing is planned."""
