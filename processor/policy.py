"""Decide which changes to write now, which to review and which to leave out, by field."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.analysis import Analysis
from core.changes import Plan, PlannedChange
from core.documents import content_hash
from core.fields import (
    CustomField,
    Definition,
    Field,
    FieldMode,
    FieldName,
    Name,
    NewNamePolicy,
    Value,
    is_empty,
    is_same_value,
)
from core.learning import Learnt
from processor.analysis.checks import CHECK_NAMES, CHECKS_VERSION, Candidate
from processor.analysis.name_matching import identity_key, spelling_key
from processor.analysis.prompt import PromptSettings
from processor.analysis.text_rating import Legibility, legibility_of
from processor.names.catalogue import AliasRules
from processor.reconcile import CurrentValues


class Reason(StrEnum):
    """Why a value is left out or needs review, apart from failed checks."""

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
    TITLE_PART_MISSING = "title_part_missing"
    TITLE_PART_IN_REVIEW = "title_part_in_review"


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

_STRICTEST_MODE_FIRST = (FieldMode.OFF, FieldMode.REVIEW, FieldMode.FILL, FieldMode.REPLACE)
_STRICTEST_NAMES_FIRST = (NewNamePolicy.NEVER, NewNamePolicy.REVIEW, NewNamePolicy.CREATE)


@dataclass(frozen=True, slots=True)
class Policy:
    """What the settings allow, by field."""

    modes: Mapping[Field, FieldMode]
    new_names: Mapping[Field, NewNamePolicy]
    max_tags: int = 5
    reserved_tags: frozenset[str] = frozenset()
    """Tags that control processing; a model must never set one, whatever the text says."""
    refused: frozenset[tuple[FieldName, str]] = frozenset()
    """Names that must never be suggested, by field and key."""
    custom: Mapping[str, FieldMode] = field(default_factory=dict)
    """Modes of the configured custom fields, by name."""
    title_pattern: str = ""
    """Pattern of titles; "" for the model's own."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """Return the fields that are asked for."""
        return tuple(field for field, mode in self.modes.items() if mode is not FieldMode.OFF)

    def with_custom_fields(self, known: Iterable[Definition]) -> "Policy":
        """Apply the modes of custom fields to the fields that have these names."""
        modes = dict(self.modes)
        modes.update((definition.field, self.custom[definition.field.name]) for definition in known)
        return replace(self, modes=modes)

    def restrict(self, other: "Policy") -> "Policy":
        """Return the stricter of both policies, field by field; titles are made as here."""
        return replace(
            self,
            modes={
                field: min(mode, other._mode_of(field), key=_STRICTEST_MODE_FIRST.index)
                for field, mode in self.modes.items()
            },
            new_names={
                field: min(
                    allowed,
                    other.new_names.get(field, NewNamePolicy.NEVER),
                    key=_STRICTEST_NAMES_FIRST.index,
                )
                for field, allowed in self.new_names.items()
            },
            max_tags=min(self.max_tags, other.max_tags),
            reserved_tags=self.reserved_tags | other.reserved_tags,
        )

    def _mode_of(self, field: Field) -> FieldMode:
        """Return the mode of a field; that of a custom field also by its name."""
        of_name = self.custom.get(field.name) if isinstance(field, CustomField) else None
        return self.modes.get(field) or of_name or FieldMode.OFF


def fingerprint(
    analysis: Analysis | None,
    text: str,
    policy: Policy,
    settings: PromptSettings,
    aliases: AliasRules,
    learnt: Learnt | None = None,
) -> str:
    """Return a hash of all inputs of a plan except the current values in Paperless.

    A stored plan with another fingerprint is outdated: it was made from another text, by another
    model or prompt, or with settings that have changed since.
    """
    made_from = {
        "text": content_hash(text),
        "result": None if analysis is None else [analysis.prompt_version, analysis.model],
        "modes": {
            str(field): mode
            for field, mode in policy.modes.items()
            # Left out while it is off: plans from before it existed are still up to date.
            if mode is not FieldMode.OFF or field is not FieldName.STORAGE_PATH
        },
        "new_names": {str(field): allowed for field, allowed in policy.new_names.items()},
        "max_tags": policy.max_tags,
        "reserved_tags": sorted(policy.reserved_tags),
        "meanings": sorted(
            [field, key, str(rule.target)] for (field, key), rule in aliases.items()
        ),
        "custom_fields": [repr(definition) for definition in settings.custom_fields],
        "owner_names": settings.owner_names,
        "language": settings.language,
        "date_order": settings.date_order,
        "checks": [CHECKS_VERSION, *CHECK_NAMES],
        # Left out while there is none: plans from before it existed are still up to date.
        **({"title_pattern": policy.title_pattern} if policy.title_pattern else {}),
    }
    if learnt is not None and learnt != Learnt():
        # Left out while nothing is learnt: plans from before are still up to date.
        made_from["learnt"] = repr(learnt)
    return content_hash(json.dumps(made_from, sort_keys=True))


