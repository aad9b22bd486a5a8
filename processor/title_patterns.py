"""Plan titles by a pattern: that of the settings, or of earlier titles of a correspondent."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import structlog

from core import title_patterns
from core.changes import Plan, PlannedChange, has_no_suggestion
from core.fields import FieldMode, FieldName, Name, Value, is_same_value
from paperless_client import Document, PaperlessError
from processor.analysis.checks import TITLE_LENGTH, Candidate
from processor.analysis.language import detect_language
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.plan import Policy, Reason, plan_changes
from processor.reconcile import CurrentValues, read_current_values
from store import Store

log = structlog.get_logger()

_MOST_EARLIER = 25
"""Earlier documents of a correspondent that are read."""
_FEWEST_ALIKE = 2
"""Earlier titles of the same pattern, so that it is no coincidence."""

TitledValues: TypeAlias = tuple[str, Mapping[FieldName, Value]]
"""The title of a document, and its values that a title may contain."""


@dataclass(frozen=True, slots=True)
class TitleParts:
    """The values that a plan gives the fields of a pattern."""

    certain: Mapping[FieldName, Value]
    """Written by the plan, or in Paperless already."""
    in_review: Mapping[FieldName, Value]

    @classmethod
    def of(cls, plan: Plan, current: CurrentValues) -> "TitleParts":
        written = {change.field: change.after for change in plan.now}
        waiting = {
            change.field: change.after for change in plan.review if not has_no_suggestion(change)
        }
        fields = dict.fromkeys(title_patterns.PLACEHOLDERS.values())
        there = {field: current.value(field) for field in fields if field not in current.empty}
        return cls(
            certain={
                field: written.get(field, there.get(field))
                for field in fields
                if field not in waiting and (field in written or field in there)
            },
            in_review={field: waiting[field] for field in fields if field in waiting},
        )

    @property
    def all(self) -> Mapping[FieldName, Value]:
        return {**self.certain, **self.in_review}


async def plan_title(
    plan: Plan, document: Document, names: NamesInUse, instance: Instance, store: Store
) -> Plan:
    """Return the plan with a title by the pattern of the settings, if there is one."""
    pattern = instance.policy.title_pattern
    if not pattern or instance.policy.modes[FieldName.TITLE] is FieldMode.OFF:
        return plan
    current = read_current_values(document, names)
    parts = TitleParts.of(plan, current)
    wanted = instance.prompt_settings.language
    language = detect_language(document.content) if wanted == "document" else wanted
    if pattern == title_patterns.LIKE_EARLIER:
        earlier = await _fetch_earlier(parts, document, names, instance, store)
        pattern = choose_pattern(
            pattern
            for title, values in earlier
            for pattern in title_patterns.derive(title, values, language)
        )
    pattern = title_patterns.set_language(pattern, language)
    return apply_pattern(plan, current, pattern, instance.policy)


def apply_pattern(plan: Plan, current: CurrentValues, pattern: str, policy: Policy) -> Plan:
    """Return the plan with the title that `pattern` makes of its values.

    Without a value for any of its placeholders, the plan stays as it is. If one is missing or in
    review, the title is for review, too, with what is open of the pattern.
    """
    parts = TitleParts.of(plan, current)
    fields = title_patterns.list_fields(pattern)
    if not any(field in parts.all for field in fields):
        return plan
    title = title_patterns.drop_open(title_patterns.fill(pattern, parts.all))[:TITLE_LENGTH]
    candidate = Candidate(FieldName.TITLE, title, "", 1.0)
    planned = plan_changes(current, [candidate], policy)
    reasons = {
        Reason.TITLE_PART_MISSING: any(field not in parts.all for field in fields),
        Reason.TITLE_PART_IN_REVIEW: any(field in parts.in_review for field in fields),
    }
    held = tuple(reason for reason, holds in reasons.items() if holds)
    open_pattern = title_patterns.fill(pattern, parts.certain)
    made = [
        replace(change, reasons=(*change.reasons, *held), pattern=open_pattern)
        for change in (*planned.now, *planned.review)
    ]
    needs_review = held or planned.review
    return Plan(
        now=(*_without_title(plan.now), *(() if needs_review else made)),
        review=(*_without_title(plan.review), *(made if needs_review else ())),
        leave=(*_without_title(plan.leave), *planned.leave),
    )


def choose_pattern(patterns: Iterable[str]) -> str:
    """Return the most frequent pattern, the first of several; "" if no two titles are alike."""
    for pattern, count in Counter(patterns).most_common(1):
        if count >= _FEWEST_ALIKE:
            return pattern
    return ""


def _without_title(changes: Iterable[PlannedChange]) -> list[PlannedChange]:
    return [change for change in changes if change.field is not FieldName.TITLE]


async def _fetch_earlier(
    parts: TitleParts,
    document: Document,
    names: NamesInUse,
    instance: Instance,
    store: Store,
) -> list[TitledValues]:
    """Return the titles that people gave earlier documents of the same correspondent and type."""
    sender = parts.all.get(FieldName.CORRESPONDENT)
    if not isinstance(sender, Name) or sender.id is None:
        return []
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    try:
        found = await instance.paperless.list_of_correspondent(
            sender.id, _MOST_EARLIER, without_tags=excluded
        )
    except PaperlessError as error:
        # The model's own title remains.
        log.info("no earlier titles", code=error.code)
        return []
    written = await store.changes.list_written_automatically(
        instance.name, [earlier.id for earlier in found]
    )
    ours = {
        (change.document.id, change.after) for change in written if change.field is FieldName.TITLE
    }
    current = {earlier.id: read_current_values(earlier, names) for earlier in found}
    kind = parts.all.get(FieldName.DOCUMENT_TYPE)
    return [
        (str(values.value(FieldName.TITLE)), _filled(values))
        for id_, values in current.items()
        if id_ != document.id
        and FieldName.TITLE not in values.empty
        and (id_, values.value(FieldName.TITLE)) not in ours
        and is_same_value(values.value(FieldName.DOCUMENT_TYPE), kind)
    ]


def _filled(current: CurrentValues) -> Mapping[FieldName, Value]:
    fields = title_patterns.PLACEHOLDERS.values()
    return {field: current.value(field) for field in fields if field not in current.empty}
