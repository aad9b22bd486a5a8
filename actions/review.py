"""Store what a person decided about documents, and say what follows from it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from actions import decisions
from actions.caller import Caller
from actions.decisions import (
    Edits,
    TypedEdits,
    accept_unchanged,
    needs_individual_review,
    resolve_fields,
)
from actions.errors import InstanceUnknown, InvalidRequest, NeedsIndividualReview, NothingToReview
from actions.soon import PaperlessTakesLong, get_names_within
from core.changes import AcceptedChange, Change, Decision, name_given_by
from core.custom_fields import Definition
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.fields import CustomField, Field, FieldName, Name, NewNamePolicy, is_empty, is_same_value
from core.jobs import Job
from core.messages import message
from core.names import AliasRule
from core.text import clean_line
from paperless_client import PaperlessError
from processor.analysis.name_similarity import find_similar_names
from processor.instance import Instance
from store import NotForReview, Refused


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """What became of decisions about documents."""

    jobs: tuple[Job, ...] = ()
    """They write what was accepted."""
    remembered: tuple[AliasRule, ...] = ()
    """What names mean from now on."""
    refused: tuple[PaperclerkError, ...] = ()
    """Why others were not carried out: mostly they came too late, for the document changed."""
    unclear: tuple[AliasRule, ...] = ()
    """What names may well mean, but only the person knows: it is not remembered."""
    decisions: tuple[Decision, ...] = ()
    """What was stored, one for each of the jobs."""

    def __add__(self, other: "DecisionResult") -> "DecisionResult":
        return DecisionResult(
            self.jobs + other.jobs,
            self.remembered + other.remembered,
            self.refused + other.refused,
            self.unclear + other.unclear,
            self.decisions + other.decisions,
        )

    def raise_if_refused(self) -> "DecisionResult":
        """Raise the first refusal, for who decided about one document only."""
        for error in self.refused:
            raise error
        return self


async def store_decisions(
    caller: Caller, decisions: Mapping[DocumentRef, Decision]
) -> DecisionResult:
    """Store all decisions; nothing is stored if one of them says nothing.

    A document that changed meanwhile is told of; the others are not kept from their decision.
    """
    for ref, decision in decisions.items():
        if decision.is_empty:
            raise NothingToReview(
                message(
                    "none of these fields of {document} is waiting for review", document=str(ref)
                )
            )
    return merge_results([await _decide(caller, *one) for one in decisions.items()])


def drop_unchanged(decision: Decision) -> Decision:
    """Accept nothing that is just as Paperless has it.

    There is nothing to write, and what was not written cannot be taken back.
    """
    unchanged = {one.change_id for one in decision.accept if _is_so_already(one)}
    return replace(
        decision,
        accept=tuple(one for one in decision.accept if one.change_id not in unchanged),
        unchanged=tuple(sorted(unchanged)),
    )


def _is_so_already(one: AcceptedChange) -> bool:
    return is_same_value(one.after, one.seen) or (is_empty(one.after) and is_empty(one.seen))


def merge_results(decided: Iterable[DecisionResult]) -> DecisionResult:
    return sum(decided, start=DecisionResult())


async def _decide(caller: Caller, ref: DocumentRef, wanted: Decision) -> DecisionResult:
    decision = drop_unchanged(wanted)
    try:
        job = await caller.store.changes.decide(
            ref,
            decision,
            by=caller.by,
            max_attempts=caller.max_attempts(ref),
            now=caller.now(),
        )
    except Refused as error:
        return DecisionResult(refused=(error,))
    return DecisionResult((job,), decision.remember, decisions=(decision,))


MAX_REASON_LENGTH = 500
"""Characters in which a person says why something is rejected."""

RejectFunction: TypeAlias = Callable[[Iterable[Change], Collection[Field] | None], Decision]
"""A way to say no."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """What a person does not want written, and why."""

    only: Collection[str] | None = None
    """Fields; the others go on waiting. None for all."""
    seen: Collection[int] | None = None
    """Numbers of the changes that the person saw; None for all that wait."""
    why: str = ""


REJECT_ALL = Rejection()


@dataclass(frozen=True, slots=True)
class TypedName:
    """A name that a person typed in review and that Paperless does not have yet."""

    field: FieldName
    name: str
    similar: tuple[str, ...]
    """Similar existing names: perhaps one of them was meant."""
    allowed: NewNamePolicy
    """What the settings say about new names of this field."""


async def list_waiting(
    caller: Caller, ref: DocumentRef, seen: Collection[int] | None = None
) -> tuple[Change, ...]:
    """Return what waits of a document; of that, only what the person has seen, if they say so.

    Raise NothingWaits, or NotWaiting if something that was seen does not wait any more: a decision
    must not be about what nobody has looked at.
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


