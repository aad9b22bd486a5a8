"""How long each stage of an attempt may take: nothing that hangs may hang the processor."""

from dataclasses import dataclass
from datetime import timedelta

from core.errors import PaperclerkError
from core.jobs import Stage

_CALLS = 4
"""An answer may take as many calls: two ways of asking, each once more with more room."""
_REQUESTS = 10
"""Reading names, document and back again; Paperless may be slow at each."""

_PROBE = timedelta(seconds=15)
"""Much for so small a question; and the others wait for its answer."""
_QUESTION = timedelta(seconds=30)
"""A model may have to be loaded first."""


class TookTooLong(PaperclerkError):
    """A stage, or the whole attempt, did not come to its end in time."""

    code = "took_too_long"
    user_message = "Working on this document took too long."
    hint = (
        "A slow model needs a larger ai.timeout, a slow Paperless a larger paperless.timeout, "
        "a very long document a larger retry.attempt_timeout."
    )


@dataclass(frozen=True, slots=True)
class Patience:
    """The longest that a call to the model, a request to Paperless and a whole attempt may take."""

    call: timedelta = timedelta(minutes=5)
    request: timedelta = timedelta(seconds=30)
    attempt: timedelta = timedelta(hours=12)
    """All stages together: each may be begun anew for each part of a long document."""

    @property
    def probe(self) -> timedelta:
        """Return how long a probe may take: nobody shows meanwhile that the job is alive."""
        return min(self.request, _PROBE)

    @property
    def question(self) -> timedelta:
        """Return how long a probe may take that the model itself has to answer."""
        return min(self.call, _QUESTION)

    def with_stage(self, stage: Stage | None) -> timedelta:
        """Return how long an attempt may stay in a stage."""
        return self.call * _CALLS if stage is Stage.ANALYZE else self.request * _REQUESTS
