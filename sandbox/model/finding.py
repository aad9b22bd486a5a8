"""What the reader found: a value, its quote, and its confidence."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """One value, with a literal quote from the document."""

    value: str
    evidence: str
    confidence: float

    def as_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything found in one document; None or () if nothing was."""

    title: Finding | None = None
    correspondent: Finding | None = None
    document_type: Finding | None = None
    tags: tuple[Finding, ...] = ()
    date: Finding | None = None
    storage_path: Finding | None = None
    custom: Mapping[str, Finding] = field(default_factory=dict)
    """Values of custom fields, by their requested key."""