async def find_alternatives(
    caller: Caller, ref: DocumentRef, waiting: Iterable[Change]
) -> Mapping[int, tuple[str, ...]]:
    """Name the names in use that each new name reminds of most, by the number of the change."""
    new = [(change, given) for change in waiting if (given := _new_name(change))]
    if not new:
        return {}
    try:
        names = await get_names_within(caller.get_instance(ref.instance))
    except (PaperlessError, PaperlessTakesLong, InstanceUnknown):
        # Then it is told what was known when they were suggested.
        return {change.id: change.similar for change, _ in new}
    return {
        change.id: tuple(
            one.name for one in find_similar_names(field, name.name, names.by_field[field])
        )
        for change, (field, name) in new
    }


async def find_typed_names(
    caller: Caller, ref: DocumentRef, wishes: TypedEdits
) -> tuple[TypedName, ...]:
    """Return the names that accepting a document with these values would create.

    Suggested new names are not included. Raise BadValue or NothingWaits.
    """
    waiting = await _waiting(caller, [ref], None)
    decision = await _build_decision(caller, ref, waiting, wishes)
    instance = caller.get_instance(ref.instance)
    names = await instance.catalogue.names()
    return tuple(
        TypedName(
            field,
            name.name,
            tuple(
                alike.name for alike in find_similar_names(field, name.name, names.by_field[field])
            ),
            instance.policy.new_names[field],
        )
        for field, name in _own_names(waiting[ref], decision)
        if name.id is None
    )


def _own_names(waiting: Iterable[Change], decision: Decision) -> Iterator[tuple[FieldName, Name]]:
    """Yield the names among the person's own values, with their fields."""
    fields = {change.id: change.field for change in waiting}
    given = [(fields[one.change_id], one.after) for one in decision.accept if one.is_edited]
    given += [(one.field, one.after) for one in decision.add]
    for field, value in given:
        if isinstance(field, FieldName) and isinstance(value, Name):
            yield field, value


def _new_name(change: Change) -> tuple[FieldName, Name] | None:
    given = name_given_by(change)
    return given if given and given[1].id is None else None


async def accept(
    caller: Caller,
    refs: Sequence[DocumentRef],
    wishes: TypedEdits,
    seen: Collection[int] | None = None,
) -> DecisionResult:
    """Have written what waits, with the person's own values where there are any.

    Raise BadValue or NothingWaits; then nothing was decided.
    """
    waiting = await _waiting(caller, refs, seen)
    decisions = {ref: await _build_decision(caller, ref, waiting, wishes) for ref in waiting}
    return await _store_with_unclear(caller, waiting, decisions)


async def decide_fields(
    caller: Caller, ref: DocumentRef, wishes: TypedEdits, left: Rejection
) -> DecisionResult:
    """Have some fields of a document written and leave others, as one decision.

    Raise BadValue, NothingWaits or NotWaiting; then nothing was decided.
    """
    waiting = await _waiting(caller, [ref], left.seen)
    accepted = await _build_decision(caller, ref, waiting, wishes)
    only = resolve_fields(left.only, _fields(waiting, ref.instance))
    rejected = (*accepted.reject, *decisions.reject(waiting[ref], only).reject)
    decision = replace(accepted, reject=rejected, why=clean_line(left.why))
    return await _store_with_unclear(caller, waiting, {ref: decision})


