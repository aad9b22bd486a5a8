"""What was learnt from filed documents: facts about senders, and the owner's names."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from actions.caller import Caller
from actions.errors import InvalidRequest, NameAmbiguous
from actions.timeouts import PaperlessTakesLong, get_names_within
from core.documents import DocumentRef
from core.fields import FieldName
from core.learning import (
    SENDER_FACTS,
    Approval,
    Fact,
    FactCount,
    FactKind,
    LearntDecision,
)
from core.messages import message
from core.text import clean_line
from paperless_client import PaperlessError
from processor.analysis.name_matching import spelling_key
from processor.learnt_facts import select_proposed

_KINDS = SENDER_FACTS | {FactKind.DATE_ORDER}
_ORIGINS = 3
"""Documents to list with a fact; the others are only counted."""
_MAX_NAME_LENGTH = 128


@dataclass(frozen=True, slots=True)
class LearntFact:
    """A fact that checks use, or one that a person deleted."""

    instance: str
    fact: Fact
    correspondent: int | None
    """The sender that it is about; None for the whole archive."""
    sender: str = ""
    """The sender's name; empty for the whole archive."""
    documents: int = 0
    total: int = 0
    """How many documents were counted, for a date order."""
    origins: tuple[DocumentRef, ...] = ()
    """The newest of the documents that it was learnt from."""
    is_deleted: bool = False

    @property
    def id(self) -> str:
        """Return what identifies the fact within its instance."""
        return f"{self.fact.kind}:{self.correspondent or 0}:{self.fact.value}"


@dataclass(frozen=True, slots=True)
class LearntPage:
    """Some of the learnt facts of an instance, by sender."""

    facts: tuple[LearntFact, ...] = ()
    deleted: tuple[LearntFact, ...] = ()
    next: int | None = None
    """Where the next page begins; None at the end."""


class OwnerNameState(StrEnum):
    """What is known about a name of the owner."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    DECLINED = "declined"
    SETTINGS = "settings"
    """Named in `ai.owner_names`."""


@dataclass(frozen=True, slots=True)
class OwnerName:
    """A name that is or may be the owner's."""

    instance: str
    name: str
    state: OwnerNameState
    documents: int = 0
    """The documents addressed to it, when it was last counted."""
    total: int = 0
    """The documents that were counted: those that a person filed."""


async def list_learnt(
    caller: Caller, instance: str, *, start: int = 0, limit: int | None = None
) -> LearntPage:
    """List what was learnt about an instance, from fact number `start` on.

    The order of dates in the archive comes first, then what is about senders, by name.
    """
    caller.require_instance(instance)
    names = await _get_sender_names(caller, instance)
    deleted = await _list_deleted(caller, instance, names)
    gone = {(fact.fact, fact.correspondent) for fact in deleted}
    learnt = caller.store.learnt
    counts = (
        *await learnt.list_counts(instance, FactKind.DATE_ORDER),
        *await learnt.list_sender_facts(instance),
    )
    facts = sorted(
        (
            _build_fact(instance, count, names)
            for count in counts
            if (count.fact, count.correspondent) not in gone
        ),
        key=lambda fact: (fact.sender.casefold(), fact.id),
    )
    shown = facts[start:] if limit is None else facts[start : start + limit]
    origins = await learnt.list_origins(
        instance, [fact.fact for fact in shown if fact.fact.kind in SENDER_FACTS], limit=_ORIGINS
    )
    return LearntPage(
        tuple(replace(fact, origins=origins.get(fact.fact, ())) for fact in shown),
        deleted,
        start + len(shown) if start + len(shown) < len(facts) else None,
    )


async def delete_learnt(caller: Caller, instance: str, ids: Iterable[str]) -> None:
    """Delete learnt facts for good: they are not used, and not learnt again."""
    caller.require_instance(instance)
    facts = [_parse_id(id_) for id_ in ids]
    for fact, correspondent in facts:
        decision = LearntDecision(fact, correspondent, Approval.DECLINED, caller.by, caller.now())
        await caller.store.learnt.decide(instance, decision)


async def restore_learnt(caller: Caller, instance: str, ids: Iterable[str]) -> None:
    """Let deleted facts be used again."""
    caller.require_instance(instance)
    for id_ in ids:
        fact, correspondent = _parse_id(id_)
        if not await caller.store.learnt.withdraw(instance, fact, correspondent=correspondent):
            raise InvalidRequest(message('"{id}" was not deleted', id=id_))


