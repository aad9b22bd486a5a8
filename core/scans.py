"""Scans: orders, reports, reasons to skip a document, and marks of progress."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.archive import IndexChoice
from core.errors import Problem
from core.holds import HoldKind
from core.jobs import ANALYZE, NewJob
from core.messages import message
from core.spending import Consent


class SkipReason(StrEnum):
    """Why a scan skips a document."""

    EXCLUDED = "excluded_tag"
    NOT_ASKED_FOR = "tag_missing"
    TOO_OLD = "added_before_since"
    TOO_YOUNG = "too_young"
    QUEUED = "queued"
    DONE = "done"
    DONE_TAG = "done_tag"
    """It has the done tag and is unknown: processed with a database that was lost."""
    ADOPTED = "adopted"
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
    """One scan of one instance, with its report.

    It may be requested by one process and run by another.
    """

    id: int
    instance: str
    asked_by: str
    requested_at: datetime
    started_at: datetime | None = None
    """None while it is only requested."""
    finished_at: datetime | None = None
    kind: str = ANALYZE
    """Kind of the jobs that it enqueues."""
    limit: int | None = None
    """Maximum number of documents to enqueue; None for all."""
    seen: int = 0
    enqueued: int = 0
    skipped: Mapping[SkipReason, int] = field(default_factory=dict)
    problem: Problem | None = None
    """Why the scan ended early; None if it completed."""
    changed_since: datetime | None = None
    """Only documents modified since then were scanned; None: the whole list."""
    consent: Consent | None = None
    """None: the scan needed none."""

    def satisfies(self, kind: str, limit: int | None) -> bool:
        """Return whether this scan does what another request of this kind and limit asks for."""
        return self.kind == kind and self.limit in {None, limit}


@dataclass(frozen=True, slots=True)
class ScanPage:
    """One page of a scan: the selected documents, and why the others were skipped."""

    selected: tuple[tuple[NewJob, str], ...] = ()
    """A job for each selected document, with the document's title."""
    seen: int = 0
    skipped: Mapping[SkipReason, int] = field(default_factory=dict)
    young: tuple[datetime, ...] = ()
    """When the documents that are too young were modified; the next scan includes them."""


@dataclass(frozen=True, slots=True)
class ScanMark:
    """How far an instance has been scanned.

    Times of documents are by the clock of Paperless, which may differ from ours.
    """

    modified: datetime
    """Documents modified until then have been scanned."""
    rules: str
    """Hash of rules and user: with other ones, older documents may be selected."""
    around: str | None
    """Hash of the documents around the mark: while it is the same, nothing has changed.

    None: scan in any case, because a document was too young.
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
    """What a scan covered."""

    changed_since: datetime | None = None
    """Only documents modified since then; None: the whole list."""
    mark: ScanMark | None = None
    """Where the next scan continues; None: the mark does not change."""


FULL_COVERAGE = ScanCoverage()


@dataclass(frozen=True, slots=True)
class KnownInstance:
    """The stored row of one instance."""

    name: str
    endpoint: str
    """The model endpoint it uses, as holds name it."""
    first_started_at: datetime
    last_scan_at: datetime | None
    """When its last completed scan ended; None before the first."""
    cron: str | None = None
    """The expression that `next_scan_at` was computed from."""
    next_scan_at: datetime | None = None
    """When the next scan is due, also if it was missed; None if none is planned."""
    index_choice: IndexChoice | None = None
    """Whether the whole archive may be indexed; None for a new instance, which is not asked."""
    url: str | None = None
    """The address of the Paperless whose documents are known; None before it was first stored."""


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
    """Return the state of the next scan."""
    if planned_at is None:
        return NextScan.ON_REQUEST
    if HoldKind.PAUSE in stopped_by or HoldKind.ADDRESS in stopped_by:
        return NextScan.PAUSED
    if HoldKind.PAPERLESS in stopped_by:
        return NextScan.UNREACHABLE
    if planned_at > now:
        return NextScan.PLANNED
    return NextScan.RUNNING if running else NextScan.DUE
