"""Accept or reject the changes that wait for review."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TypeAlias

from actions import decisions
from actions.caller import Caller
from actions.decisions import (
    BadValue,
    Edits,
    accept_unchanged,
    fingerprint,
    needs_individual_review,
    recompute_title,
    resolve_edits,
    resolve_field,
    resolve_fields,
    revise_title,
)
from actions.errors import (
    ChangedSinceShown,
    InvalidRequest,
    NeedsIndividualReview,
    NothingToReview,
    NothingToUndo,
)
from actions.own_values import OwnValue, TypedNames, plan_own_values, require_typed_names
from actions.undo import undo
from core.changes import (
    UNDOABLE,
    AcceptedChange,
    Change,
    Decision,
    RevisedChange,
)
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.fields import CustomField, Definition, Field, FieldName, is_empty, is_same_value
from core.jobs import APPLY, Job
from core.messages import message
from core.names import AliasRule
from core.text import clean_line
from processor.instance import Instance
from store import NotForReview, NotFound, Refused

MAX_REASON_LENGTH = 500
"""Maximum characters of the reason for a rejection."""

RejectFunction: TypeAlias = Callable[[Iterable[Change], Collection[Field] | None], Decision]
"""Builds the decision to reject waiting changes of some fields, or of all."""


class RejectMode(Enum):
    """What a rejection means for the names among the rejected suggestions."""

    THIS_TIME = auto()
    NEVER_SUGGEST_AGAIN = auto()


_REJECT_FUNCTIONS: Mapping[RejectMode, RejectFunction] = {
    RejectMode.THIS_TIME: decisions.reject,
    RejectMode.NEVER_SUGGEST_AGAIN: decisions.reject_and_never_suggest,
}


@dataclass(frozen=True, slots=True)
class StillWaiting:
    """A document that keeps waiting with a decided name, for other reasons."""

    document: DocumentRef
    revised: RevisedChange


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """The result of storing decisions about documents."""

    jobs: tuple[Job, ...] = ()
    """Jobs that write the accepted changes."""
    remembered: tuple[AliasRule, ...] = ()
    """Aliases that were stored."""
    refused: tuple[PaperclerkError, ...] = ()
    """Errors of decisions that were not stored, mostly because the document has changed."""
    unclear: tuple[AliasRule, ...] = ()
    """Possible aliases that were not stored, because only the person can tell."""
    decisions: tuple[Decision, ...] = ()
    """The stored decisions, one for each job."""
    still_waiting: tuple[StillWaiting, ...] = ()
    """Documents that a decision about a name leaves for review."""

    def __add__(self, other: "DecisionResult") -> "DecisionResult":
        return DecisionResult(
            self.jobs + other.jobs,
            self.remembered + other.remembered,
            self.refused + other.refused,
            self.unclear + other.unclear,
            self.decisions + other.decisions,
            self.still_waiting + other.still_waiting,
        )

    def raise_if_refused(self) -> "DecisionResult":
        """Raise the first error; for decisions about a single document."""
        for error in self.refused:
            raise error
        return self


@dataclass(frozen=True, slots=True)
class ShownChanges:
    """The changes of a document that a page showed to a person."""

    ids: tuple[int, ...] | None = None
    """None means all that wait."""
    fingerprint: str = ""
    """The `fingerprint` of what was shown; "" if it is not known."""


ALL_WAITING = ShownChanges()


@dataclass(frozen=True, slots=True)
class FieldDecisions:
    """What a person decided about the fields of one document."""

    edits: Edits[str]
    """The accepted fields, with the person's own values."""
    rejected: frozenset[str]
    own: Mapping[str, OwnValue]
    """Values for fields that have no change for review."""
    why: str
    typed: TypedNames = TypedNames.ASK


@dataclass(frozen=True, slots=True)
class UndoneDecisions:
    """The result of undoing decisions."""

    returned: int = 0
    """Changes that are for review again."""
    undone: int = 0
    """Documents whose written changes are undone."""
    refused: tuple[PaperclerkError, ...] = ()