async def list_owner_names(
    caller: Caller, instances: Collection[str] | None = None
) -> tuple[OwnerName, ...]:
    """List the owner's names: proposed, confirmed, those of the settings, declined.

    Raise InstanceUnknown. Without `instances`, those of all that the caller may see.
    """
    wanted = list(caller.settings) if instances is None else list(instances)
    for instance in wanted:
        caller.require_instance(instance)
    learnt, kind = caller.store.learnt, FactKind.ADDRESSEE
    decisions = await learnt.list_decisions_by_instance(wanted, {kind})
    counts = await learnt.list_counts_by_instance(wanted, kind)
    return tuple(
        name
        for instance in wanted
        for name in _build_owner_names(
            instance,
            counts[instance],
            decisions[instance],
            caller.settings[instance].ai.owner_names,
        )
    )


async def confirm_owner_name(caller: Caller, name: str, instance: str | None = None) -> OwnerName:
    """Store that a name is the owner's, whether it was proposed or not."""
    return await _decide_owner_name(caller, name, instance, Approval.CONFIRMED)


async def decline_owner_name(caller: Caller, name: str, instance: str | None = None) -> OwnerName:
    """Store that a name is not the owner's; it is not proposed again."""
    return await _decide_owner_name(caller, name, instance, Approval.DECLINED)


def _parse_id(text: str) -> tuple[Fact, int | None]:
    kind, _, rest = text.partition(":")
    correspondent, _, value = rest.partition(":")
    if kind not in {known.value for known in _KINDS} or not correspondent.isdecimal() or not value:
        raise InvalidRequest(message('there is no learnt fact "{id}"', id=text))
    return Fact(FactKind(kind), value), int(correspondent) or None


async def _list_deleted(
    caller: Caller, instance: str, names: Mapping[int, str]
) -> tuple[LearntFact, ...]:
    decisions = await caller.store.learnt.list_decisions(instance, _KINDS)
    return tuple(
        replace(
            _build_fact(instance, FactCount(decision.fact, decision.correspondent, 0), names),
            is_deleted=True,
        )
        for decision in decisions
        if decision.approval is Approval.DECLINED
    )


def _build_fact(instance: str, count: FactCount, names: Mapping[int, str]) -> LearntFact:
    sender = count.correspondent
    name = "" if sender is None else names.get(sender, f"#{sender}")
    return LearntFact(instance, count.fact, sender, name, count.documents, count.total)


async def _get_sender_names(caller: Caller, instance: str) -> Mapping[int, str]:
    """Return the names of the correspondents; none if Paperless does not answer soon."""
    try:
        names = await get_names_within(caller.get_instance(instance))
    except (PaperlessError, PaperlessTakesLong):
        return {}
    known = names.by_field[FieldName.CORRESPONDENT]
    return {name.id: name.name for name in known if name.id is not None}


def _build_owner_names(
    instance: str,
    counts: Sequence[FactCount],
    decisions: Sequence[LearntDecision],
    configured: Sequence[str],
) -> list[OwnerName]:
    proposed = [
        OwnerName(
            instance, count.fact.spelling, OwnerNameState.PROPOSED, count.documents, count.total
        )
        for count in select_proposed(counts, decisions, configured)
    ]
    confirmed = _with_approval(instance, decisions, Approval.CONFIRMED)
    declined = _with_approval(instance, decisions, Approval.DECLINED)
    of_settings = [OwnerName(instance, name, OwnerNameState.SETTINGS) for name in configured]
    return [*proposed, *confirmed, *of_settings, *declined]


def _with_approval(
    instance: str, decisions: Sequence[LearntDecision], approval: Approval
) -> list[OwnerName]:
    return [
        OwnerName(instance, decision.fact.spelling, OwnerNameState(approval.value))
        for decision in decisions
        if decision.approval is approval
    ]


async def _decide_owner_name(
    caller: Caller, name: str, instance: str | None, approval: Approval
) -> OwnerName:
    name = clean_line(name)[:_MAX_NAME_LENGTH]
    key = spelling_key(name)
    if not key:
        raise NameAmbiguous(message("a name is missing"))
    place = _choose_instance(caller, name, instance)
    fact = Fact(FactKind.ADDRESSEE, key, name)
    decision = LearntDecision(fact, None, approval, caller.by, caller.now())
    await caller.store.learnt.decide(place, decision)
    return OwnerName(place, name, OwnerNameState(approval.value))


def _choose_instance(caller: Caller, name: str, instance: str | None) -> str:
    if instance is not None:
        caller.require_instance(instance)
        return instance
    if len(caller.settings) != 1:
        raise NameAmbiguous(
            message('there are several instances: specify the one of "{name}"', name=name)
        )
    return next(iter(caller.settings))
