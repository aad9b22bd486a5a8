"""The text of a document on a page, with the evidence of its changes marked."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from actions.documents import DocumentSnapshot
from core.changes import Change
from core.documents import KnownDocument, content_hash
from core.fields import Field
from dashboard.pages.review_form import field_anchor

MAX_SHOWN = 24_000
"""Characters of a text that a page shows beside other things; a longer one is shortened."""
_MAX_QUOTE_LENGTH = 300
_ELLIPSIS = re.compile(r"\[?(?:\.{3,}|…)\]?")
"""An ellipsis with which a model shortens its quote."""
_WORD = re.compile(r"\w+")
_BETWEEN = r"(?:\s{1,200}+|[^\w\s]){0,9}+"
"""What may stand between two words of a quote: text recognition adds line breaks, dots and gaps."""
_CONTEXT = 300
"""Characters that are kept on either side of a mark in a long text."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text that is evidence for a change."""

    begin: int
    end: int
    change: int


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text, all of which is evidence for the same changes, or for none."""

    text: str
    changes: tuple[int, ...] = ()
    starts: tuple[int, ...] = ()
    """The changes whose evidence begins here."""
    is_cut: bool = False
    """Whether a part of the text is left out here."""


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


def find_spans(text: str, quotes: Mapping[int, str]) -> tuple[Span, ...]:
    """Find the quote of each change in a text, ignoring case, spacing and punctuation.

    The parts of a shortened quote are found one after another. What is not there has no span.
    """
    spans: list[Span] = []
    for change, quote in quotes.items():
        position = 0
        for part in _ELLIPSIS.split(quote[:_MAX_QUOTE_LENGTH]):
            words = _WORD.findall(part)
            pattern = _BETWEEN.join(map(re.escape, words))
            found = words and re.compile(pattern, re.IGNORECASE).search(text, position)
            if found:
                spans.append(Span(found.start(), found.end(), change))
                position = found.end()
    return tuple(spans)


def split_text(text: str, spans: Sequence[Span]) -> list[TextPart]:
    """Split a text where the evidence of any change begins or ends."""
    edges = sorted({0, len(text), *(span.begin for span in spans), *(span.end for span in spans)})
    first = {span.change: span.begin for span in reversed(spans)}
    parts = []
    for begin, end in pairwise(edges):
        covering = [span.change for span in spans if span.begin <= begin and end <= span.end]
        changes = tuple(dict.fromkeys(covering))
        starts = tuple(change for change in changes if first[change] == begin)
        parts.append(TextPart(text[begin:end], changes, starts))
    return parts


def shorten(parts: Iterable[TextPart], *, room: int) -> list[TextPart]:
    """Leave out what is far from any mark, if the text is longer than `room` characters."""
    whole = list(parts)
    if sum(len(part.text) for part in whole) <= room:
        return whole
    shortened: list[TextPart] = []
    for number, part in enumerate(whole):
        if part.changes or len(part.text) <= 2 * _CONTEXT:
            shortened.append(part)
            continue
        # The beginning of a letter says most about it.
        head = part.text[: room // 2 if number == 0 else _CONTEXT]
        tail = part.text[-_CONTEXT:] if number < len(whole) - 1 else ""
        shortened += [TextPart(head), TextPart("", is_cut=True), TextPart(tail)]
    return shortened
