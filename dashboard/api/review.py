"""`/review`: documents for review; accept and reject their changes."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from actions import review
from actions.caller import Caller
from actions.decisions import Edits
from actions.documents import build_link
from actions.own_values import TypedNames
from actions.review import DecisionResult, RejectMode
from core.changes import Change
from core.documents import DocumentRef, KnownDocument
from core.names import AliasRule
from dashboard.api.router import (
    After,
    Limit,
    Page,
    Root,
    api_router,
    error_responses,
    parse_id_cursor,
)
from dashboard.api.schemas import ChangeShown, JobShown
from dashboard.api.serialize import serialize_change, serialize_job
from dashboard.auth.dependencies import ActCaller, ReadCaller
from dashboard.context import MAX_ID, PathId

router = api_router("/review", tag="review")

FieldText = Annotated[str, Field(max_length=200)]
Seen = Annotated[list[Annotated[int, Field(ge=1, le=MAX_ID)]], Field(max_length=1000)]


class Waiting(BaseModel):
    """A document with its changes for review."""

    document: str
    instance: str
    title: str
    link: str
    """Address of the document in Paperless."""
    changes: list[ChangeShown]


class Accept(BaseModel):
    """What to accept; an empty body accepts all changes as suggested."""

    model_config = ConfigDict(extra="forbid")

    values: dict[FieldText, Annotated[str, Field(max_length=10_000)]] = {}
    """Your own values by field; "" clears a field, tags are separated by commas."""
    only: list[FieldText] | None = None
    """Fields to decide; the others stay for review."""
    changes: Seen | None = None
    """Ids of the changes that you saw; if one is no longer for review, nothing is decided."""
    create_names: bool = False
    """Create names among your values that Paperless does not have; otherwise they are refused."""


class Reject(BaseModel):
    """What to reject; an empty body rejects all changes for review."""

    model_config = ConfigDict(extra="forbid")

    only: list[FieldText] | None = None
    changes: Seen | None = None
    never: bool = False
    """Never suggest these names again."""
    why: Annotated[str, Field(max_length=review.MAX_REASON_LENGTH)] = ""
    """The reason; optional."""


class MeaningShown(BaseModel):
    """An alias: the name that is used instead from now on."""

    field: str
    name: str
    means: str | None
    """null: it is never suggested again."""


class DecidedShown(BaseModel):
    """The result of a decision."""

    jobs: list[JobShown]
    """The jobs that write the accepted changes."""
    remembered: list[MeaningShown]


@router.get("", responses=error_responses(404))
async def list_review(
    caller: ReadCaller, instance: str | None = None, after: After = None, limit: Limit = 50
) -> Page[Waiting]:
    """List the documents for review, the oldest first."""
    if instance is not None:
        caller.require_instance(instance)
    names = list(caller.settings) if instance is None else [instance]
    start = parse_id_cursor(after) or 0
    found = await caller.store.changes.list_for_review_by_document(names, limit + 1, start)
    return await _build_page(caller, found, limit)


@router.get("/{instance}/{number}", responses=error_responses(404))
async def get_review(caller: ReadCaller, instance: str, number: PathId) -> Waiting:
    """Show the changes of one document for review."""
    ref = DocumentRef(instance, number)
    changes = await review.list_waiting(caller, ref)
    known = await caller.store.documents.get(ref)
    return _serialize_waiting(caller, ref, changes, {ref: known} if known else {})


@router.post("/{instance}/{number}/accept", responses=error_responses(404, 409, 502))
async def accept(
    caller: ActCaller, root: Root, instance: str, number: PathId, accepted: Accept | None = None
) -> DecidedShown:
    """Accept the suggestions of a document, with edited values where given.

    Values that would create a name need `create_names`; without it, the response is 409.
    """
    body = accepted or Accept()
    only = None if body.only is None else frozenset(body.only)
    ref = DocumentRef(instance, number)
    typed = TypedNames.CREATE if body.create_names else TypedNames.ASK
    decided = await review.accept(caller, [ref], Edits(body.values, only), body.changes, typed)
    return serialize_decided(root, decided.raise_if_refused())


@router.post("/{instance}/{number}/reject", responses=error_responses(404, 409))
async def reject(
    caller: ActCaller, root: Root, instance: str, number: PathId, rejected: Reject | None = None
) -> DecidedShown:
    """Reject the suggestions of a document."""
    body = rejected or Reject()
    mode = RejectMode.NEVER_SUGGEST_AGAIN if body.never else RejectMode.THIS_TIME
    ref = DocumentRef(instance, number)
    decided = await review.reject(
        caller, [ref], mode, only=body.only, seen=body.changes, why=body.why
    )
    return serialize_decided(root, decided.raise_if_refused())


def serialize_decided(root: str, decided: DecisionResult) -> DecidedShown:
    return DecidedShown(
        jobs=[serialize_job(root, job) for job in decided.jobs],
        remembered=[serialize_meaning(rule) for rule in decided.remembered],
    )


def serialize_meaning(rule: AliasRule) -> MeaningShown:
    return MeaningShown(
        field=rule.field,
        name=rule.spelling,
        means=None if rule.target is None else rule.target.name,
    )


async def _build_page(caller: Caller, found: Sequence[Change], limit: int) -> Page[Waiting]:
    """Build a page of at most `limit` documents from changes that are sorted by document."""
    grouped = groupby(found, key=lambda change: change.document)
    groups = [(ref, list(changes)) for ref, changes in grouped]
    here = groups[:limit]
    known = await caller.store.documents.get_many_by_ref(ref for ref, _ in here)
    more = str(here[-1][1][0].id) if len(groups) > limit else None
    items = [_serialize_waiting(caller, ref, changes, known) for ref, changes in here]
    return Page(items=items, next=more)


def _serialize_waiting(
    caller: Caller,
    ref: DocumentRef,
    changes: Sequence[Change],
    known: Mapping[DocumentRef, KnownDocument],
) -> Waiting:
    return Waiting(
        document=str(ref),
        instance=ref.instance,
        title=known[ref].title if ref in known else "",
        link=build_link(caller, ref),
        changes=[serialize_change(change) for change in changes],
    )
