"""The timeline of a job: its events in words, and the checked suggestions of its plan."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from core.changes import RULE, ChangeState, CheckResult, PlannedChange, PlannedSuggestion
from core.errors import PaperclerkError
from core.fields import Field, Value, field_from_text, value_from_json
from core.jobs import Event, EventName
from core.messages import Message
from i18n.labels import STATES, Labels
from paperless_client import PaperlessError
from processor.policy import Reason
from store import Store

COUNTED = {
    "now": "{n} to write",
    "review": "{n} for review",
    "leave": "{n} skipped",
    "superseded": "{n} superseded",
    "accepted": "{n} accepted",
    "rejected": "{n} rejected",
    "reviewed": "{n} reviewed",
    "added": "{n} added",
    "restored": "{n} returned to review",
}
"""Labels of the counts in an event; singular and plural are the same."""
CHANGE_EVENTS = frozenset({EventName.CHANGES_RECORDED, EventName.CHANGES_SETTLED})
"""Events about changes of a document."""
_TRIVIAL_REASONS = frozenset({Reason.ALREADY_SO, Reason.NO_VALUE})


@dataclass(frozen=True, slots=True)
class Step:
    """One event of the timeline."""

    at: datetime
    name: str
    facts: str


@dataclass(frozen=True, slots=True)
class CheckedSuggestion:
    """A suggestion with its passed and failed checks."""

    field: Field
    value: Value
    passed: tuple[CheckResult, ...]
    failed: tuple[CheckResult, ...]
    left_for: tuple[str, ...] = ()
    """Why it was left out, apart from failed checks; empty if it was not."""

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        """All checks, the failed ones first."""
        return self.failed + self.passed


def build_steps(events: Iterable[Event], labels: Labels) -> list[Step]:
    """Build the timeline; progress events are left out, because there are many."""
    return [
        Step(
            event.at, labels.code(event.name.value), "; ".join(filter(None, _facts(event, labels)))
        )
        for event in events
        if event.name is not EventName.PROGRESSED
    ]


def describe_changes(events: Iterable[Event], labels: Labels) -> str:
    """Return in words what a job decided, wrote and undid.

    What follows from a decision, such as the done tag, is listed only once it is written.
    """
    shown = (event for event in events if event.data.get("by") != RULE)
    facts = (_facts(event, labels) for event in shown if event.name in CHANGE_EVENTS)
    return "; ".join(filter(None, chain.from_iterable(facts)))


def format_raw_steps(events: Iterable[Event]) -> str:
    """Format each event as a line of JSON, as in the API."""
    return "\n".join(
        json.dumps(
            {
                "id": event.id,
                "at": event.at.isoformat(),
                "name": event.name,
                "status": event.status,
                "actor": event.actor,
                "trace": event.trace,
                "data": dict(event.data),
            },
            ensure_ascii=False,
        )
        for event in events
    )


async def load_suggestions(
    store: Store, job_id: int, events: Iterable[Event]
) -> tuple[PlannedSuggestion, ...]:
    """Return the suggestions of a job's last plan; an earlier version kept them in its events."""
    return await store.changes.list_suggestions(job_id) or read_suggestions(events)


def read_suggestions(events: Iterable[Event]) -> tuple[PlannedSuggestion, ...]:
    """Return the suggestions that the event of a job's last plan carries; now it carries none."""
    plans = [event.data for event in events if {"checks", "leave"} & event.data.keys()]
    if not plans:
        return ()
    left_out, checked = _list_records(plans[-1], "leave"), _list_records(plans[-1], "checks")
    found = [_read_checked(record, left_out) for record in checked]
    known = {(str(suggestion.field), repr(suggestion.value)) for suggestion in found}
    unchecked = map(_read_left_out, left_out)
    found += [left for left in unchecked if (str(left.field), repr(left.value)) not in known]
    return tuple(found)


def list_checked_suggestions(
    suggestions: Iterable[PlannedSuggestion],
) -> tuple[CheckedSuggestion, ...]:
    """Return the suggestions that were checked, with their passed and failed checks."""
    return tuple(_build_checked(suggestion) for suggestion in suggestions if suggestion.checks)


def list_left_out(suggestions: Iterable[PlannedSuggestion]) -> list[PlannedChange]:
    """Return what a plan left out, without trivial cases."""
    return drop_trivial(
        PlannedChange(suggestion.field, None, suggestion.value, reasons=suggestion.reasons)
        for suggestion in suggestions
        if suggestion.is_left_out
    )


def drop_trivial_suggestions(
    suggestions: Iterable[PlannedSuggestion],
) -> tuple[PlannedSuggestion, ...]:
    """Drop suggestions of the current value, and fields for which the model found nothing."""
    return tuple(
        suggestion
        for suggestion in suggestions
        if not (suggestion.is_left_out and _TRIVIAL_REASONS.intersection(suggestion.reasons))
    )


def drop_trivial(left: Iterable[PlannedChange]) -> list[PlannedChange]:
    """Drop changes to the current value, and fields for which the model found nothing."""
    return [change for change in left if not _TRIVIAL_REASONS.intersection(change.reasons)]


def _facts(event: Event, labels: Labels) -> Iterator[str]:
    match event.name:
        case EventName.RESULT_STORED:
            yield from _about_result(event, labels)
        case EventName.CHANGES_RECORDED:
            yield from _about_decision(event, labels)
        case EventName.CHANGES_SETTLED:
            yield from _about_outcome(event, labels)
        case _:
            yield from _about_move(event, labels)


