"""The `Range` header of a request for part of a file."""

import re
from dataclasses import dataclass

from dashboard.errors import WebError

_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


class RangeNotSatisfiable(WebError):
    """The requested part lies behind the end of the file."""

    status = 416
    code = "range_not_satisfiable"
    user_message = "The file has no such part."

    def __init__(self, size: int) -> None:
        super().__init__(f"the file has {size} bytes")


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A part of a file."""

    start: int
    stop: int
    """The position after its last byte."""

    @property
    def length(self) -> int:
        return self.stop - self.start


def parse_range(header: str, size: int) -> ByteRange | None:
    """Return the requested part; None for the whole file, also if the header is not understood.

    Raise RangeNotSatisfiable. Several parts at once are not supported: the whole file is sent.
    """
    asked = _RANGE.fullmatch(header.replace(" ", ""))
    if asked is None or asked.groups() == ("", ""):
        return None
    first, last = asked.groups()
    if not first:
        start, stop = max(0, size - int(last)), size
    else:
        start, stop = int(first), min(size, int(last) + 1) if last else size
        if last and int(last) < start:
            return None
    if start >= stop:
        raise RangeNotSatisfiable(size)
    return ByteRange(start, stop)
