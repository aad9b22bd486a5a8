"""The text of a document on a page, with the evidence of its changes marked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from actions.documents import DocumentSnapshot
from core.changes import Change
from core.documents import KnownDocument, content_hash
from core.fields import Field
from dashboard.pages.review_form import field_anchor
from dashboard.rendering.evidence import TextPart, find_spans, shorten, split_text

ROOM = 24_000
"""Characters of a text that a page shows beside other things; a longer one is shortened."""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """The text of a document, with the evidence of its changes marked."""

    parts: list[TextPart]
    marked: frozenset[int]
    """The changes whose evidence was found."""
    fields: Mapping[int, Field]
    """The field of each change."""
    is_changed: bool
    """Whether the text has changed since the analysis."""
    trouble: str
    """Why there is no text; "" if there is one."""

    @property
    def is_cut(self) -> bool:
        return any(part.is_cut for part in self.parts)

    def anchor(self, change: int) -> str:
        """Return the id of a change's field on the page."""
        return field_anchor(self.fields[change])


def build_marked_text(
    changes: Iterable[Change],
    snapshot: DocumentSnapshot | None,
    trouble: str,
    known: KnownDocument | None,
    *,
    room: int | None,
) -> MarkedText:
    """Build the text of a document with its marks, in at most about `room` characters."""
    listed = tuple(changes)
    text = snapshot.text if snapshot else ""
    spans = find_spans(text, {change.id: change.evidence for change in listed if change.evidence})
    parts = split_text(text, spans)
    analyzed = known.content_hash if known else None
    return MarkedText(
        parts if room is None else shorten(parts, room=room),
        frozenset(span.change for span in spans),
        {change.id: change.field for change in listed},
        is_changed=bool(snapshot and analyzed and content_hash(text) != analyzed),
        trouble=trouble,
    )
