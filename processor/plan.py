"""Plan the changes of one document: check its suggestions, apply the policy, build its title.

Titles follow the configured pattern, or that of earlier titles of the same correspondent.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TypeAlias

import structlog

from core import title_patterns
from core.analysis import Analysis
from core.calendar import DateOrder
from core.changes import Plan, PlannedChange, Suggestion, has_no_suggestion
from core.fields import (
    NAMED_FIELDS,
    CustomField,
    FieldMode,
    FieldName,
    Name,
    Value,
    is_same_value,
)
from core.learning import Learnt
from paperless_client import Document, PaperlessError
from processor.analysis.checks import (
    TITLE_LENGTH,
    Candidate,
    CheckFailure,
    DocumentFacts,
    Owner,
    run_checks,
    run_custom_field_checks,
    run_tag_checks,
)
from processor.analysis.custom_values import read_custom_value
from processor.analysis.dates import parse_date
from processor.analysis.e_invoice_values import EInvoice, list_values
from processor.analysis.numbers import NumberFormat
from processor.analysis.prompt import PromptSettings
from processor.analysis.text_rating import detect_language
from processor.e_invoice_fetcher import fetch_e_invoice
from processor.instance import Instance
from processor.learning import learn_filed_words, look_up_learnt
from processor.names.catalogue import NamesInUse
from processor.policy import Policy, Reason, plan_changes, plan_manual_review, reason_not_to_ask
from processor.reconcile import CurrentValues, read_current_values
from store import Store

log = structlog.get_logger()

_MAX_EARLIER = 25
"""Earlier documents of a correspondent that are read."""
_MIN_ALIKE = 2
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
        there = _filled(current)
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


@dataclass(frozen=True, slots=True)
class Background:
    """What is known about a document besides the model's suggestions."""

    facts: DocumentFacts | None = None
    """What its text shows; None if the text is to be read when the plan is built."""
    learnt: Learnt = field(default_factory=Learnt)
    invoice: EInvoice | None = None
    known_since: datetime | None = None
    """The first start with this archive; None if unknown. Documents added earlier may be old."""


async def look_up_background(
    document: Document, names: NamesInUse, store: Store, instance: Instance, *, now: datetime
) -> Background:
    """Return what the text of a document shows, what was learnt, and the e-invoice inside."""
    known = await store.instances.get(instance.name)
    settings, today = instance.prompt_settings, instance.today(now)
    return Background(
        # Outside the event loop: a long text takes seconds.
        facts=await asyncio.to_thread(read_facts, document, names, settings, today=today),
        learnt=await look_up_learnt(document, names, store, instance),
        invoice=await fetch_e_invoice(instance, document),
        known_since=known.first_started_at if known else None,
    )


async def plan_document(  # noqa: PLR0913 - everything that a plan is made from
    analysis: Analysis | None,
    document: Document,
    names: NamesInUse,
    instance: Instance,
    *,
    store: Store,
    now: datetime,
    background: Background,
) -> Plan:
    """Build the plan, and apply the pattern of titles."""
    names = await learn_filed_words(analysis, document, names, store, instance)
    # Outside the event loop: the checks of a long text take seconds.
    plan = await asyncio.to_thread(
        build_plan,
        analysis,
        document,
        names,
        instance,
        now=now,
        background=background,
    )
    if analysis is None or not analysis.suggestions:
        return plan
    return await plan_title(plan, document, names, instance, store)


def build_plan(
    analysis: Analysis | None,
    document: Document,
    names: NamesInUse,
    instance: Instance,
    *,
    now: datetime,
    background: Background | None = None,
) -> Plan:
    """Build the plan from the model's suggestions; without any, a manual review.

    The plan is built against the document as it was read before the model was called. Values that a
    person sets during the call become conflicts when the plan is carried out.
    """
    settings = instance.prompt_settings
    current = read_current_values(document, names, settings.custom_fields)
    if analysis is None or not analysis.suggestions:
        reason = reason_not_to_ask(document.content) or Reason.NOTHING_FOUND
        return plan_manual_review(current, instance.policy, reason)
    background = background or Background()
    facts = background.facts or read_facts(document, names, settings, today=instance.today(now))
    facts = complete_facts(facts, analysis, document, names, settings, background)
    candidates = [build_candidate(s, names, facts, settings) for s in analysis.suggestions]
    checked = run_custom_field_checks(run_tag_checks(candidates, most=settings.max_tags))
    policy = replace(_reserve_tags_beneath(instance, document, names), refused=names.refused)
    return plan_changes(current, checked, policy)


def read_facts(
    document: Document, names: NamesInUse, settings: PromptSettings, *, today: date
) -> DocumentFacts:
    """Return what the text of a document shows, regardless of the model's suggestions."""
    currencies = (definition.currency for definition in settings.custom_fields)
    return DocumentFacts.of(
        document.content,
        file_name=document.original_file_name or "",
        added=document.added.date(),
        today=today,
        owner=_build_owner(settings, names),
        figures=NumberFormat.detect(document.content, usual=currencies)
        if settings.custom_fields
        else None,
    )