async def store_decisions(
    caller: Caller, decisions: Mapping[DocumentRef, Decision]
) -> DecisionResult:
    """Store all decisions; raise NothingToReview before storing any if one of them is empty.

    A decision about a document that has changed is refused; the others are stored.
    """
    for ref, decision in decisions.items():
        if decision.is_empty:
            raise NothingToReview(
                message(
                    "none of these fields of {document} is waiting for review", document=str(ref)
                )
            )
    return merge_results(
        [await _store_decision(caller, ref, decision) for ref, decision in decisions.items()]
    )


def drop_unchanged(decision: Decision) -> Decision:
    """Return the decision with accepted values that Paperless already has as unchanged.

    They are not written, so they cannot be undone either.
    """
    unchanged = {accepted.change_id for accepted in decision.accept if _is_unchanged(accepted)}
    accept = (accepted for accepted in decision.accept if accepted.change_id not in unchanged)
    return replace(
        decision,
        accept=tuple(accept),
        unchanged=tuple(sorted(unchanged)),
    )


def merge_results(results: Iterable[DecisionResult]) -> DecisionResult:
    return sum(results, start=DecisionResult())


async def list_waiting(
    caller: Caller, ref: DocumentRef, seen: Collection[int] | None = None
) -> tuple[Change, ...]:
    """Return the waiting changes of a document; only those in `seen`, if it is given.

    Raise NothingToReview, or NotForReview if a seen change no longer waits: nobody may decide about
    changes that they have not seen.
    """
    caller.require_instance(ref.instance)
    waiting = await caller.store.changes.list_for_review(document=ref)
    if not waiting:
        raise NothingToReview(
            message("nothing of {document} is waiting for review", document=str(ref))
        )
    if seen is None:
        return waiting
    for gone in sorted(set(seen) - {change.id for change in waiting}):
        raise NotForReview(gone)
    return tuple(change for change in waiting if change.id in seen)


async def list_shown(caller: Caller, ref: DocumentRef, shown: "ShownChanges") -> tuple[Change, ...]:
    """Return the changes that a person saw; raise ChangedSinceShown if one of them has changed.

    Raise NothingToReview or NotForReview as well.
    """
    waiting = await list_waiting(caller, ref, shown.ids)
    if shown.fingerprint and shown.fingerprint != fingerprint(waiting):
        raise ChangedSinceShown(ref)
    return waiting


async def accept(
    caller: Caller,
    refs: Sequence[DocumentRef],
    edits: Edits[str],
    seen: Collection[int] | None = None,
    typed: TypedNames = TypedNames.ASK,
) -> DecisionResult:
    """Accept waiting changes, with the person's own values where there are any.

    Raise BadValue, NothingToReview, NewNameNotAllowed or NewNamesUnconfirmed; then nothing was
    decided.
    """
    waiting = await _waiting(caller, refs, seen)
    decisions = {ref: await _build_decision(caller, ref, waiting, edits) for ref in waiting}
    for ref, decision in decisions.items():
        await require_typed_names(caller, ref, waiting[ref], decision, typed)
    return await _store_with_possible_aliases(caller, waiting, decisions)


async def accept_with_values(
    caller: Caller, ref: DocumentRef, edits: Edits[str], typed: TypedNames = TypedNames.ASK
) -> DecisionResult:
    """Accept waiting changes of a document with the person's own values, of any field.

    Raise like `decide_fields`.
    """
    waiting = _fields({ref: await list_waiting(caller, ref)}, ref.instance)
    own = {
        name: OwnValue(shown=None, typed=value)
        for name, value in edits.values.items()
        if not _has_change(name, waiting)
    }
    suggested = {name: value for name, value in edits.values.items() if name not in own}
    only = None if edits.only is None else edits.only - own.keys()
    decided = FieldDecisions(Edits(suggested, only), frozenset(), own, why="", typed=typed)
    return await decide_fields(caller, ref, decided)


