"""Labels for stored codes and values: in English for the CLI, translated by `Labels` for pages."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from core.analysis import YEARS_BACK
from core.calendar import DateOrder
from core.changes import (
    RULE,
    SUPERSEDED,
    UNWRITTEN,
    VANISHED,
    WAITING,
    Change,
    ChangeState,
    PlannedChange,
    has_no_suggestion,
)
from core.errors import Problem
from core.fields import CustomField, Field, FieldName, Money, Value
from core.holds import Hold, HoldKind, target_message
from core.jobs import CallProgress, Job, Stage
from core.learning import Fact, FactKind
from core.messages import Message, message, plain
from core.names import AliasRule, KeepReason
from core.notifications import Delivery, DeliveryState
from core.scans import SkipReason
from core.text import clean_line
from i18n.translate import Translator

SKIPS = {
    SkipReason.EXCLUDED: "has an excluded tag",
    SkipReason.NOT_ASKED_FOR: "lacks a required tag",
    SkipReason.TOO_OLD: "was added before scan.since",
    SkipReason.TOO_YOUNG: "is younger than scan.min_age",
    SkipReason.QUEUED: "is in the queue",
    SkipReason.DONE: "has already been processed",
    SkipReason.DONE_TAG: "has the tag scan.done_tag, so it has already been processed",
    SkipReason.ADOPTED: "was adopted: another tool has processed it",
    SkipReason.FAILED: "failed earlier; run `paperclerk retry` or `process` to start it again",
    SkipReason.CANCELLED: "was cancelled; run `paperclerk retry` or `process` to start it again",
    SkipReason.IGNORED: "is ignored; run `paperclerk unignore` to stop ignoring it",
    SkipReason.GONE: "is no longer in Paperless",
    SkipReason.READ_ONLY: "is not shared for editing with the token's user; share it in Paperless",
    SkipReason.OVER_LIMIT: "exceeds the limit of this scan",
    SkipReason.NOT_READ: "was not read: the limit of this scan was reached",
}
"""Of one document, after "it"."""

SKIPPED = {
    SkipReason.EXCLUDED: "with an excluded tag",
    SkipReason.NOT_ASKED_FOR: "without a required tag",
    SkipReason.TOO_OLD: "added before scan.since",
    SkipReason.TOO_YOUNG: "younger than scan.min_age",
    SkipReason.QUEUED: "in the queue",
    SkipReason.DONE: "already processed",
    SkipReason.DONE_TAG: "with the done tag",
    SkipReason.ADOPTED: "adopted",
    SkipReason.FAILED: "failed earlier",
    SkipReason.CANCELLED: "cancelled earlier",
    SkipReason.IGNORED: "ignored",
    SkipReason.GONE: "no longer in Paperless",
    SkipReason.READ_ONLY: "not shared for editing",
    SkipReason.OVER_LIMIT: "over the limit",
    SkipReason.NOT_READ: "not read",
}
"""Of several documents, after their number."""

REASONS = {
    "already_so": message("already has this value"),
    "has_a_value": message("already has a value"),
    "new_name": message("the name does not exist in Paperless yet"),
    "new_name_not_allowed": message("the name does not exist, and new names are not allowed"),
    "similar_name": message("a similar name exists"),
    "refused_name": message("you chose never to suggest it"),
    "no_value": message("the model found no value"),
    "no_text": message("the document has no text"),
    "unreadable": message("the text is unreadable"),
    "nothing_found": message("the model found nothing usable"),
    "reserved_tag": message("the tag controls Paperclerk and cannot be suggested"),
    "too_many_tags": message("more tags than allowed"),
    "title_part_missing": message("a part of the title is missing"),
    "title_part_in_review": message("a part of the title is for review"),
    "text_hard_to_read": message("much of the text is unreadable"),
    "mostly_unread": message("most of the text was not read because it is too long"),
    "no_evidence": message("the model gave no evidence"),
    "evidence_not_in_text": message("the evidence is not in the text"),
    "date_unreadable": message("the date is unreadable"),
    "date_not_in_text": message("the date is not in the text"),
    "date_not_in_evidence": message("the evidence does not contain the date"),
    "date_of_something_else": message("the text labels it as a different date"),
    "other_date_is_its_own": message("the text labels another date as the document's own"),
    "date_order_open": message("day and month may be swapped"),
    "date_in_future": message("the date is in the future"),
    "date_too_early": message("the date is too far in the past"),
    "date_long_ago": message(
        "the date is more than {years} years before the document was added", years=YEARS_BACK
    ),
    "name_not_in_evidence": message("the evidence does not contain the name"),
    "other_name_fits_better": message("another name in use fits the evidence better"),
    "number_of_another_sender": message(
        "a number in the document belongs to another correspondent"
    ),
    "name_only_mentioned": message("the document only mentions this name"),
    "name_too_long": message("the name is too long"),
    "name_of_mixed_letters": message("the name mixes letters from several scripts"),
    "name_looks_misread": message("the name looks like a recognition error"),
    "correspondent_is_owner": message("the correspondent is you"),
    "correspondent_is_recipient": message("the document is addressed to this correspondent"),
    "type_not_in_evidence": message("the evidence does not show the document type"),
    "title_too_long": message("the title is too long"),
    "title_is_file_name": message("the title is only the file name"),
    "title_not_in_text": message("the title contains something that is not in the text"),
    "title_in_other_language": message("the title is in another language"),
    "value_not_labelled": message("the text does not label it as this field"),
    "value_of_something_else": message("the text labels it as something else"),
    "value_unreadable": message("the value does not fit the field's type"),
    "value_not_in_evidence": message("the evidence does not contain the value"),
    "number_two_ways": message("the number is ambiguous"),
    "currency_not_in_text": message("the text does not mention the currency"),
    "tag_not_in_evidence": message("the evidence has nothing to do with the tag"),
    "e_invoice_differs": message("the e-invoice inside the PDF says something else"),
    "tags_share_a_quote": message("another tag has the same evidence"),
    "heap_of_tags": message("the model suggested the maximum number of tags"),
    "fields_share_a_quote": message("another custom field has the same evidence"),
    "unsure": message("the model is not confident enough"),
    "came_along": message("Paperless adds it together with a child tag"),
}

FIELDS = {
    FieldName.TITLE: message("title"),
    FieldName.CORRESPONDENT: message("correspondent"),
    FieldName.DOCUMENT_TYPE: message("document type"),
    FieldName.TAGS: message("tag"),
    FieldName.DATE: message("date"),
    FieldName.STORAGE_PATH: message("storage path"),
}

FACT_KINDS = {
    FactKind.ADDRESSEE: message("addressee"),
    FactKind.DATE_ORDER: message("order of day and month"),
    FactKind.LETTERHEAD: message("letterhead"),
    FactKind.IBAN: message("IBAN"),
    FactKind.VAT_ID: message("VAT ID"),
    FactKind.CREDITOR_ID: message("creditor ID"),
    FactKind.REGISTER: message("company register"),
    FactKind.DOMAIN: message("e-mail or web address"),
    FactKind.PHONE: message("phone number"),
}
DATE_ORDERS = {
    DateOrder.DAY_FIRST.value: message("day before month"),
    DateOrder.MONTH_FIRST.value: message("month before day"),
}

CHECKS = {
    "text_can_be_read": "the text is readable",
    "most_was_read": "at least half of the text was read",
    "evidence_stands_in_text": "the evidence is in the text",
    "evidence_shows_the_date": "the evidence contains the date",
    "evidence_shows_the_name": "the evidence contains the name",
    "evidence_shows_the_document_type": "the evidence shows the document type",
    "evidence_shows_the_tag": "the evidence has to do with the tag",
    "date_is_real": "the date is readable",
    "date_stands_in_text": "the date is in the text",
    "day_and_month_are_in_order": "the text shows the order of day and month",
    "date_is_the_documents": "the date is the document's own",
    "date_is_plausible": "the date is plausible",
    "new_name_is_short": "the new name is short enough",
    "new_name_is_of_one_script": "no word of the new name mixes scripts",
    "new_name_is_not_misread": "the new name does not look like a recognition error",
    "correspondent_is_not_the_owner": "the correspondent is not you",
    "correspondent_is_not_the_recipient": "the document is not addressed to the correspondent",
    "correspondent_is_not_only_mentioned": "the name is not only mentioned",
    "no_other_name_fits_better": "no other name in use fits the evidence better",
    "no_number_of_another_sender": "no number in the document belongs to another correspondent",
    "title_is_short": "the title is short enough",
    "title_is_not_the_file_name": "the title is more than the file name",
    "title_stands_in_text": "the title matches the text",
    "title_is_in_the_language_wanted": "the title is in the expected language",
    "custom_value_is_readable": "the value fits the field's type",
    "evidence_shows_the_custom_value": "the evidence contains the value",
    "currency_stands_in_text": "the text mentions the currency",
    "e_invoice_says_the_same": "the e-invoice inside the PDF has the same value",
    "custom_value_has_a_fitting_label": "the text labels the value as this field",
    "model_is_sure": "the model is confident enough",
    "tag_has_its_own_quote": "no other tag has the same evidence",
    "tags_are_few": "the model suggested fewer than the maximum number of tags",
    "custom_value_has_its_own_quote": "no other custom field has the same evidence",
}
"""What a check asks for, of a suggestion that passed it."""

DECIDED_BY = {
    RULE: "Paperclerk",
    SUPERSEDED: "a later analysis",
    VANISHED: "Paperless (document deleted)",
    UNWRITTEN: "Paperclerk (the job ended without writing it)",
}
"""Who decided about a change, if it was no person."""

STATES = {
    ChangeState.PROPOSED: "for review",
    ChangeState.INTENDED: "being written",
    ChangeState.APPLIED: "written",
    ChangeState.REJECTED: "rejected",
    ChangeState.CONFLICT: "conflict",
    ChangeState.OVERRIDDEN: "reset by Paperless",
    ChangeState.UNCONFIRMED: "unconfirmed",
    ChangeState.UNDONE: "undone",
}

STAGES = {
    Stage.FETCH: "Reading document",
    Stage.ANALYZE: "Asking model",
    Stage.APPLY: "Writing to Paperless",
}
DELIVERIES = {
    DeliveryState.WAITING: "waiting to be sent",
    DeliveryState.SENDING: "being sent",
    DeliveryState.SENT: "sent",
    DeliveryState.LOST: "not delivered",
}
"""States of a notification on one channel."""

CODES = {
    "analyze": "analysis",
    "apply": "review decision",
    "claimed": "started",
    "gone": "deleted in Paperless",
    "hand": "the command line",
    "pulled_in": "moved up",
    "rehearse": "dry run",
    "released": "returned to the queue",
    "timer": "schedule",
    "webhook": "webhook",
}
"""Labels of codes that are not words for people; of all others, the code is the label."""

CHANGED_SINCE = "changed since"
"""For a written value that someone else changed afterwards."""


REVIEWED = "reviewed"
"""For a change without a suggestion that a person has looked at."""

NO_SUGGESTION = "no suggestion"
"""For a change that only brings a document to review."""

VALUE_LEFT = "kept: edited since then"
TAG_LEFT = "kept: removed since then, or required by a child tag"

KEPT = {
    KeepReason.IN_USE: "documents use it",
    KeepReason.RENAMED: "it was renamed",
    KeepReason.HAS_RULES: "Paperless assigns it automatically",
    KeepReason.IS_PARENT: "it has child tags",
    KeepReason.IN_SETTINGS: "the settings contain it",
    KeepReason.HAS_ALIAS: "an alias refers to it",
    KeepReason.WAITS: "a document that waits for review would get it",
}
"""Why a name that nothing uses is not removed."""

_IS_UNDECIDED = WAITING | {ChangeState.INTENDED}
"""Reasons are shown only until a person decides: afterwards a new name may exist."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Translates codes and values; the results are text, never markup."""

    translator: Translator

    def code(self, code: str) -> str:
        """Return the label of a state, kind or event."""
        return self.translator.text(CODES.get(code) or code.replace("_", " "))

    def stage(self, stage: Stage) -> str:
        return self.translator.text(STAGES[stage])

    def progress(self, job: Job) -> str:
        """Return the stage of a running job, the progress of its model call, and the attempt."""
        parts = [self.stage(job.stage or Stage.FETCH)]
        if job.model_call is not None:
            parts += self._model_call(job.model_call)
        if job.tries > 1:
            parts.append(self.translator.text("attempt {n}", n=job.tries))
        return " · ".join(parts)

    def _model_call(self, call: CallProgress) -> Iterator[str]:
        time = self.translator.elapsed(self.translator.now - call.started_at)
        if call.usual_ms is None:
            yield time
        else:
            usual = self.translator.elapsed(timedelta(milliseconds=call.usual_ms))
            yield self.translator.text("{time} (usually about {usual})", time=time, usual=usual)
        if call.is_thinking:
            yield self.translator.text("thinking")
        if call.tokens:
            yield self.translator.plural("{n} token", "{n} tokens", call.tokens)

    def field(self, field: Field) -> str:
        if isinstance(field, CustomField):
            return clean_line(field.name)
        return self.translator.translate(FIELDS[field])

    def fact_kind(self, fact: Fact) -> str:
        """Return what a learnt fact is."""
        return self.translator.translate(FACT_KINDS[fact.kind])

    def fact(self, fact: Fact) -> str:
        """Show a learnt fact."""
        return self.translator.translate(fact_value(fact))

    def value(self, value: Value) -> str:
        """Show a value; what is empty is a dash."""
        match value:
            case bool():
                return self.translator.text(value_label(value))
            case Money():
                return self.translator.money(value.amount, value.currency).strip()
            case date():
                return self.translator.full_date(value)
            case float():
                return self.translator.number(value, 2)
            case None | "":
                return "–"
            case _:
                return value_label(value)

    def delivery(self, delivery: Delivery) -> str:
        """Return the state of a notification on one channel, with its attempts."""
        state = self.translator.text(DELIVERIES[delivery.state])
        if delivery.attempts <= 1 and delivery.state is not DeliveryState.WAITING:
            return state
        attempts = self.translator.plural("{n} attempt", "{n} attempts", delivery.attempts)
        return f"{state} ({attempts})"

    def message(self, message: Message) -> str:
        return self.translator.translate(message)

    def problem(self, problem: Problem) -> str:
        """Return what went wrong, for the person whose document it is."""
        if problem.user_message:
            return self.translator.text(problem.user_message)
        return self.translator.translate(problem.message)

    def reasons(self, reasons: Iterable[str]) -> list[str]:
        return [self.translator.translate(reason_message(reason)) for reason in reasons]

    def check(self, check: str) -> str:
        """Return what a check requires."""
        return self.translator.text(CHECKS.get(check, check))

    def state(self, change: Change) -> str:
        return self.translator.text(state_label(change))

    def change_state(self, state: ChangeState) -> str:
        """Return the label of a state, whatever happened to the change since."""
        return self.translator.text(STATES[state])

    def kept(self, change: Change) -> str:
        return self.translator.text(kept_label(change))

    def has_no_suggestion(self, change: Change | PlannedChange) -> bool:
        return has_no_suggestion(change)

    def keep_reason(self, reason: KeepReason) -> str:
        """Return why a name that no document has is not removed."""
        return self.translator.text(KEPT[reason])

    def skip(self, skip: SkipReason) -> str:
        return self.translator.text(SKIPS[skip])

    def skipped(self, skip: SkipReason) -> str:
        return self.translator.text(SKIPPED[skip])

    def who(self, *names: str) -> str:
        """Return who decided or requested something: a rule, a scan, or a person's name."""
        texts = (DECIDED_BY.get(name) or CODES.get(name, name) for name in names)
        return ", ".join(self.translator.text(text) for text in texts)

    def held_target(self, hold: Hold) -> str:
        """Return what is on hold."""
        return self.translator.translate(target_message(hold.target))

    def hold_end(self, hold: Hold) -> str:
        """Return when, or by what, a hold ends."""
        if hold.kind is HoldKind.ADDRESS and hold.next_probe_at is None:
            return self.translator.text(
                "Correct `paperless.url` in the file and restart, or confirm that these are the "
                "same documents. For another archive, use a file with another name."
            )
        if hold.next_probe_at is None:
            return self.translator.text("Stays on hold until you resume it.")
        when = self.translator.moment(hold.next_probe_at)
        if hold.is_timed:
            return self.translator.text("Resumes automatically: {when}", when=when)
        return self.translator.text("Next retry: {when}", when=when)


