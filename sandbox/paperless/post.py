"""Letters under way: documents that are not in a pretend Paperless yet, and arrive one by one."""

from collections import deque
from collections.abc import Iterable

from sandbox.paperless.records import Document
from sandbox.paperless.world import World


class PendingDocuments:
    """Keeps documents of a world back, and brings them when it is told to."""

    def __init__(self, world: World, ids: Iterable[int]) -> None:
        self._world = world
        with world.lock:
            self._letters = deque(world.documents.pop(id_) for id_ in ids)

    def __len__(self) -> int:
        """Count the letters that are still under way."""
        return len(self._letters)

    def deliver(self) -> Document:
        """Bring the next letter as the consumer does: added at this moment, and dated today."""
        letter = self._letters.popleft()
        with self._world.lock:
            letter.added = letter.modified = self._world.now()
            letter.created = letter.added.astimezone(self._world.zone).date()
            self._world.documents[letter.id] = letter
        return letter