def complete_facts(
    facts: DocumentFacts,
    analysis: Analysis,
    document: Document,
    names: NamesInUse,
    settings: PromptSettings,
    background: Background,
) -> DocumentFacts:
    """Return the facts with those from other sources, and with the order of day and month."""
    invoice, seller = background.invoice, None
    if invoice and invoice.seller:
        seller = names.resolve(FieldName.CORRESPONDENT, invoice.seller).name
    known_since = background.known_since
    facts = replace(
        facts,
        # With the words of filed documents, which depend on what the model suggests.
        owner=_build_owner(settings, names),
        unread=analysis.unread / max(1, len(document.content)),
        is_backlog=known_since is not None and document.added < known_since,
        learnt=background.learnt,
        e_invoice=list_values(invoice, seller, settings.custom_fields) if invoice else {},
    )
    if facts.open_dates and settings.date_order is DateOrder.DOCUMENT:
        facts = facts.with_date_order(_find_date_order(analysis, document, names, facts, settings))
    return facts


def build_candidate(
    suggestion: Suggestion, names: NamesInUse, facts: DocumentFacts, settings: PromptSettings
) -> Candidate:
    """Parse a suggestion as a value of its field, and run the checks on it."""
    value: Value
    if suggestion.field in NAMED_FIELDS:
        resolved = names.resolve(suggestion.field, suggestion.value[:TITLE_LENGTH])
        candidate = run_checks(suggestion, resolved.name, facts)
        return replace(candidate, similar=resolved.similar or _list_other_senders(candidate, facts))
    if isinstance(suggestion.field, CustomField):
        definitions = {definition.field: definition for definition in settings.custom_fields}
        known = definitions.get(suggestion.field)
        value = read_custom_value(suggestion.value, known) if known else None
    elif suggestion.field is FieldName.DATE:
        value = parse_date(suggestion.value)
    else:
        value = suggestion.value[:TITLE_LENGTH]
    return run_checks(suggestion, value, facts)


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
        if count >= _MIN_ALIKE:
            return pattern
    return ""


def _reserve_tags_beneath(instance: Instance, document: Document, names: NamesInUse) -> Policy:
    """Return the policy with the tags beneath reserved ones reserved as well.

    Adding such a tag would add the reserved one, too. A tag beneath a trigger tag would be removed
    together with it.
    """
    policy, known = instance.policy, names.by_field[FieldName.TAGS]
    reserved = {tag.id for tag in known if tag.name in policy.reserved_tags and tag.id is not None}
    above = (reserved - document.tags) | names.tag_ids.all_ids(instance.tags.remove)
    beneath = names.tags(below for id_ in above for below in names.descendants(id_))
    return replace(policy, reserved_tags=policy.reserved_tags | {tag.name for tag in beneath})


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
            sender.id, _MAX_EARLIER, without_tags=excluded
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


def _find_date_order(
    analysis: Analysis,
    document: Document,
    names: NamesInUse,
    facts: DocumentFacts,
    settings: PromptSettings,
) -> DateOrder:
    """Return the order of day and month in this sender's documents, or else in the archive.

    The sender is the document's correspondent, or the suggested one if it passes its checks.
    """
    orders, sender = facts.learnt.sender_date_orders, document.correspondent
    for suggestion in analysis.suggestions if sender is None and orders else ():
        if suggestion.field is FieldName.CORRESPONDENT:
            candidate = build_candidate(suggestion, names, facts, settings)
            if isinstance(candidate.value, Name) and not candidate.failures:
                sender = candidate.value.id
    return orders.get(sender or 0, facts.learnt.date_order)


def _list_other_senders(candidate: Candidate, facts: DocumentFacts) -> tuple[str, ...]:
    """Return the correspondents that numbers or the letterhead show instead, if they do."""
    others = {
        CheckFailure.NUMBER_OF_ANOTHER_SENDER: facts.learnt.sender,
        CheckFailure.OTHER_NAME_FITS_BETTER: facts.learnt.letterhead,
    }
    shown = (name for failure, name in others.items() if failure in candidate.failures)
    return tuple(dict.fromkeys(name.name for name in shown if name is not None))


def _build_owner(settings: PromptSettings, names: NamesInUse) -> Owner:
    document_types = tuple(name.name for name in names.by_field[FieldName.DOCUMENT_TYPE])
    aliases = (key for (field, key) in names.aliases if field is FieldName.CORRESPONDENT)
    return Owner(
        names=settings.owner_names,
        language=settings.language,
        date_order=settings.date_order,
        kinds=document_types,
        correspondents=tuple(name.name for name in names.by_field[FieldName.CORRESPONDENT]),
        aliases=frozenset(aliases),
        filed_words=names.filed_words,
    )
