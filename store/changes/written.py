"""Values written to documents, for scans that compare them with Paperless."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, exists, select, text, update

from core.changes import UNDOABLE, Change, ChangeState, SeenChange
from core.documents import DocumentRef
from core.fields import value_to_json
from store.changes.reads import is_of_document, readable_changes
from store.database import Database
from store.document_rows import is_document
from store.tables import BEGUN, LIVE, WRITTEN, changes, documents, jobs

_CHUNK = 1_000
_APPLIED = changes.c.state == ChangeState.APPLIED.value
_UNCONFIRMED = changes.c.state == ChangeState.UNCONFIRMED.value
_HAS_JOB = exists().where(
    jobs.c.instance == changes.c.instance,
    jobs.c.document_id == changes.c.document_id,
    text(f"jobs.{LIVE}"),
)
"""A pending or running job may write at any time, which would make an earlier read outdated."""

_WITH_CHECKED = select(changes, documents.c.checked_modified.label("checked")).outerjoin(
    documents,
    and_(
        documents.c.instance == changes.c.instance,
        documents.c.document_id == changes.c.document_id,
    ),
)


class WrittenValues:
    """Written changes by document. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        read = database.as_read
        self.has_any = read(has_any)
        self.list_to_check = read(list_to_check)

    async def record_seen(
        self, document: DocumentRef, seen: Sequence[SeenChange], *, now: datetime
    ) -> None:
        """Store whether someone has changed written values, or they are ours again."""
        if seen:
            await self._write(_store_seen, document, seen, now)

    async def record_checked(self, instance: str, modified: Mapping[int, datetime]) -> None:
        """Store the `modified` time at which documents were checked."""
        if modified:
            await self._write(_store_checked, instance, modified)


def has_any(connection: Connection, instance: str) -> bool:
    """Return whether anything was ever written to a document of the instance."""
    written = select(changes.c.id).where(changes.c.instance == instance, text(WRITTEN)).limit(1)
    return connection.execute(written).first() is not None


def list_to_check(
    connection: Connection, instance: str, modified: Mapping[int, datetime]
) -> Mapping[int, tuple[Change, ...]]:
    """Return, by document, the changes that Paperless has or may have.

    This includes the documents in `modified`, unless they were already checked at that time,
    and all documents with unconfirmed changes. Documents with a live job are left out.
    """
    found: defaultdict[int, dict[int, Change]] = defaultdict(dict)
    for condition in _conditions(modified):
        of_instance = changes.c.instance == instance
        statement = _WITH_CHECKED.where(of_instance, condition, ~_HAS_JOB)
        rows = connection.execute(statement.order_by(changes.c.id)).mappings().all()
        fresh = [row for row in rows if _is_to_check(row, modified)]
        for change in readable_changes(fresh):
            found[change.document.id][change.id] = change
    return {id_: tuple(by_id.values()) for id_, by_id in found.items()}


def _conditions(modified: Mapping[int, datetime]) -> Iterator[ColumnElement[bool]]:
    # Unconfirmed changes are also begun, and begun changes have an index.
    yield and_(text(f"({BEGUN})"), _UNCONFIRMED)
    states = [state.value for state in UNDOABLE]
    rest = iter(modified)
    while ids := list(islice(rest, _CHUNK)):
        yield and_(changes.c.document_id.in_(ids), changes.c.state.in_(states))


def _is_to_check(row: RowMapping, modified: Mapping[int, datetime]) -> bool:
    """Return whether the document changed since its last check, or a change is unconfirmed."""
    if row["state"] == ChangeState.UNCONFIRMED.value or row["checked"] is None:
        return True
    is_checked: bool = modified[row["document_id"]] == row["checked"]
    return not is_checked


def _store_seen(
    connection: Connection, document: DocumentRef, seen: Sequence[SeenChange], now: datetime
) -> None:
    for change in seen:
        # A change that was undone in the meantime, or is being undone, no longer matches the read.
        conditions = (changes.c.id == change.change_id, is_of_document(document), _APPLIED)
        still = update(changes).where(*conditions, changes.c.undo_begun_at.is_(None))
        value = None if change.is_ours else value_to_json(change.found)
        seen_at = None if change.is_ours else now
        connection.execute(still.values(changed_seen_at=seen_at, changed_to=value))


def _store_checked(connection: Connection, instance: str, modified: Mapping[int, datetime]) -> None:
    for number, at in modified.items():
        conditions = is_document(DocumentRef(instance, number))
        connection.execute(update(documents).where(conditions).values(checked_modified=at))