def kept_label(change: Change) -> str:
    """Return why an undo keeps a value."""
    return TAG_LEFT if change.field is FieldName.TAGS else VALUE_LEFT


def state_label(change: Change) -> str:
    """Return the state of a change in one or two words."""
    if change.is_changed_since:
        return CHANGED_SINCE
    unchanged = change.state is ChangeState.REJECTED and has_no_suggestion(change)
    return REVIEWED if unchanged else STATES[change.state]


def field_label(field: Field) -> str:
    """Name a field to a person."""
    return clean_line(field.name) if isinstance(field, CustomField) else str(FIELDS[field])


def fact_value(fact: Fact) -> Message:
    """Return the value of a learnt fact."""
    if fact.kind is FactKind.DATE_ORDER and fact.value in DATE_ORDERS:
        return DATE_ORDERS[fact.value]
    return plain(clean_line(fact.value))


def fact_label(fact: Fact) -> str:
    """Return the kind and the value of a learnt fact."""
    return f"{FACT_KINDS[fact.kind]}: {fact_value(fact)}"


def value_label(value: Value) -> str:
    """Show a value to a person."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None or value == "" else clean_line(str(value))


def typed_label(value: Value) -> str:
    """Show a value as a person would type it into a form; "" if it is empty."""
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None or value == "" else value_label(value)


def change_label(change: Change | PlannedChange) -> str:
    """Return what a change does: it adds or removes a tag, or replaces a field's value."""
    if has_no_suggestion(change):
        return f"{value_label(change.before)} ({NO_SUGGESTION})"
    if change.field is not FieldName.TAGS:
        return f"{value_label(change.before)} -> {value_label(change.after)}"
    if change.after is None:
        return f"- {value_label(change.before)}"
    return f"+ {value_label(change.after)}"


