"""Read what was stored, also if it has been damaged or was written by a version long gone."""

from collections.abc import Callable
from typing import TypeVar

import structlog

log = structlog.get_logger()

T = TypeVar("T")

UNREADABLE = (AttributeError, KeyError, TypeError, ValueError)
"""What comes of JSON that has not the shape it should have, or is none."""


def readable(read: Callable[[], T], **which: int) -> T | None:
    """Return what `read` gives; if it cannot be read, warn and return None."""
    try:
        return read()
    except UNREADABLE as error:
        # Only the kind: the error's words quote what is stored, and that is private.
        log.warning("stored row unreadable", error=type(error).__name__, **which)
        return None
