"""Build values for tests; a test gives only those that matter to it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime

from pydantic import JsonValue

from core.changes import Change, ChangeState, CheckResult, Suggestion
from core.documents import DocumentRef, DocumentState, KnownDocument
from core.fields import (
    CustomField,
    DataType,
    Definition,
    Field,
    FieldMode,
    FieldName,
    Name,
    NewNamePolicy,
    Option,
    Value,
)
from core.holds import HoldCause
from core.messages import plain
from paperless_client import CustomFieldValue, Document, DocumentSummary
from processor.analysis.checks import Candidate, DocumentFacts, Owner
from processor.analysis.numbers import NumberFormat
from processor.names.catalogue import NamesInUse
from processor.policy import Policy
from processor.reconcile import CurrentValues, read_current_values

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
TODAY = NOW.date()

STADTWERKE = Name(1, "Stadtwerke Musterstadt")
TELEKOM = Name(2, "Telekom Deutschland GmbH")
RECHNUNG = Name(1, "Rechnung")
VERTRAG = Name(2, "Vertrag")
HAUS = Name(1, "Haus")
STROM = Name(2, "Strom")
NACHTSTROM = Name(3, "Nachtstrom")
AUTO = Name(4, "Auto")
"""The tags of `some_names`: Haus > Strom > Nachtstrom, and Auto by itself."""
BY_YEAR = Name(1, "Nach Jahr")


def a_document(
    id_: int = 7,
    *,
    title: str = "scan_0007",
    content: str = "Stromrechnung Oktober 2026",
    correspondent: int | None = None,
    document_type: int | None = None,
    tags: Iterable[int] = (),
    storage_path: int | None = None,
    created: date = TODAY,
    added: datetime = NOW,
    original_file_name: str | None = "scan_0007.pdf",
    custom_fields: Mapping[int, JsonValue] | None = None,
) -> Document:
    """Build an unfiled document."""
    return Document(
        id=id_,
        title=title,
        content=content,
        correspondent=correspondent,
        document_type=document_type,
        tags=frozenset(tags),
        storage_path=storage_path,
        created=created,
        added=added,
        modified=added,
        original_file_name=original_file_name,
        owner=None,
        custom_fields=tuple(
            CustomFieldValue(field=id_, value=value) for id_, value in (custom_fields or {}).items()
        ),
        page_count=1,
        mime_type="application/pdf",
    )


def a_summary(
    id_: int = 7,
    *,
    tags: Iterable[int] = (),
    added: datetime = NOW,
    title: str = "scan_0007",
    user_can_change: bool | None = True,
) -> DocumentSummary:
    return DocumentSummary(
        id=id_,
        title=title,
        tags=frozenset(tags),
        added=added,
        modified=added,
        user_can_change=user_can_change,
    )


def a_known_document(
    state: DocumentState = DocumentState.DONE, *, trigger_removed: bool = False
) -> KnownDocument:
    return KnownDocument(
        ref=DocumentRef("home", 7),
        state=state,
        title="scan_0007",
        content_hash=None,
        trigger_removed=trigger_removed,
        first_seen_at=NOW,
        updated_at=NOW,
    )


def some_names(
    *,
    correspondents: Sequence[Name] = (STADTWERKE, TELEKOM),
    document_types: Sequence[Name] = (RECHNUNG, VERTRAG),
    tags: Sequence[Name] = (HAUS, STROM, NACHTSTROM, AUTO),
    storage_paths: Sequence[Name] = (BY_YEAR,),
    parents: Mapping[int, int | None] | None = None,
) -> NamesInUse:
    return NamesInUse(
        by_field={
            FieldName.CORRESPONDENT: tuple(correspondents),
            FieldName.DOCUMENT_TYPE: tuple(document_types),
            FieldName.TAGS: tuple(tags),
            FieldName.STORAGE_PATH: tuple(storage_paths),
        },
        parents={1: None, 2: 1, 3: 2, 4: None} if parents is None else parents,
    )


def a_current(document: Document | None = None, *, tags: Iterable[Name] = ()) -> CurrentValues:
    """Build the current values of a document, by default of an unfiled one."""
    ids = [tag.id for tag in tags if tag.id is not None]
    return read_current_values(document or a_document(tags=ids), some_names())


def a_suggestion(
    field: Field = FieldName.TITLE,
    value: str = "Stromrechnung Oktober 2026",
    *,
    evidence: str = "Stromrechnung Oktober 2026",
    confidence: float = 0.9,
) -> Suggestion:
    return Suggestion(field, value, evidence, confidence)


def a_source(
    text: str = "Stromrechnung Oktober 2026",
    *,
    file_name: str = "scan_0007.pdf",
    added: date = TODAY,
    owner: Owner | None = None,
) -> DocumentFacts:
    figures = NumberFormat.detect(text)
    return DocumentFacts.of(
        text, file_name=file_name, added=added, today=TODAY, owner=owner, figures=figures
    )


def a_candidate(
    field: Field = FieldName.TITLE,
    value: Value = "Stromrechnung Oktober 2026",
    *,
    doubts: tuple[str, ...] = (),
) -> Candidate:
    return Candidate(
        field, value, "a quote", 0.9, tuple(CheckResult("a_rule", failure) for failure in doubts)
    )


def a_policy(
    mode: FieldMode = FieldMode.REPLACE,
    *,
    new_names: NewNamePolicy = NewNamePolicy.CREATE,
    max_tags: int = 5,
    modes: Mapping[Field, FieldMode] | None = None,
    reserved_tags: Iterable[str] = (),
) -> Policy:
    """Build a policy with one mode for every field, except where `modes` says otherwise."""
    every: dict[Field, FieldMode] = dict.fromkeys(FieldName, mode)
    return Policy(
        modes=every | dict(modes or {}),
        new_names={
            FieldName.CORRESPONDENT: new_names,
            FieldName.DOCUMENT_TYPE: new_names,
            FieldName.TAGS: new_names,
        },
        max_tags=max_tags,
        reserved_tags=frozenset(reserved_tags),
    )


def a_change(
    id_: int = 1,
    *,
    field: Field = FieldName.TITLE,
    before: Value = "scan_0007",
    after: Value = "Stromrechnung Oktober 2026",
    state: ChangeState = ChangeState.INTENDED,
) -> Change:
    return Change(
        id=id_,
        document=DocumentRef("home", 7),
        job_id=1,
        field=field,
        before=before,
        after=after,
        state=state,
        evidence="a quote",
        confidence=0.9,
        reasons=(),
        found=None,
        decided_by="rule",
        created_at=NOW,
        settled_at=None,
    )


def an_added_tag(tag: Name, id_: int = 1, *, state: ChangeState = ChangeState.INTENDED) -> Change:
    return a_change(id_, field=FieldName.TAGS, before=None, after=tag, state=state)


def a_removed_tag(tag: Name, id_: int = 1, *, state: ChangeState = ChangeState.INTENDED) -> Change:
    return a_change(id_, field=FieldName.TAGS, before=tag, after=None, state=state)


def a_definition(
    id_: int = 7,
    name: str = "Rechnungsnummer",
    *,
    data_type: DataType = DataType.STRING,
    options: tuple[Option, ...] = (),
    currency: str = "",
) -> Definition:
    return Definition(CustomField(id_, name), data_type, options, currency)


def because(text: str, *, is_daily_quota: bool = False) -> HoldCause:
    """Build the cause of a hold from a text."""
    return HoldCause(plain(text), is_daily_quota=is_daily_quota)
