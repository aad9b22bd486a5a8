"""Changes for review: all of them, by document, filtered and sorted in pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    and_,
    case,
    cast,
    func,
    or_,
    select,
    text,
)

from core.changes import Change, ChangeState
from core.documents import DocumentRef
from core.fields import NAMED_FIELDS, FieldName
from store.changes.reads import Found, is_of_document, list_where, read_page, readable_changes
from store.columns import clean, folded
from store.tables import WAITS, changes, documents

_IS_CONFLICT = changes.c.state == ChangeState.CONFLICT.value
_HAS_REASON = cast(changes.c.reasons, Text) != "[]"

_HAS_NEW_NAME = and_(
    changes.c.field.in_([name.value for name in NAMED_FIELDS]),
    # Only values that are names have an id; fields of names have no other values.
    changes.c.after.is_not(None),
    changes.c.after["id"].as_string().is_(None),
)
"""Whether a change gives a name that did not exist when it was planned."""
_MAX_NUMBER_LENGTH = 18
"""A longer number is no document id, and would overflow in the database."""


class ReviewOrder(StrEnum):
    """How the documents for review are sorted."""

    OLDEST = "oldest"
    NEWEST = "newest"
    UNSURE = "unsure"
    """The least confident suggestion first."""
    TITLE = "title"


class ReviewNeed(StrEnum):
    """What a person has to look at."""

    CLEAR = "clear"
    """Every check passed: nothing needs a closer look."""
    CHECK = "check"
    """A check failed, or there is another reason for review."""
    NEW_NAME = "new_name"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class ReviewFilter:
    """Which documents for review to list, and in which order; "" and None mean any."""

    instances: tuple[str, ...]
    field: str = ""
    """A field for review: `title`, or `custom_field:7`."""
    reason: str = ""
    need: ReviewNeed | None = None
    correspondent: str = ""
    """The suggested correspondent."""
    below: float | None = None
    """At least one suggestion has a lower confidence than this."""
    words: str = ""
    """Part of the title or of a suggested value, or the number of a document."""
    order: ReviewOrder = ReviewOrder.OLDEST


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """One page of the documents for review."""

    changes: tuple[Change, ...]
    """All changes for review of its documents, by document."""
    total: int
    """The number of documents on all pages."""


@dataclass(frozen=True, slots=True)
class ReviewPlace:
    """The place of a document in the list, with the documents before and after it."""

    number: int
    """Counted from 1; 0 if the document is not in the list."""
    total: int
    before: DocumentRef | None
    after: DocumentRef | None


NOWHERE = ReviewPlace(0, 0, None, None)


def list_for_review(
    connection: Connection,
    instance: str | None = None,
    document: DocumentRef | None = None,
    limit: int = 100,
    after_id: int = 0,
) -> tuple[Change, ...]:
    """List changes for review, oldest first; `after_id` continues after a page.

    Fewer than `limit` means the last page: unreadable changes are not counted.
    """
    statement = select(changes).where(text(WAITS), changes.c.id > after_id)
    if instance is not None:
        statement = statement.where(changes.c.instance == instance)
    if document is not None:
        statement = statement.where(is_of_document(document))
    return read_page(connection, limit, lambda _: statement.order_by(changes.c.id))


def list_for_review_by_document(
    connection: Connection, instances: Sequence[str], limit: int = 50, after_id: int = 0
) -> tuple[Change, ...]:
    """List all changes for review of the next `limit` documents, by document, the oldest first.

    `after_id` is the id of the first change of the last document on the previous page.
    """
    found: tuple[Change, ...] = ()
    while (missing := limit - len({change.document for change in found})) > 0:
        rows = (
            connection.execute(_select_of_documents(instances, missing, after_id)).mappings().all()
        )
        found += readable_changes(rows)
        firsts = {row["first"] for row in rows}
        if len(firsts) < missing:
            break
        after_id = max(firsts)
    return found


def list_for_review_with_new_names(
    connection: Connection, instances: Sequence[str]
) -> tuple[Change, ...]:
    """List changes for review with a name that did not exist when they were planned."""
    return list_where(connection, text(WAITS), changes.c.instance.in_(instances), _HAS_NEW_NAME)


def list_review_page(
    connection: Connection, wanted: ReviewFilter, *, limit: int, offset: int = 0
) -> ReviewPage:
    """List the changes for review of `limit` documents, after the first `offset` ones."""
    listed = _select_documents(wanted).subquery()
    shown = select(listed).order_by(listed.c.place).limit(limit).offset(offset).subquery()
    of_them = and_(
        changes.c.instance == shown.c.instance, changes.c.document_id == shown.c.document_id
    )
    found = select(changes, shown.c.total).join(shown, of_them).where(text(f"changes.{WAITS}"))
    rows = connection.execute(found.order_by(shown.c.place, changes.c.id)).mappings().all()
    return ReviewPage(readable_changes(rows), rows[0]["total"] if rows else 0)


def find_review_place(
    connection: Connection, wanted: ReviewFilter, document: DocumentRef
) -> ReviewPlace:
    """Return the place of a document in the list."""
    listed = _select_documents(wanted).subquery()
    order = listed.c.place
    neighbours = [
        move(column).over(order_by=order).label(f"{name}_{column.name}")
        for name, move in (("before", func.lag), ("after", func.lead))
        for column in (listed.c.instance, listed.c.document_id)
    ]
    numbered = select(listed, *neighbours).subquery()
    found = select(numbered).where(
        numbered.c.instance == document.instance, numbered.c.document_id == document.id
    )
    row = connection.execute(found).mappings().first()
    if row is None:
        return NOWHERE
    before, after = (
        DocumentRef(row[f"{name}_instance"], row[f"{name}_document_id"])
        if row[f"{name}_instance"] is not None
        else None
        for name in ("before", "after")
    )
    return ReviewPlace(row["place"], row["total"], before, after)


def list_correspondents_for_review(
    connection: Connection, instances: tuple[str, ...], limit: int = 100
) -> tuple[str, ...]:
    """Return the correspondents that are suggested in changes for review, by name."""
    name = changes.c.after["name"].as_string()
    found = (
        select(name)
        .where(
            text(WAITS),
            changes.c.instance.in_(instances),
            changes.c.field == FieldName.CORRESPONDENT.value,
            changes.c.after.is_not(None),
        )
        .distinct()
        .order_by(name)
        .limit(limit)
    )
    return tuple(connection.scalars(found))


def _select_of_documents(instances: Sequence[str], limit: int, after_id: int) -> Found:
    first = func.min(changes.c.id)
    documents = (
        select(changes.c.instance, changes.c.document_id, first.label("first"))
        .where(text(WAITS), changes.c.instance.in_(instances))
        .group_by(changes.c.instance, changes.c.document_id)
        .having(first > after_id)
        .order_by(first)
        .limit(limit)
        .subquery()
    )
    of_them = and_(
        changes.c.instance == documents.c.instance,
        changes.c.document_id == documents.c.document_id,
    )
    found = select(changes, documents.c.first).join(documents, of_them)
    return found.where(text(f"changes.{WAITS}")).order_by(documents.c.first, changes.c.id)


def _select_documents(wanted: ReviewFilter) -> Select[*tuple[object, ...]]:
    """Build the query for the documents, each with its place and the number of all."""
    first = func.min(changes.c.id)
    confidence = func.min(changes.c.confidence)
    title = func.coalesce(documents.c.title_key, "")
    order: dict[ReviewOrder, tuple[ColumnElement[object], ...]] = {
        ReviewOrder.OLDEST: (first.asc(),),
        ReviewOrder.NEWEST: (first.desc(),),
        ReviewOrder.UNSURE: (confidence.asc(), first.asc()),
        ReviewOrder.TITLE: (title.asc(), first.asc()),
    }
    of_document = and_(
        documents.c.instance == changes.c.instance,
        documents.c.document_id == changes.c.document_id,
    )
    place = func.row_number().over(order_by=order[wanted.order]).label("place")
    return (
        select(
            changes.c.instance,
            changes.c.document_id,
            place,
            func.count().over().label("total"),
        )
        .select_from(changes.outerjoin(documents, of_document))
        .where(text(f"changes.{WAITS}"), changes.c.instance.in_(wanted.instances))
        .group_by(changes.c.instance, changes.c.document_id, documents.c.title_key)
        .having(and_(True, *_conditions(wanted)))  # noqa: FBT003 - the neutral element
    )


def _conditions(wanted: ReviewFilter) -> Iterator[ColumnElement[bool]]:
    if field := clean(wanted.field):
        named = changes.c.field.startswith(f"{field}:", autoescape=True)
        yield _any(or_(changes.c.field == field, named))
    if reason := clean(wanted.reason):
        yield _any(cast(changes.c.reasons, Text).contains(f'"{reason}"', autoescape=True))
    if wanted.need is not None:
        yield _needs(wanted.need)
    if correspondent := clean(wanted.correspondent):
        name = changes.c.after["name"].as_string()
        is_field = changes.c.field == FieldName.CORRESPONDENT.value
        yield _any(and_(is_field, name == correspondent))
    if wanted.below is not None:
        yield func.min(changes.c.confidence) < wanted.below
    if wanted.words:
        yield _contains(wanted.words)


def _needs(need: ReviewNeed) -> ColumnElement[bool]:
    match need:
        case ReviewNeed.CHECK:
            return _any(_HAS_REASON)
        case ReviewNeed.NEW_NAME:
            return _any(_HAS_NEW_NAME)
        case ReviewNeed.CONFLICT:
            return _any(_IS_CONFLICT)
        case ReviewNeed.CLEAR:
            return ~_any(or_(_HAS_REASON, _HAS_NEW_NAME, _IS_CONFLICT))


def _contains(words: str) -> ColumnElement[bool]:
    part = folded(words)
    suggested = [
        _any(func.lower(changes.c.after[key].as_string()).contains(part, autoescape=True))
        for key in ("name", "text", "option")
    ]
    titled = func.coalesce(documents.c.title_key, "").contains(part, autoescape=True)
    is_number = words.isdecimal() and len(words) < _MAX_NUMBER_LENGTH
    numbered = [changes.c.document_id == int(words)] if is_number else []
    return or_(titled, *suggested, *numbered)


def _any(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return whether any change of the document meets a condition."""
    return func.max(case((condition, 1), else_=0)) == 1
