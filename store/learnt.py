"""What was learnt from documents: their facts, counts of them, and a person's decisions.

Facts are kept by document, so that what was learnt from a document can be forgotten at once.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    and_,
    case,
    delete,
    func,
    insert,
    select,
    update,
)

from core.documents import DocumentRef
from core.learning import (
    FACTS_VERSION,
    MIN_DOCUMENTS,
    SENDER_FACTS,
    Approval,
    Fact,
    FactCount,
    FactKind,
    LearntDecision,
    LearntDocument,
)
from store.database import Database
from store.engine import insert_into
from store.learnt_tables import (
    learnt_counts,
    learnt_decisions,
    learnt_documents,
    learnt_facts,
)

T = TypeVar("T")

_NOBODY = 0
"""Stands for no correspondent, because NULL would not be unique."""
_CHUNK = 500

_JOINED = learnt_facts.join(learnt_documents, learnt_documents.c.id == learnt_facts.c.document)


class LearntFacts:
    """What was learnt, by instance. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        # Nothing waits for what is learnt in the background.
        self.record = database.as_write(record, announces=None)
        self.forget = write(forget)
        self._forget_counts = write(forget_counts)
        self._forget_sender_facts = write(forget_sender_facts)
        self.set_filed_by_person = write(set_filed_by_person)
        self.list_modified = read(list_modified)
        self.list_written = read(list_written)
        self.find_counts = read(find_counts)
        self.list_sender_facts = read(list_sender_facts)
        self.list_origins = read(list_origins)
        self.count_facts = read(count_facts)
        self.replace_counts = write(replace_counts)
        self.get_counted_at = read(get_counted_at)
        self.list_counts = read(list_counts)
        self.list_counts_by_instance = read(list_counts_by_instance)
        self.decide = write(decide)
        self.withdraw = write(withdraw)
        self.list_decisions = read(list_decisions)
        self.list_decisions_by_instance = read(list_decisions_by_instance)

    async def forget_senders(self, instance: str) -> None:
        """Delete all facts by which senders are recognised, in many transactions."""
        while await self._forget_sender_facts(instance):
            pass

    async def forget_instance(self, instance: str) -> None:
        """Delete all facts of an instance, in many transactions; decisions stay."""
        for ids in _chunks(list(await self.list_modified(instance))):
            await self.forget(instance, ids)
        await self._forget_counts(instance)


def record(connection: Connection, read: Iterable[LearntDocument]) -> None:
    """Store the facts about documents, in place of those stored before."""
    for document in read:
        row = _replace_document(connection, document)
        facts = [
            {
                "document": row,
                "kind": fact.kind.value,
                "value": fact.value,
                "spelling": fact.spelling,
            }
            for fact in sorted(document.facts, key=lambda fact: (fact.kind, fact.value))
        ]
        if facts:
            connection.execute(insert(learnt_facts), facts)


def forget(connection: Connection, instance: str, ids: Collection[int]) -> None:
    """Delete the facts about documents; a person's decisions stay."""
    these = (learnt_documents.c.instance == instance, learnt_documents.c.document_id.in_(ids))
    rows = select(learnt_documents.c.id).where(*these).scalar_subquery()
    connection.execute(delete(learnt_facts).where(learnt_facts.c.document.in_(rows)))
    connection.execute(delete(learnt_documents).where(*these))


def forget_counts(connection: Connection, instance: str) -> None:
    """Delete what was counted for an instance."""
    connection.execute(delete(learnt_counts).where(learnt_counts.c.instance == instance))


def forget_sender_facts(connection: Connection, instance: str) -> bool:
    """Delete some facts by which senders are recognised; return whether there were any."""
    some = (
        select(learnt_facts.c.id)
        .select_from(_JOINED)
        .where(
            learnt_documents.c.instance == instance,
            learnt_facts.c.kind.in_([kind.value for kind in SENDER_FACTS]),
        )
        .limit(_CHUNK)
    )
    ids = connection.scalars(some).all()
    connection.execute(delete(learnt_facts).where(learnt_facts.c.id.in_(ids)))
    return bool(ids)


def set_filed_by_person(
    connection: Connection, document: DocumentRef, correspondent: int | None
) -> None:
    """Store that a person confirmed the correspondent of a document, if its facts are stored."""
    connection.execute(
        update(learnt_documents)
        .where(
            learnt_documents.c.instance == document.instance,
            learnt_documents.c.document_id == document.id,
        )
        .values(correspondent=correspondent, by_person=correspondent is not None)
    )


def list_modified(connection: Connection, instance: str) -> Mapping[int, datetime | None]:
    """Return, by document, Paperless's `modified` when its facts were read.

    It is None for documents that another version has read.
    """
    c = learnt_documents.c
    modified = case((c.version == FACTS_VERSION, c.modified))
    rows = connection.execute(
        select(c.document_id, modified.label("modified")).where(c.instance == instance)
    )
    return {row.document_id: row.modified for row in rows}