def plan_changes(current: CurrentValues, candidates: Iterable[Candidate], policy: Policy) -> Plan:
    """Plan a change for each candidate, except for fields that are off."""
    now: list[PlannedChange] = []
    review: list[PlannedChange] = []
    leave: list[PlannedChange] = []
    tags_left, seen = policy.max_tags, set[object]()
    for candidate in candidates:
        # The same tag may be suggested twice, even in another spelling.
        key = (candidate.field, identity_key(candidate.value))
        if candidate.field not in policy.fields or key in seen:
            continue
        seen.add(key)
        is_tag = candidate.field is FieldName.TAGS
        reasons = _reasons(candidate, current, policy)
        if is_tag and not tags_left and not _LEAVE.intersection(reasons):
            reasons = (Reason.TOO_MANY_TAGS,)
        change = PlannedChange(
            candidate.field,
            _before(candidate, current),
            candidate.value,
            candidate.evidence,
            candidate.confidence,
            reasons,
            candidate.similar,
            candidate.checks,
            is_evidence_found=candidate.is_evidence_found,
            e_invoice=candidate.e_invoice,
        )
        if _LEAVE.intersection(reasons):
            leave.append(change)
            continue
        tags_left -= is_tag
        needs_review = reasons or policy.modes[candidate.field] is FieldMode.REVIEW
        (review if needs_review else now).append(change)
    return Plan(tuple(now), tuple(review), tuple(leave))


def reason_not_to_ask(text: str) -> Reason | None:
    """Return why `text` is not worth a model call; None if it is."""
    if not text.strip():
        return Reason.NO_TEXT
    return Reason.UNREADABLE if legibility_of(text) is Legibility.HOPELESS else None


def plan_manual_review(current: CurrentValues, policy: Policy, reason: Reason) -> Plan:
    """Plan a review of a document without any suggestion: one field, with its current value."""
    fields = (field for field in policy.fields if field is not FieldName.TAGS)
    shown = next(fields, FieldName.TITLE)
    value = current.value(shown)
    return Plan(review=(PlannedChange(shown, value, value, reasons=(reason,)),))


def _reasons(candidate: Candidate, current: CurrentValues, policy: Policy) -> tuple[str, ...]:
    """Return why a candidate is left out or needs review; nothing if it may be written."""
    value = candidate.value
    if is_empty(value):
        return (Reason.NO_VALUE, *candidate.failures)
    if is_same_value(value, _before(candidate, current)):
        return (Reason.ALREADY_SO,)
    if candidate.field is FieldName.TAGS and str(value) in policy.reserved_tags:
        return (Reason.RESERVED_TAG,)
    if isinstance(value, Name) and (candidate.field, spelling_key(value.name)) in policy.refused:
        return (Reason.REFUSED_NAME,)
    is_filled = candidate.field is not FieldName.TAGS and candidate.field not in current.empty
    if policy.modes[candidate.field] is FieldMode.FILL and is_filled:
        return (Reason.HAS_A_VALUE,)
    allowed = policy.new_names.get(candidate.field)
    return (*_new_name_reasons(candidate, allowed), *candidate.failures)


def _new_name_reasons(candidate: Candidate, allowed: NewNamePolicy | None) -> tuple[Reason, ...]:
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


def _before(candidate: Candidate, current: CurrentValues) -> Value:
    tag = candidate.value if isinstance(candidate.value, Name) else None
    return current.value(candidate.field, tag)