async def decide_fields(
    caller: Caller, ref: DocumentRef, decided: FieldDecisions, shown: ShownChanges = ALL_WAITING
) -> DecisionResult:
    """Accept some fields of a document and reject others, as one decision.

    Raise BadValue, NothingToReview, NotForReview, ChangedSinceShown, NewNameNotAllowed or
    NewNamesUnconfirmed; then nothing was decided.
    """
    waiting = {ref: await list_shown(caller, ref, shown)}
    accepted = await _build_decision(caller, ref, waiting, decided.edits)
    fields = resolve_fields(decided.rejected, _fields(waiting, ref.instance))
    ids = (*accepted.reject, *decisions.reject(waiting[ref], fields).reject)
    added = accepted.add + await plan_own_values(caller, ref, decided.own)
    decision = replace(accepted, reject=ids, add=added, why=clean_line(decided.why))
    await require_typed_names(caller, ref, waiting[ref], decision, decided.typed)
    return await _store_with_possible_aliases(caller, waiting, {ref: decision})


async def reject(
    caller: Caller,
    refs: Sequence[DocumentRef],
    mode: RejectMode = RejectMode.THIS_TIME,
    *,
    only: Collection[str] | None = None,
    seen: Collection[int] | None = None,
    why: str = "",
) -> DecisionResult:
    """Reject the waiting changes of documents.

    `only` names fields, and the others keep waiting; `seen` has the ids of the changes that the
    person saw. None means all that wait.
    """
    waiting = await _waiting(caller, refs, seen)
    build = _REJECT_FUNCTIONS[mode]
    rejected = {
        ref: build(changes, resolve_fields(only, _fields(waiting, ref.instance)))
        for ref, changes in waiting.items()
    }
    return await store_decisions(
        caller,
        {ref: replace(decision, why=clean_line(why)) for ref, decision in rejected.items()},
    )


async def accept_clear(caller: Caller, shown: Mapping[DocumentRef, ShownChanges]) -> DecisionResult:
    """Accept the shown changes of each document as suggested.

    Documents that have changed since, or that need an individual review, are refused; the others
    are accepted.
    """
    return merge_results(
        [
            await _accept_shown(caller, ref, changes, _require_clear)
            for ref, changes in shown.items()
        ]
    )


async def accept_confirmed(
    caller: Caller, shown: Mapping[DocumentRef, ShownChanges]
) -> DecisionResult:
    """Accept the shown changes of each document, also those that need an individual review.

    The person has confirmed them. Documents that have changed since are refused.
    """
    return merge_results(
        [await _accept_shown(caller, ref, changes, None) for ref, changes in shown.items()]
    )


async def reject_shown(
    caller: Caller, shown: Mapping[DocumentRef, ShownChanges], why: str = ""
) -> DecisionResult:
    """Reject the shown changes of each document; those that have changed since are refused."""
    results = []
    for ref, changes in shown.items():
        try:
            waiting = await list_shown(caller, ref, changes)
            rejected = replace(decisions.reject(waiting, None), why=clean_line(why))
            results.append(await store_decisions(caller, {ref: rejected}))
        except (InvalidRequest, Refused) as error:
            results.append(DecisionResult(refused=(error,)))
    return merge_results(results)


async def undo_decisions(caller: Caller, job_ids: Iterable[int]) -> UndoneDecisions:
    """Undo decisions, each by the job that writes it.

    What has not been written returns to review, and what has been written is undone.
    """
    returned = undone = 0
    refused: list[PaperclerkError] = []
    for job_id in job_ids:
        try:
            job = await caller.get_job(job_id)
            if job.kind != APPLY:
                raise NothingToUndo
            returned += await caller.store.changes.undo_decision(
                job.id, by=caller.by, now=caller.now()
            )
            undone += await _undo_written(caller, job.id)
        except (InvalidRequest, Refused, NotFound) as error:
            refused.append(error)
    return UndoneDecisions(returned, undone, tuple(refused))


def _has_change(name: str, waiting: Collection[Field]) -> bool:
    """Return whether a change of the field is waiting; tags are listed, with and without one."""
    try:
        field = resolve_field(name, waiting)
    except BadValue:
        # It may be a custom field of Paperless without a suggestion.
        return False
    return field is FieldName.TAGS or field in waiting


def _is_unchanged(accepted: AcceptedChange) -> bool:
    after, seen = accepted.after, accepted.seen
    return is_same_value(after, seen) or (is_empty(after) and is_empty(seen))