def list_written(
    connection: Connection, instance: str, ids: Collection[int]
) -> Mapping[int, int | None]:
    """Return the correspondents that were written to documents without a person."""
    c = learnt_documents.c
    rows = connection.execute(
        select(c.document_id, c.written).where(
            c.instance == instance, c.document_id.in_(ids), c.written.is_not(None)
        )
    )
    return {row.document_id: row.written for row in rows}


def find_counts(
    connection: Connection, instance: str, facts: Collection[Fact]
) -> tuple[FactCount, ...]:
    """Count these facts in the documents that persons filed, by correspondent."""
    wanted: dict[FactKind, list[str]] = {}
    for fact in facts:
        wanted.setdefault(fact.kind, []).append(fact.value)
    found: list[FactCount] = []
    for kind, values in wanted.items():
        for these in _chunks(values):
            of_these = (learnt_facts.c.kind == kind.value, learnt_facts.c.value.in_(these))
            found += _count_by_sender(connection, instance, *of_these)
    return tuple(found)


def list_sender_facts(connection: Connection, instance: str) -> tuple[FactCount, ...]:
    """List the facts by which senders are recognised, each with its only correspondent."""
    facts, documents = learnt_facts.c, learnt_documents.c
    columns = (facts.kind, facts.value)
    sender = func.min(documents.correspondent)
    known = (
        select(
            *columns,
            sender.label("sender"),
            func.count().label("documents"),
            func.min(facts.spelling).label("spelling"),
        )
        .select_from(_JOINED)
        .where(_filed_by_person(instance), facts.kind.in_([kind.value for kind in SENDER_FACTS]))
        .group_by(*columns)
        .having(sender == func.max(documents.correspondent), func.count() >= MIN_DOCUMENTS)
        .order_by(sender, *columns)
    )
    rows = connection.execute(known).mappings()
    return tuple(FactCount(_fact_of(row), row["sender"], row["documents"]) for row in rows)


def list_origins(
    connection: Connection, instance: str, facts: Sequence[Fact], *, limit: int
) -> Mapping[Fact, tuple[DocumentRef, ...]]:
    """Return the newest documents that each fact was learnt from."""
    columns = (learnt_facts.c.kind, learnt_facts.c.value)
    document = learnt_documents.c.document_id
    rank = func.row_number().over(partition_by=columns, order_by=document.desc())
    ranked = (
        select(*columns, document, rank.label("rank"))
        .select_from(_JOINED)
        .where(_filed_by_person(instance), columns[1].in_([fact.value for fact in facts]))
        .subquery()
    )
    newest = select(ranked).where(ranked.c.rank <= limit).order_by(ranked.c.rank)
    found: dict[Fact, list[DocumentRef]] = {fact: [] for fact in facts}
    for row in connection.execute(newest):
        fact = Fact(FactKind(row.kind), row.value)
        if fact in found:
            found[fact].append(DocumentRef(instance, row.document_id))
    return {fact: tuple(documents) for fact, documents in found.items()}


def count_facts(
    connection: Connection, instance: str, kind: FactKind
) -> tuple[tuple[FactCount, ...], int]:
    """Count the facts of a kind by correspondent; also return how many documents persons filed.

    Documents that no person filed are counted as if they had no correspondent.
    """
    facts, documents = learnt_facts.c, learnt_documents.c
    filed = _filed_by_person(instance)
    sender = case((filed, documents.correspondent), else_=_NOBODY)
    columns = (facts.value, facts.spelling, sender.label("sender"))
    counted = (
        select(*columns, func.count().label("documents"))
        .select_from(_JOINED)
        .where(documents.instance == instance, facts.kind == kind.value)
        .group_by(*columns)
    )
    counts = tuple(
        FactCount(Fact(kind, row.value, row.spelling), row.sender or None, row.documents)
        for row in connection.execute(counted)
    )
    total = select(func.count()).select_from(learnt_documents).where(filed)
    return counts, int(connection.scalar(total) or 0)


def replace_counts(
    connection: Connection,
    instance: str,
    kinds: Collection[FactKind],
    counts: Iterable[FactCount],
    *,
    now: datetime,
) -> None:
    """Store counts in place of those of the same kinds."""
    connection.execute(
        delete(learnt_counts).where(
            learnt_counts.c.instance == instance,
            learnt_counts.c.kind.in_([kind.value for kind in kinds]),
        )
    )
    rows = [
        {
            **_key(instance, count.fact, count.correspondent),
            "spelling": count.fact.spelling,
            "documents": count.documents,
            "total": count.total,
            "counted_at": now,
        }
        for count in counts
    ]
    if rows:
        connection.execute(insert(learnt_counts), rows)


def get_counted_at(connection: Connection, instance: str) -> datetime | None:
    """Return when the stored counts of an instance were made; None if there are none."""
    newest = select(func.max(learnt_counts.c.counted_at))
    counted_at: datetime | None = connection.scalar(
        newest.where(learnt_counts.c.instance == instance)
    )
    return counted_at


def list_counts(connection: Connection, instance: str, kind: FactKind) -> tuple[FactCount, ...]:
    """List the stored counts of a kind, the largest first."""
    return list_counts_by_instance(connection, [instance], kind)[instance]


