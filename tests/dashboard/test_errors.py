"""Which status an error is answered with."""

import pytest

from actions.decisions import BadValue
from actions.errors import (
    AllInstancesRequired,
    InstanceUnknown,
    InvalidRequest,
    NameAmbiguous,
    NothingToReview,
    NothingToUndo,
)
from core.errors import PaperclerkError
from core.messages import plain
from core.spending import LimitKind, LimitReached
from dashboard.errors import NotLoggedIn, status_of
from paperless_client import DocumentGone, PaperlessError, PaperlessRefused, PaperlessUnavailable
from store import DocumentIgnored, JobNotFound, NotForReview, ResultDeleted, StoreUnavailable
from tests.store.builders import HOME_7, NOON


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotLoggedIn(), 401),
        (ResultDeleted(7, "home", NOON), 410),
        (JobNotFound(7), 404),
        (InstanceUnknown("attic"), 404),
        (AllInstancesRequired(), 403),
        (NothingToReview("nothing"), 404),
        (DocumentGone(plain("read"), plain("404"), document=7, status=404), 404),
        (NothingToUndo(), 409),
        (NotForReview(7), 409),
        (DocumentIgnored(HOME_7), 409),
        (LimitReached(LimitKind.COST_PER_MONTH, used=1, limit=1), 409),
        (InvalidRequest("what?"), 422),
        (NameAmbiguous("which?"), 422),
        (BadValue("no date"), 422),
        (PaperlessUnavailable(plain("read"), plain("no answer")), 502),
        (PaperlessRefused(plain("write"), plain("400"), status=400, details={}), 502),
        (StoreUnavailable("away"), 503),
    ],
    ids=lambda error: type(error).__name__,
)
def test_the_status_tells_what_can_be_done(
    error: PaperclerkError | PaperlessError, status: int
) -> None:
    assert status_of(error) == status
