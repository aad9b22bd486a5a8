"""A sandbox for daemons that are killed: it records what each request changed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from starlette.types import Receive, Scope, Send

from sandbox import Sandbox
from sandbox.faults import Faults
from sandbox.paperless import Kind, World, load_world, persons
from tests.kill.points import Server

DONE = "Erledigt"
LETTERS = (1, 2, 4, 6, 7, 8, 9, 11, 13, 14, 17, 24)
"""Sample documents: nested tags, new names, some for review."""
PRIVATE = 19
"""A document that must not be read."""
_FIELDS = ("title", "correspondent", "document_type", "created")

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Effect:
    """The change of one field, or one tag, of one document."""

    document: int
    field: str
    after: object


class RecordingSandbox:
    """A sandbox that records what each request to its Paperless changed."""

    def __init__(self, world: World) -> None:
        self._sandbox = Sandbox(world, middleware=lambda _: self._noting)
        self.world = world
        self.paperless = self._sandbox.paperless
        self.model = self._sandbox.model
        self.settings = self._sandbox.settings
        self.effects: list[Effect] = []
        self.when_written: Callable[[], None] | None = None
        """Called once, after the first effect and before the next request is answered."""
        self.first = self._seen = snapshot(world)
        self.first_names = names_in(world)

    def __enter__(self) -> Self:
        self._sandbox.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._sandbox.__exit__(None, None, None)

    def faults(self, server: Server) -> Faults:
        return self.paperless.faults if server is Server.PAPERLESS else self.model.state.faults

    async def _noting(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Before each request as well, to include one that is delayed after its write.
        self._note()
        await self.paperless(scope, receive, send)
        self._note()

    def _note(self) -> None:
        now = snapshot(self.world)
        found = list(differences_of(self._seen, now))
        self.effects += found
        self._seen = now
        if found and self.when_written is not None:
            call, self.when_written = self.when_written, None
            call()


def small_world(letters: Iterable[int] = LETTERS) -> World:
    """Build a Paperless with some unfiled letters and a private one."""
    world = load_world()
    world.add_name(Kind.TAG, DONE)
    world.documents = {id_: world.documents[id_] for id_ in (*letters, PRIVATE)}
    return world


def snapshot(world: World) -> Mapping[int, Fields]:
    """Return the writable fields of every document; each tag is a separate field."""
    with world.lock:
        documents = [
            persons.describe_document(world, document) for document in world.documents.values()
        ]
    return {int(str(document["id"])): fields_of(document) for document in documents}


def names_in(world: World) -> tuple[tuple[str, str], ...]:
    """Return every name with its kind, duplicates included."""
    with world.lock:
        return tuple(
            sorted(
                (kind.value, entry.name) for kind in Kind for entry in world.names[kind].values()
            )
        )


def fields_of(document: Fields) -> Fields:
    """Return the writable fields of a document; each tag is a separate field."""
    tags = document["tags"]
    assert isinstance(tags, list)
    return {field: document[field] for field in _FIELDS} | {f"tag {tag}": True for tag in tags}


def differences_of(before: Mapping[int, Fields], after: Mapping[int, Fields]) -> Iterator[Effect]:
    """Yield each field and tag whose value differs."""
    for id_, fields in after.items():
        had = before.get(id_, {})
        for field in sorted({*fields, *had}):
            if fields.get(field) != had.get(field):
                yield Effect(id_, field, fields.get(field))
