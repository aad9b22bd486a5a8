"""Pending documents, which are added to a fake Paperless one by one."""

from collections import deque
from collections.abc import Iterable

from sandbox.paperless.records import ADDED, Document
from sandbox.paperless.world import World


class PendingDocuments:
    """Documents that are removed from a world and added again on request."""

    def __init__(self, world: World, ids: Iterable[int]) -> None:
        self._world = world
        with world.lock:
            self._letters = deque(world.documents.pop(id_) for id_ in ids)

    def __len__(self) -> int:
        """Return the number of pending documents."""
        return len(self._letters)

    def deliver(self) -> Document:
        """Add the next document as the consumer does: added now, and dated today."""
        letter = self._letters.popleft()
        with self._world.lock:
            letter.added = letter.modified = self._world.now()
            letter.created = letter.added.astimezone(self._world.zone).date()
            self._world.documents[letter.id] = letter
            self._world.webhooks.fire(ADDED, letter)
        return letter