async def _build_decision(
    caller: Caller,
    ref: DocumentRef,
    waiting: Mapping[DocumentRef, tuple[Change, ...]],
    wishes: TypedEdits,
) -> Decision:
    edits = wishes.resolve(_fields(waiting, ref.instance))
    if edits.is_empty:
        # Paperless need not be there for that.
        return Decision()
    instance = caller.get_instance(ref.instance)
    names, custom = await instance.catalogue.names(), await _custom_fields(instance, edits)
    there = await _tags_there(instance, ref, edits)
    return decisions.accept(waiting[ref], edits, names, custom, there)


async def _store_with_unclear(
    caller: Caller,
    waiting: Mapping[DocumentRef, tuple[Change, ...]],
    decisions: Mapping[DocumentRef, Decision],
) -> DecisionResult:
    unclear = (one for ref in decisions for one in _unclear(waiting[ref], decisions[ref]))
    return replace(await store_decisions(caller, decisions), unclear=tuple(unclear))


def _unclear(waiting: Iterable[Change], decision: Decision) -> Iterator[AliasRule]:
    said = decisions.find_replaced_names(waiting, decision.accept)
    return (meaning for meaning in said if meaning not in decision.remember)


async def reject(
    caller: Caller, refs: Sequence[DocumentRef], said: Rejection = REJECT_ALL
) -> DecisionResult:
    """Leave documents as they are."""
    return await _reject(caller, refs, said, decisions.reject)


async def reject_and_never_suggest(
    caller: Caller, refs: Sequence[DocumentRef], said: Rejection = REJECT_ALL
) -> DecisionResult:
    """Leave documents as they are, and never have these names suggested again."""
    return await _reject(caller, refs, said, decisions.reject_and_never_suggest)


async def _reject(
    caller: Caller, refs: Sequence[DocumentRef], said: Rejection, how: RejectFunction
) -> DecisionResult:
    waiting = await _waiting(caller, refs, said.seen)
    decisions = {
        ref: how(changes, resolve_fields(said.only, _fields(waiting, ref.instance)))
        for ref, changes in waiting.items()
    }
    why = clean_line(said.why)
    return await store_decisions(
        caller, {ref: replace(decision, why=why) for ref, decision in decisions.items()}
    )


def _fields(waiting: Mapping[DocumentRef, Iterable[Change]], instance: str) -> dict[Field, None]:
    """Return the fields that wait in one instance: in another, a number is another field's."""
    found = (changes for ref, changes in waiting.items() if ref.instance == instance)
    return {change.field: None for changes in found for change in changes}


async def _waiting(
    caller: Caller, refs: Sequence[DocumentRef], seen: Collection[int] | None
) -> Mapping[DocumentRef, tuple[Change, ...]]:
    return {ref: await list_waiting(caller, ref, seen) for ref in refs}


async def _custom_fields(instance: Instance, edits: Edits) -> tuple[Definition, ...]:
    """Read what custom fields may hold, if the person has a value of his own for one."""
    if not any(isinstance(field, CustomField) for field in edits.values):
        return ()
    return await instance.custom_fields.all()


async def _tags_there(instance: Instance, ref: DocumentRef, edits: Edits) -> frozenset[int]:
    """Read which tags a document has, if the person lists tags."""
    if FieldName.TAGS not in edits.values:
        return frozenset()
    return (await instance.paperless.fetch_fields(ref.id)).tags


async def accept_clear(
    caller: Caller, seen: Mapping[DocumentRef, Collection[int]]
) -> DecisionResult:
    """Have written what was seen of each document, just as it was suggested.

    One that was decided meanwhile, or that something speaks against, is told of; it keeps no other
    from being accepted.
    """
    return merge_results([await _accept_one_if_clear(caller, *one) for one in seen.items()])


async def _accept_one_if_clear(
    caller: Caller, ref: DocumentRef, seen: Collection[int]
) -> DecisionResult:
    try:
        waiting = await list_waiting(caller, ref, seen)
        if any(needs_individual_review(change) for change in waiting):
            raise NeedsIndividualReview(ref)
        return await store_decisions(caller, {ref: accept_unchanged(waiting)})
    except (InvalidRequest, Refused) as error:
        return DecisionResult(refused=(error,))
