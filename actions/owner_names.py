"""The owner's names: proposed from documents, confirmed or declined by a person."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from actions.caller import Caller
from actions.errors import NameAmbiguous
from core.learning import Approval, Fact, FactCount, FactKind, LearntDecision
from core.messages import message
from core.text import clean_line
from processor.analysis.name_matching import spelling_key
from processor.learnt_facts import select_proposed

_LONGEST = 128


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
        for name in _list_of_instance(
            instance,
            counts[instance],
            decisions[instance],
            caller.settings[instance].ai.owner_names,
        )
    )


def _list_of_instance(
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


async def confirm_owner_name(caller: Caller, name: str, instance: str | None = None) -> OwnerName:
    """Store that a name is the owner's, whether it was proposed or not."""
    return await _decide(caller, name, instance, Approval.CONFIRMED)


async def decline_owner_name(caller: Caller, name: str, instance: str | None = None) -> OwnerName:
    """Store that a name is not the owner's; it is not proposed again."""
    return await _decide(caller, name, instance, Approval.DECLINED)


async def _decide(caller: Caller, name: str, instance: str | None, approval: Approval) -> OwnerName:
    name = clean_line(name)[:_LONGEST]
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