def reasons_label(reasons: tuple[str, ...]) -> str:
    """Return why a suggestion needs review or is skipped."""
    return "; ".join(str(reason_message(reason)) for reason in reasons)


def reason_message(reason: str) -> Message:
    """Return what a code means; one of a later version is shown as it is."""
    return REASONS.get(reason) or plain(reason)


def alias_label(meaning: AliasRule) -> str:
    """Return what an alias stands for."""
    said = f'{FIELDS[meaning.field]} "{clean_line(meaning.spelling)}"'
    if meaning.target is None:
        return f"{said} is never suggested"
    return f'{said} means "{clean_line(meaning.target.name)}"'


def similar_label(change: Change | PlannedChange) -> str:
    """Return the existing names that a new name resembles, or that may be meant instead."""
    listed = ", ".join(clean_line(name) for name in change.similar)
    reasons = {"similar_name", "number_of_another_sender", "other_name_fits_better"}
    has_reason = not reasons.isdisjoint(change.reasons)
    return f" ({listed})" if listed and has_reason else ""


def state_details(change: Change) -> str:
    """Return the state of a change with its reasons."""
    said = [state_label(change)]
    if change.is_changed_since:
        said.append(f'Paperless has "{value_label(change.changed_to)}"')
    if change.undone_at is not None and change.undone_by:
        said[0] += f" by {DECIDED_BY.get(change.undone_by, change.undone_by)}"
    if change.state in {ChangeState.CONFLICT, ChangeState.OVERRIDDEN}:
        said.append(f'Paperless has "{value_label(change.found)}"')
    if change.state in _IS_UNDECIDED and change.reasons:
        said.append(reasons_label(change.reasons) + similar_label(change))
    elif change.why:
        said.append(change.why)
    elif "came_along" in change.reasons:
        said.append(str(REASONS["came_along"]))
    return ": ".join([said[0], "; ".join(said[1:])]) if said[1:] else said[0]
