"""The evidence for an audit: everything in the store, and the requests to the sandbox."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from sqlalchemy import Engine, RowMapping, Table, select

from core.changes import Change
from core.documents import KnownDocument
from core.fields import Value
from core.jobs import Event, Job
from store import tables
from store.rows import change_of, document_of, event_of, job_of
from tests.kill.recording_sandbox import Effect, Fields, RecordingSandbox, names_in, snapshot

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """A model call as recorded in the store."""

    job: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end state of sandbox and store, which must not depend on kills."""

    fields: Mapping[int, Fields]
    names: tuple[tuple[str, str], ...]
    """Names that were created, duplicates included."""
    jobs: Mapping[tuple[int, str, str], int]
    """How many jobs there are, by document, kind and status."""
    documents: Mapping[int, tuple[str, bool]]
    """The state of each document, and whether its trigger tag was removed."""
    changes: Mapping[tuple[int, str, str, str, str], int]
    """How many changes there are, by document, field, before, after and state."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that an audit checks."""

    outcome: Outcome
    first: Mapping[int, Fields]
    """The fields of each document at the start."""
    jobs: tuple[Job, ...]
    changes: tuple[Change, ...]
    events: tuple[Event, ...]
    calls: tuple[Call, ...]
    effects: tuple[Effect, ...]
    asked: Mapping[int, int]
    """How often the model was sent the text of a document."""
    holds: tuple[str, ...]
    unfinished_scans: int
    numbers_have_gaps: bool
    """True for PostgreSQL, where a transaction that is rolled back uses up its numbers."""
    killed: frozenset[int]
    """Processes that were killed."""


def gather(
    engine: Engine,
    recording_sandbox: RecordingSandbox,
    *,
    killed: frozenset[int],
    asked: Mapping[int, int] | None = None,
) -> Evidence:
    """Collect the evidence; `asked` is counted here unless it is given."""
    jobs = _all(engine, tables.jobs, job_of)
    changes = _all(engine, tables.changes, change_of)
    documents = _all(engine, tables.documents, document_of)
    return Evidence(
        outcome=_outcome(recording_sandbox, jobs, documents, changes),
        first=recording_sandbox.first,
        jobs=jobs,
        changes=changes,
        events=_all(engine, tables.events, event_of),
        calls=_all(engine, tables.model_calls, lambda row: Call(row["job_id"], row["at"])),
        effects=tuple(recording_sandbox.effects),
        asked=_asked(recording_sandbox) if asked is None else asked,
        holds=tuple(
            row["target"] for row in _rows(engine, tables.holds) if row["lifted_at"] is None
        ),
        unfinished_scans=sum(row["finished_at"] is None for row in _rows(engine, tables.scans)),
        numbers_have_gaps=engine.dialect.name != "sqlite",
        killed=killed,
    )


def _outcome(
    recording_sandbox: RecordingSandbox,
    jobs: tuple[Job, ...],
    documents: tuple[KnownDocument, ...],
    changes: tuple[Change, ...],
) -> Outcome:
    return Outcome(
        fields=snapshot(recording_sandbox.world),
        names=_made(recording_sandbox),
        jobs=Counter((job.document.id, job.kind, job.status.value) for job in jobs),
        documents={
            document.ref.id: (document.state.value, document.trigger_removed)
            for document in documents
        },
        changes=Counter(_describe_change(change) for change in changes),
    )


def _describe_change(change: Change) -> tuple[int, str, str, str, str]:
    """Return a change without ids, which depend on the order of processing."""
    before, after = words_of(change.before), words_of(change.after)
    return (change.document.id, str(change.field), before, after, change.state.value)


def words_of(value: Value) -> str:
    """Return a value as readable text; "" for none."""
    return "" if value is None else str(value)


def _made(recording_sandbox: RecordingSandbox) -> tuple[tuple[str, str], ...]:
    made = Counter(names_in(recording_sandbox.world)) - Counter(recording_sandbox.first_names)
    return tuple(sorted(made.elements()))


def _asked(recording_sandbox: RecordingSandbox) -> Mapping[int, int]:
    prompts = [str(chat.messages) for chat in recording_sandbox.model.state.chats()]
    with recording_sandbox.world.lock:
        texts = {
            document.id: _opening(document.content)
            for document in recording_sandbox.world.documents.values()
        }
    return {id_: sum(text in prompt for prompt in prompts) for id_, text in texts.items()}


def _opening(content: str) -> str:
    """Return a line of a prompt that identifies a document."""
    longest = max(content.splitlines()[:30], key=len, default="").strip()
    return repr(longest)[1:-1]


def _all(engine: Engine, table: Table, read: Callable[[RowMapping], T]) -> tuple[T, ...]:
    return tuple(read(row) for row in _rows(engine, table))


def _rows(engine: Engine, table: Table) -> list[RowMapping]:
    key = table.primary_key.columns.values()
    with engine.connect() as connection:
        return list(connection.execute(select(table).order_by(*key)).mappings())