def _about_move(event: Event, labels: Labels) -> Iterator[str]:
    """Yield who moved the job, at which attempt, and why."""
    yield from _by_whom(event, labels)
    translator, data = labels.translator, event.data
    if event.name is EventName.RELEASED:
        yield translator.text("this attempt is not counted")
    elif attempt := _number(event, "attempts"):
        yield translator.text("attempt {n}", n=attempt)
    if (message := event.text("message")) is not None:
        yield _describe_problem(str(data.get("code", "")), message, labels)
    if (why := event.text("why")) is not None:
        yield translator.translate(why)
    yield from _about_what_follows(event, labels)


def _about_what_follows(event: Event, labels: Labels) -> Iterator[str]:
    """Yield what happens to the job after a transition, and when."""
    translator, data = labels.translator, event.data
    if event.name is EventName.RECOVERED:
        yield translator.text("its process stopped unexpectedly")
        yield labels.code(str(data.get("status", "")))
    if data.get("ends_as"):
        yield translator.text(
            "Paperclerk checks in Paperless what was written; then the job ends as {status}",
            status=labels.code(str(data["ends_as"])),
        )
    if event.name is EventName.PULLED_IN and not data.get("by"):
        yield translator.text("the clock was ahead when it was planned")
    if data.get("scheduled_for"):
        when = datetime.fromisoformat(str(data["scheduled_for"]))
        yield translator.text("next retry: {when}", when=translator.moment(when))


def _by_whom(event: Event, labels: Labels) -> Iterator[str]:
    translator, data = labels.translator, event.data
    if (scan := _number(event, "scan")) is not None:
        yield translator.text("scan {n}", n=scan)
    elif data.get("asked_by"):
        yield translator.text("requested by {who}", who=labels.who(str(data["asked_by"])))
    if data.get("by"):
        yield translator.text("by {who}", who=labels.who(str(data["by"])))


def _about_result(event: Event, labels: Labels) -> Iterator[str]:
    translator, part = labels.translator, _number(event, "part")
    yield str(event.data.get("model", ""))
    if part is not None:
        yield translator.text("Chunk {n} of {of}", n=part, of=_number(event, "parts"))
    suggestions = _number(event, "suggestions") or 0
    yield translator.plural("{n} suggestion", "{n} suggestions", suggestions)
    if event.data.get("reused_from"):
        yield translator.text("an earlier response was reused")


def _about_decision(event: Event, labels: Labels) -> Iterator[str]:
    """Yield what was planned automatically, or what a person decided."""
    yield from _by_whom(event, labels)
    for key, words in COUNTED.items():
        if number := _number(event, key):
            yield labels.translator.plural(words, words, number)
    if event.data.get("revised"):
        yield labels.translator.text("still for review, with the chosen name")


def _about_outcome(event: Event, labels: Labels) -> Iterator[str]:
    """Yield the fields by state."""
    fields: defaultdict[str, list[str]] = defaultdict(list)
    changes = event.data.get("changes")
    for change in changes if isinstance(changes, list) else ():
        fields[change["state"]].append(labels.field(field_from_text(change["field"])))
    for state, names in fields.items():
        listed = ", ".join(dict.fromkeys(names))
        yield f"{labels.translator.text(STATES[ChangeState(state)])}: {listed}"


def _describe_problem(code: str, message: Message, labels: Labels) -> str:
    """Return the sentence for people of the error with that code, or else the message."""
    for kind in (*_kinds(PaperclerkError), *_kinds(PaperlessError)):
        if kind.code == code and code != PaperclerkError.code:
            return labels.translator.text(kind.user_message).rstrip(".")
    return labels.translator.translate(message)


def _kinds(
    error: type[PaperclerkError] | type[PaperlessError],
) -> Iterator[type[PaperclerkError] | type[PaperlessError]]:
    yield error
    for kind in error.__subclasses__():
        yield from _kinds(kind)


def _number(event: Event, key: str) -> int | None:
    """Return a number in the data of an event; of a list, its length."""
    match event.data.get(key):
        case int(number):
            return number
        case list(items):
            return len(items)
    return None


def _list_records(plan: Mapping[str, object], key: str) -> list[Mapping[str, Any]]:
    records = plan.get(key)
    # Events of today name the fields that were left out, and nothing more.
    return (
        [record for record in records if isinstance(record, dict)]
        if isinstance(records, list)
        else []
    )


def _read_checked(
    checked: Mapping[str, Any], left_out: Iterable[Mapping[str, Any]]
) -> PlannedSuggestion:
    key = (checked["field"], checked["value"])
    reasons = [left["reasons"] for left in left_out if (left["field"], left.get("after")) == key]
    failed = (CheckResult(check, failure) for check, failure in checked["failed"].items())
    return PlannedSuggestion(
        field_from_text(checked["field"]),
        value_from_json(checked["value"]),
        is_left_out=bool(reasons),
        reasons=tuple(next(iter(reasons), ())),
        checks=(*failed, *(CheckResult(check) for check in checked["passed"])),
    )


def _read_left_out(left: Mapping[str, Any]) -> PlannedSuggestion:
    # The oldest events have no value.
    value = value_from_json(left.get("after"))
    return PlannedSuggestion(
        field_from_text(left["field"]), value, is_left_out=True, reasons=tuple(left["reasons"])
    )


def _build_checked(suggestion: PlannedSuggestion) -> CheckedSuggestion:
    failures = {result.failure for result in suggestion.checks}
    return CheckedSuggestion(
        suggestion.field,
        suggestion.value,
        tuple(result for result in suggestion.checks if not result.failure),
        tuple(result for result in suggestion.checks if result.failure),
        tuple(
            reason
            for reason in suggestion.reasons
            if suggestion.is_left_out and reason not in failures
        ),
    )
