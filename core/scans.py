"""One scan of one instance: why documents are left alone, and what it leaves behind."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.errors import Problem
from core.holds import HoldKind
from core.jobs import ANALYZE, NewJob
from core.messages import message


class SkipReason(StrEnum):
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
    READ_ONLY = "read_only"
    OVER_LIMIT = "over_limit"
    NOT_READ = "not_read"
    """The limit of the scan was reached before this part of the list was read."""


INTERRUPTED = Problem("interrupted", message("interrupted"))
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
    skipped: Mapping[SkipReason, int] = field(default_factory=dict)
    problem: Problem | None = None
    """Why the scan ended early; None if it went through."""
    changed_since: datetime | None = None
    """Only what was modified since then was looked at; None: the whole list."""

    def satisfies(self, kind: str, limit: int | None) -> bool:
        """Return whether who asked for this may join it: a dry run is no scan."""
        return self.kind == kind and self.limit in {None, limit}


@dataclass(frozen=True, slots=True)
class ScanPage:
    """One page of a scan: what it selected, and why it left the rest alone."""

    selected: tuple[tuple[NewJob, str], ...] = ()
    """A job for each selected document, with the document's title."""
    seen: int = 0
    skipped: Mapping[SkipReason, int] = field(default_factory=dict)
    young: tuple[datetime, ...] = ()
    """When those were modified that are too young yet: they are looked at again."""


@dataclass(frozen=True, slots=True)
class ScanMark:
    """How far an instance has been looked through.

    Times of documents are Paperless's own: its clock and ours need not agree.
    """

    modified: datetime
    """All that was modified until then has been looked at."""
    rules: str
    """Hash of what was asked for, and as whom: by other rules, older documents may count."""
    around: str | None
    """Hash of what stood around the mark: while it is the same, nothing has changed.

    None: look again in any case, for something was too young.
    """
    whole_at: datetime
    """When the whole list was last read, by our clock."""
    passed_at: datetime
    """When the daily pass was last made or skipped, by our clock."""
    documents: int | None = None
    """Number of documents according to the scans so far; None if unknown."""
    newest_id: int | None = None
    """The highest document id."""


@dataclass(frozen=True, slots=True)
class ScanCoverage:
    """At what a scan has looked."""

    changed_since: datetime | None = None
    """Only at what was modified since then; None: at the whole list."""
    mark: ScanMark | None = None
    """Where the next one goes on; None: the mark stays where it was."""


FULL_COVERAGE = ScanCoverage()


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


class NextScan(StrEnum):
    """Whether the next scan of an instance is planned and, if not, why."""

    PLANNED = "planned"
    DUE = "due"
    """It is due and starts as soon as possible."""
    RUNNING = "running"
    PAUSED = "paused"
    UNREACHABLE = "unreachable"
    ON_REQUEST = "on_request"
    """Scans run only when a person starts one."""


def next_scan_of(
    planned_at: datetime | None, *, stopped_by: Container[HoldKind], running: bool, now: datetime
) -> NextScan:
    """Return the state of the next scan and, if it is planned, its time."""
    if planned_at is None:
        return NextScan.ON_REQUEST
    if HoldKind.PAUSE in stopped_by:
        return NextScan.PAUSED
    if HoldKind.PAPERLESS in stopped_by:
        return NextScan.UNREACHABLE
    if planned_at > now:
        return NextScan.PLANNED
    return NextScan.RUNNING if running else NextScan.DUE