def list_counts_by_instance(
    connection: Connection, instances: Collection[str], kind: FactKind
) -> Mapping[str, tuple[FactCount, ...]]:
    """List the stored counts of a kind by instance, the largest first."""
    c = learnt_counts.c
    of_kind = select(learnt_counts).where(c.instance.in_(instances), c.kind == kind.value)
    rows = connection.execute(of_kind.order_by(c.documents.desc(), c.value, c.correspondent))
    return _by_instance(instances, rows.mappings(), _count_of)


def decide(connection: Connection, instance: str, decision: LearntDecision) -> None:
    """Store a person's decision about a fact; an earlier one is replaced."""
    changed = {
        "spelling": decision.fact.spelling,
        "approval": decision.approval.value,
        "decided_by": decision.decided_by,
        "decided_at": decision.decided_at,
    }
    key = _key(instance, decision.fact, decision.correspondent)
    new = insert_into(connection, learnt_decisions).values(**key, **changed)
    connection.execute(new.on_conflict_do_update(index_elements=[*key], set_=changed))


def withdraw(
    connection: Connection, instance: str, fact: Fact, *, correspondent: int | None = None
) -> bool:
    """Delete a decision; return whether there was one."""
    conditions = [
        learnt_decisions.c[name] == value
        for name, value in _key(instance, fact, correspondent).items()
    ]
    gone = delete(learnt_decisions).where(*conditions).returning(learnt_decisions.c.instance)
    return connection.execute(gone).first() is not None


def list_decisions(
    connection: Connection, instance: str, kinds: Collection[FactKind]
) -> tuple[LearntDecision, ...]:
    """List a person's decisions about facts of these kinds, by spelling."""
    return list_decisions_by_instance(connection, [instance], kinds)[instance]


def list_decisions_by_instance(
    connection: Connection, instances: Collection[str], kinds: Collection[FactKind]
) -> Mapping[str, tuple[LearntDecision, ...]]:
    """List a person's decisions about facts of these kinds by instance, by spelling."""
    c = learnt_decisions.c
    found = select(learnt_decisions).where(
        c.instance.in_(instances), c.kind.in_([kind.value for kind in kinds])
    )
    rows = connection.execute(found.order_by(c.kind, c.spelling, c.value)).mappings()
    return _by_instance(instances, rows, _decision_of)


def _replace_document(connection: Connection, document: LearntDocument) -> int:
    values = {
        "correspondent": document.correspondent,
        "by_person": document.by_person,
        "version": FACTS_VERSION,
        "written": document.written,
        "modified": document.modified,
    }
    new = insert_into(connection, learnt_documents).values(
        instance=document.ref.instance, document_id=document.ref.id, **values
    )
    stored = new.on_conflict_do_update(index_elements=["instance", "document_id"], set_=values)
    row = int(connection.scalars(stored.returning(learnt_documents.c.id)).one())
    connection.execute(delete(learnt_facts).where(learnt_facts.c.document == row))
    return row


def _count_by_sender(
    connection: Connection, instance: str, *conditions: ColumnElement[bool]
) -> list[FactCount]:
    facts, documents = learnt_facts.c, learnt_documents.c
    columns = (facts.kind, facts.value, documents.correspondent)
    counted = (
        select(
            *columns, func.count().label("documents"), func.min(facts.spelling).label("spelling")
        )
        .select_from(_JOINED)
        .where(_filed_by_person(instance), *conditions)
        .group_by(*columns)
        .order_by(*columns)
    )
    rows = connection.execute(counted).mappings()
    return [FactCount(_fact_of(row), row["correspondent"], row["documents"]) for row in rows]


def _filed_by_person(instance: str) -> ColumnElement[bool]:
    documents = learnt_documents.c
    return and_(
        documents.instance == instance, documents.by_person, documents.correspondent.is_not(None)
    )


def _by_instance(
    instances: Iterable[str], rows: Iterable[RowMapping], convert: Callable[[RowMapping], T]
) -> Mapping[str, tuple[T, ...]]:
    found: dict[str, list[T]] = {instance: [] for instance in instances}
    for row in rows:
        found[row["instance"]].append(convert(row))
    return {instance: tuple(values) for instance, values in found.items()}


def _count_of(row: RowMapping) -> FactCount:
    return FactCount(
        _fact_of(row),
        row["correspondent"] or None,
        row["documents"],
        row["total"],
        row["counted_at"],
    )


def _decision_of(row: RowMapping) -> LearntDecision:
    return LearntDecision(
        _fact_of(row),
        row["correspondent"] or None,
        Approval(row["approval"]),
        row["decided_by"],
        row["decided_at"],
    )


def _key(instance: str, fact: Fact, correspondent: int | None) -> dict[str, object]:
    return {
        "instance": instance,
        "kind": fact.kind.value,
        "value": fact.value,
        "correspondent": correspondent or _NOBODY,
    }


def _fact_of(row: RowMapping) -> Fact:
    return Fact(FactKind(row["kind"]), row["value"], row["spelling"])


def _chunks(values: Sequence[T]) -> Iterable[Sequence[T]]:
    return (values[start : start + _CHUNK] for start in range(0, len(values), _CHUNK))