async def _store_decision(caller: Caller, ref: DocumentRef, wanted: Decision) -> DecisionResult:
    waiting = await caller.store.changes.list_for_review(document=ref)
    decision = drop_unchanged(recompute_title(waiting, wanted))
    try:
        job = await caller.store.changes.decide(
            ref,
            decision,
            by=caller.by,
            max_attempts=caller.max_attempts(ref),
            now=caller.now(),
        )
        revised = revise_title(waiting, decision)
        if revised is not None:
            await caller.store.changes.revise(ref, revised, by=caller.by, now=caller.now())
    except Refused as error:
        return DecisionResult(refused=(error,))
    return DecisionResult((job,), decision.remember, decisions=(decision,))


async def _build_decision(
    caller: Caller,
    ref: DocumentRef,
    waiting: Mapping[DocumentRef, tuple[Change, ...]],
    edits: Edits[str],
) -> Decision:
    resolved = resolve_edits(edits, _fields(waiting, ref.instance))
    if resolved.is_empty:
        # Works without a request to Paperless.
        return Decision()
    instance = caller.get_instance(ref.instance)
    names, custom = await instance.catalogue.names(), await _fetch_definitions(instance, resolved)
    tags = await _fetch_tags(instance, ref, resolved)
    return decisions.accept(waiting[ref], resolved, names, custom, tags)


async def _store_with_possible_aliases(
    caller: Caller,
    waiting: Mapping[DocumentRef, tuple[Change, ...]],
    decisions: Mapping[DocumentRef, Decision],
) -> DecisionResult:
    unclear = (rule for ref in decisions for rule in _unclear(waiting[ref], decisions[ref]))
    return replace(await store_decisions(caller, decisions), unclear=tuple(unclear))


def _unclear(waiting: Iterable[Change], decision: Decision) -> Iterator[AliasRule]:
    """Return the possible aliases that the decision does not store."""
    rules = decisions.find_replaced_names(waiting, decision.accept)
    return (rule for rule in rules if rule not in decision.remember)


def _fields(waiting: Mapping[DocumentRef, Iterable[Change]], instance: str) -> dict[Field, None]:
    """Return the waiting fields of one instance: ids of custom fields differ between instances."""
    found = (changes for ref, changes in waiting.items() if ref.instance == instance)
    return {change.field: None for changes in found for change in changes}


async def _waiting(
    caller: Caller, refs: Sequence[DocumentRef], seen: Collection[int] | None
) -> Mapping[DocumentRef, tuple[Change, ...]]:
    return {ref: await list_waiting(caller, ref, seen) for ref in refs}


async def _fetch_definitions(instance: Instance, edits: Edits[Field]) -> tuple[Definition, ...]:
    """Fetch the definitions of custom fields if a custom field was edited."""
    if not any(isinstance(field, CustomField) for field in edits.values):
        return ()
    return await instance.custom_fields.all()


async def _fetch_tags(instance: Instance, ref: DocumentRef, edits: Edits[Field]) -> frozenset[int]:
    """Fetch the tags of a document if its tags were edited."""
    if FieldName.TAGS not in edits.values:
        return frozenset()
    return (await instance.paperless.fetch_fields(ref.id)).tags


def _require_clear(ref: DocumentRef, waiting: Iterable[Change]) -> None:
    if any(needs_individual_review(change) for change in waiting):
        raise NeedsIndividualReview(ref)


async def _accept_shown(
    caller: Caller,
    ref: DocumentRef,
    shown: ShownChanges,
    require: Callable[[DocumentRef, Iterable[Change]], None] | None,
) -> DecisionResult:
    try:
        waiting = await list_shown(caller, ref, shown)
        if require is not None:
            require(ref, waiting)
        return await store_decisions(caller, {ref: accept_unchanged(waiting)})
    except (InvalidRequest, Refused) as error:
        return DecisionResult(refused=(error,))


async def _undo_written(caller: Caller, job_id: int) -> int:
    """Undo what a job has written; return the number of documents."""
    changes = await caller.store.changes.list_for_apply_job(job_id)
    written = [change for change in changes if change.state in UNDOABLE]
    return len((await undo(caller, written)).jobs) if written else 0
