"""What became of several jobs that a person wanted in the queue at once."""

from dataclasses import dataclass

from core.jobs import Job
from store import StoreError


@dataclass(frozen=True, slots=True)
class Queued:
    """Jobs that were put into the queue, and why others were not."""

    jobs: tuple[Job, ...]
    refused: tuple[StoreError, ...]

    def or_refused(self) -> "Queued":
        """Raise the first refusal if nothing was put into the queue."""
        if self.jobs or not self.refused:
            return self
        raise self.refused[0]
