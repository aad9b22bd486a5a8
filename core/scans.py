"""One scan of one instance: why documents are left alone, and what it leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Scan:
    """One pass over one instance, with its report."""

    id: int
    instance: str
    asked_by: str
    started_at: datetime
    finished_at: datetime | None = None
    seen: int = 0
    enqueued: int = 0
    skipped: Mapping[Skip, int] = field(default_factory=dict)
    problem: str | None = None
    """Why the scan ended early; None if it went through."""
