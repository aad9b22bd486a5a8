"""The background worker, which bumps `modified` some time after a bulk edit."""

from collections.abc import Callable, Iterable


class Worker:
    """Runs after the response, after `delay` seconds, or, while stopped, not at all."""

    def __init__(self, bump: Callable[[Iterable[int]], None]) -> None:
        self._bump = bump
        self._waiting: list[int] = []
        self._running = True
        self.delay = 0.0

    @property
    def has_work(self) -> bool:
        return self._running and bool(self._waiting)

    def enqueue(self, document_ids: Iterable[int]) -> None:
        self._waiting += document_ids

    def stop(self) -> None:
        """Go down: bulk edits are still carried out, but `modified` stays as it is."""
        self._running = False

    def start(self) -> None:
        """Come back, and do at once what has waited."""
        self._running = True
        self.run()

    def run(self) -> None:
        if self._running:
            waiting, self._waiting = self._waiting, []
            self._bump(waiting)
