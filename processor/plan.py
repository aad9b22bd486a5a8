"""Decide which changes to write now, which to put before a person, which to leave."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.analysis import Analysis
from core.changes import Plan, PlannedChange
from core.custom_fields import Definition
from core.documents import content_hash
from core.fields import (
    Field,
    FieldMode,
    FieldName,
    Name,
    NewNamePolicy,
    Value,
    is_empty,
    is_same_value,
)
from processor.analysis.checks import CHECK_NAMES, CHECKS_VERSION, Candidate
from processor.analysis.legibility import Legibility, legibility_of
from processor.analysis.name_matching import identity_key, spelling_key
from processor.analysis.prompt import PromptSettings
from processor.names.catalogue import AliasRules
from processor.reconcile import CurrentValues


class Reason(StrEnum):
    """Why a value is left, or needs a person, apart from the doubts of the checks."""

    ALREADY_SO = "already_so"
    HAS_A_VALUE = "has_a_value"
    NEW_NAME = "new_name"
    NEW_NAME_NOT_ALLOWED = "new_name_not_allowed"
    SIMILAR_NAME = "similar_name"
    REFUSED_NAME = "refused_name"
    NO_VALUE = "no_value"
    NO_TEXT = "no_text"
    UNREADABLE = "unreadable"
    RESERVED_TAG = "reserved_tag"
    NOTHING_FOUND = "nothing_found"
    TOO_MANY_TAGS = "too_many_tags"


_LEAVE = frozenset(
    {
        Reason.ALREADY_SO,
        Reason.HAS_A_VALUE,
        Reason.NEW_NAME_NOT_ALLOWED,
        Reason.NO_VALUE,
        Reason.REFUSED_NAME,
        Reason.RESERVED_TAG,
        Reason.TOO_MANY_TAGS,
    }
)


@dataclass(frozen=True, slots=True)
class Policy:
    """What the owner allows, field by field."""

    modes: Mapping[Field, FieldMode]
    new_names: Mapping[Field, NewNamePolicy]
    max_tags: int = 5
    reserved_tags: frozenset[str] = frozenset()
    """Tags that steer the clerk; no document may talk a model into setting one."""
    refused: frozenset[tuple[FieldName, str]] = frozenset()
    """Names that are never to be suggested, by field and key."""
    custom: Mapping[str, FieldMode] = field(default_factory=dict)
    """Modes of the custom fields that are asked for, by the name in the config."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """Return the fields that are asked for."""
        return tuple(one for one, mode in self.modes.items() if mode is not FieldMode.OFF)

    def with_custom_fields(self, known: Iterable[Definition]) -> "Policy":
        """Apply the modes of custom fields to the fields that have these names."""
        modes = dict(self.modes)
        modes.update((one.field, self.custom[one.field.name]) for one in known)
        return replace(self, modes=modes)


def fingerprint(
    analysis: Analysis | None,
    text: str,
    policy: Policy,
    brief: PromptSettings,
    meanings: AliasRules,
) -> str:
    """Return a hash of all inputs of a plan except the current values in Paperless.

    A stored plan with another fingerprint is outdated: it was made from another text, by another
    model or prompt, or with settings that have changed since.
    """
    made_from = {
        "text": content_hash(text),
        "result": None if analysis is None else [analysis.prompt_version, analysis.model],
        "modes": {str(where): mode for where, mode in policy.modes.items()},
        "new_names": {str(where): allowed for where, allowed in policy.new_names.items()},
        "max_tags": policy.max_tags,
        "reserved_tags": sorted(policy.reserved_tags),
        "meanings": sorted(
            [where, key, str(said.target)] for (where, key), said in meanings.items()
        ),
        "custom_fields": [repr(definition) for definition in brief.custom_fields],
        "owner_names": brief.owner_names,
        "language": brief.language,
        "checks": [CHECKS_VERSION, *CHECK_NAMES],
    }
    return content_hash(json.dumps(made_from, sort_keys=True))


def plan_changes(current: CurrentValues, candidates: Iterable[Candidate], policy: Policy) -> Plan:
    """Turn candidates into changes, leaving out fields that are off."""
    now: list[PlannedChange] = []
    review: list[PlannedChange] = []
    leave: list[PlannedChange] = []
    tags_left = policy.max_tags
    for candidate in _distinct(one for one in candidates if one.field in policy.fields):
        is_tag = candidate.field is FieldName.TAGS
        reasons = _reasons(candidate, current, policy)
        if is_tag and not tags_left and not _LEAVE.intersection(reasons):
            reasons = (Reason.TOO_MANY_TAGS,)
        change = _change(candidate, current, reasons)
        if _LEAVE.intersection(reasons):
            leave.append(change)
            continue
        tags_left -= is_tag
        by_hand = reasons or policy.modes[candidate.field] is FieldMode.REVIEW
        (review if by_hand else now).append(change)
    return Plan(tuple(now), tuple(review), tuple(leave))


def reason_not_to_ask(text: str) -> Reason | None:
    """Say why a model could make nothing of `text`; None if it is worth asking."""
    if not text.strip():
        return Reason.NO_TEXT
    hopeless = legibility_of(text) is Legibility.HOPELESS
    return Reason.UNREADABLE if hopeless else None


def plan_manual_review(current: CurrentValues, policy: Policy, why: Reason) -> Plan:
    """Put a document before a person as it is: there is nothing to suggest, but it is not filed."""
    shown = next((one for one in policy.fields if one is not FieldName.TAGS), FieldName.TITLE)
    value = current.value(shown)
    return Plan(review=(PlannedChange(shown, value, value, reasons=(why,)),))


def _reasons(candidate: Candidate, current: CurrentValues, policy: Policy) -> tuple[str, ...]:
    """Say why a candidate must not be written just so; nothing if it may."""
    value = candidate.value
    if is_empty(value):
        return (Reason.NO_VALUE, *candidate.failures)
    if is_same_value(value, _before(candidate, current)):
        return (Reason.ALREADY_SO,)
    if candidate.field is FieldName.TAGS and str(value) in policy.reserved_tags:
        return (Reason.RESERVED_TAG,)
    if isinstance(value, Name) and (candidate.field, spelling_key(value.name)) in policy.refused:
        return (Reason.REFUSED_NAME,)
    if policy.modes[candidate.field] is FieldMode.FILL and _is_filled(candidate.field, current):
        return (Reason.HAS_A_VALUE,)
    allowed = policy.new_names.get(candidate.field)
    return (*_about_new_name(candidate, allowed), *candidate.failures)


def _about_new_name(candidate: Candidate, allowed: NewNamePolicy | None) -> tuple[Reason, ...]:
    value = candidate.value
    if not isinstance(value, Name) or value.id is not None:
        return ()
    similar = (Reason.SIMILAR_NAME,) if candidate.similar else ()
    match allowed:
        case NewNamePolicy.CREATE:
            return similar
        case NewNamePolicy.REVIEW:
            return (Reason.NEW_NAME, *similar)
        case _:
            return (Reason.NEW_NAME_NOT_ALLOWED,)


def _is_filled(where: Field, current: CurrentValues) -> bool:
    return where is not FieldName.TAGS and where not in current.empty


def _before(candidate: Candidate, current: CurrentValues) -> Value:
    tag = candidate.value if isinstance(candidate.value, Name) else None
    return current.value(candidate.field, tag)


def _change(
    candidate: Candidate, current: CurrentValues, reasons: tuple[str, ...]
) -> PlannedChange:
    return PlannedChange(
        candidate.field,
        _before(candidate, current),
        candidate.value,
        candidate.evidence,
        candidate.confidence,
        reasons,
        candidate.similar,
        candidate.checks,
    )


def _distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Drop a tag that was suggested twice, be it in another spelling."""
    seen: set[object] = set()
    kept = []
    for candidate in candidates:
        key = (candidate.field, identity_key(candidate.value))
        if key not in seen:
            kept.append(candidate)
        seen.add(key)
    return kept
