"""Which HTTP status an error of ours is answered with."""

from actions.decisions import BadValue
from actions.errors import (
    AskedWrongly,
    ConcernsAll,
    InstanceUnknown,
    NothingToAsk,
    NothingToUndo,
    NothingWaits,
)
from core.errors import PaperclerkError
from dashboard.errors import WebError
from paperless_client import DocumentGone, OutageSuspected, PaperlessError
from store import JobDeleted, NotFound, Refused, StoreUnavailable

_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (JobDeleted, 410),
    (NotFound, 404),
    (InstanceUnknown, 404),
    (ConcernsAll, 403),
    (NothingWaits, 404),
    (NothingToAsk, 404),
    (DocumentGone, 404),
    (NothingToUndo, 409),
    (Refused, 409),
    (AskedWrongly, 422),
    (BadValue, 422),
    (StoreUnavailable, 503),
    (OutageSuspected, 502),
    (PaperlessError, 502),
)
"""The first that fits decides: a special kind stands before the one it is of."""

OTHERWISE = 409
"""What was asked for cannot be done as things are."""


def status_of(error: PaperclerkError | PaperlessError) -> int:
    """Return the status that tells a program what to do about an error."""
    if isinstance(error, WebError):
        return error.status
    fits = (status for kind, status in _STATUSES if isinstance(error, kind))
    return next(fits, OTHERWISE)
