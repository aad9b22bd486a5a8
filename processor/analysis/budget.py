"""Estimate tokens, and shorten a text to the tokens available."""

from dataclasses import dataclass
from math import ceil

BYTES_PER_TOKEN = 3
"""Low on purpose: German text has about 3.5 bytes per token, and a prompt that is too long is worse
than one that leaves some room."""
HEAD_SHARE = 0.7
"""Share kept of the beginning, with letterhead, subject and date; the rest is from the end."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text, complete or with its middle left out."""

    text: str
    left_out: int
    """How many characters are missing."""


def estimate_tokens(text: str) -> int:
    """Return an estimate of the tokens of `text`; rather too many than too few."""
    return ceil(len(text.encode()) / BYTES_PER_TOKEN)


def drop_middle_to_fit(text: str, room: int) -> Excerpt:
    """Return `text`, or its beginning and end if it has more than `room` tokens.

    The excerpt is empty if not even that fits.
    """
    if estimate_tokens(text) <= room:
        return Excerpt(text, 0)
    kept = room * BYTES_PER_TOKEN - len(_gap(len(text)))
    if kept <= 0:
        return Excerpt("", len(text))
    written, length = text.encode(), int(kept * HEAD_SHARE)
    # A character that was cut in two is dropped.
    head = written[:length].decode(errors="ignore")
    tail = written[len(written) - (kept - length) :].decode(errors="ignore")
    left_out = len(text) - len(head) - len(tail)
    return Excerpt(head + _gap(left_out) + tail, left_out)


def _gap(left_out: int) -> str:
    return f"\n[... {left_out} characters left out ...]\n"
