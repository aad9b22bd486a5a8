"""Count requests and their duration by outcome, for metrics."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from paperless_client.errors import PaperlessError

_OK = "ok"
_CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class RequestStats:
    """Number and total duration of requests with one outcome."""

    requests: int = 0
    seconds: float = 0.0


class RequestTimer:
    """Counts the requests to one Paperless."""

    def __init__(self) -> None:
        self._took: dict[str, RequestStats] = {}

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Count the block as one request, with the code of its error as the outcome."""
        begun, outcome = monotonic(), _CANCELLED
        try:
            yield
            outcome = _OK
        except PaperlessError as error:
            outcome = error.code
            raise
        finally:
            before = self._took.get(outcome, RequestStats())
            seconds = before.seconds + monotonic() - begun
            self._took[outcome] = RequestStats(before.requests + 1, seconds)

    def by_outcome(self) -> Mapping[str, RequestStats]:
        return dict(self._took)
