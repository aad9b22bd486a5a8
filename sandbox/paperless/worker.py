"""The background worker, which updates `modified` some time after a bulk edit."""

from collections.abc import Callable, Iterable


class Worker:
    """Runs tasks after the response, after `delay` seconds, or not at all while stopped."""

    def __init__(self, bump: Callable[[Iterable[int]], None]) -> None:
        self._bump = bump
        self._waiting: list[int] = []
        self._running = True
        self.delay = 0.0
        self.tasks = 0
        """Background tasks that a real Paperless would have queued so far.

        It has one worker by default, and each task takes 2.5 to 5.5 seconds.
        """

    @property
    def has_work(self) -> bool:
        return self._running and bool(self._waiting)

    def enqueue(self, document_ids: Iterable[int]) -> None:
        """Queue one task for these documents; none for no document."""
        documents = list(document_ids)
        self.tasks += bool(documents)
        self._waiting += documents

    def stop(self) -> None:
        """Stop: bulk edits are still carried out, but `modified` stays as it is."""
        self._running = False

    def start(self) -> None:
        """Start, and run the waiting tasks at once."""
        self._running = True
        self.run()

    def run(self) -> None:
        if self._running:
            waiting, self._waiting = self._waiting, []
            self._bump(waiting)
