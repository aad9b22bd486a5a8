"""The steps of a job in words: what happened, and the few facts that somebody may want to know."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from core.changes import ChangeState
from core.errors import PaperclerkError
from core.fields import field_from_text
from core.jobs import Event, EventName
from core.messages import Message
from dashboard.rendering.labels import Labels
from i18n.labels import STATES
from paperless_client import PaperlessError

COUNTED = {
    "now": "{n} to write",
    "review": "{n} for review",
    "leave": "{n} left out",
    "superseded": "{n} superseded",
    "accepted": "{n} accepted",
    "rejected": "{n} rejected",
    "added": "{n} added",
    "restored": "{n} returned to review",
}
"""What an event counts, in words; one and many are told alike."""


@dataclass(frozen=True, slots=True)
class Step:
    """One event as a page tells it."""

    at: datetime
    name: str
    facts: str


def build_steps(events: Iterable[Event], worded: Labels) -> list[Step]:
    """Tell events, but for those of the same step, of which there are many."""
    return [
        Step(
            event.at, worded.code(event.name.value), "; ".join(filter(None, _facts(event, worded)))
        )
        for event in events
        if event.name is not EventName.PROGRESSED
    ]


def format_raw_steps(events: Iterable[Event]) -> str:
    """Write down all there is about each event, a line each, as the API gives it."""
    return "\n".join(
        json.dumps(
            {
                "id": event.id,
                "at": event.at.isoformat(),
                "name": event.name,
                "trace": event.trace,
                "data": dict(event.data),
            },
            ensure_ascii=False,
        )
        for event in events
    )


def _facts(event: Event, worded: Labels) -> Iterator[str]:
    match event.name:
        case EventName.RESULT_STORED:
            yield from _about_result(event, worded)
        case EventName.CHANGES_RECORDED:
            yield from _about_decision(event, worded)
        case EventName.CHANGES_SETTLED:
            yield from _about_outcome(event, worded)
        case _:
            yield from _about_move(event, worded)


def _about_move(event: Event, worded: Labels) -> Iterator[str]:
    """Say who moved the job, at which attempt, and why."""
    yield from _by_whom(event, worded)
    speech, data = worded.translator, event.data
    if event.name is EventName.RELEASED:
        yield speech.text("the attempt does not count")
    elif attempt := _number(event, "attempts"):
        yield speech.text("attempt {n}", n=attempt)
    if (said := event.text("message")) is not None:
        yield _problem(str(data.get("code", "")), said, worded)
    if (why := event.text("why")) is not None:
        yield speech.translate(why)
    yield from _about_what_follows(event, worded)


def _about_what_follows(event: Event, worded: Labels) -> Iterator[str]:
    """Yield what happens to the job after a transition, and when."""
    speech, data = worded.translator, event.data
    if event.name is EventName.RECOVERED:
        yield speech.text("its process had ended unexpectedly")
        yield worded.code(str(data.get("status", "")))
    if data.get("ends_as"):
        yield speech.text(
            "Paperclerk checks in Paperless what was written; then the job ends as {status}",
            status=worded.code(str(data["ends_as"])),
        )
    if event.name is EventName.PULLED_IN:
        yield speech.text("the clock was ahead when it was planned")
    if data.get("scheduled_for"):
        when = datetime.fromisoformat(str(data["scheduled_for"]))
        yield speech.text("again at {when}", when=speech.moment(when))


def _by_whom(event: Event, worded: Labels) -> Iterator[str]:
    speech, data = worded.translator, event.data
    if (scan := _number(event, "scan")) is not None:
        yield speech.text("scan {n}", n=scan)
    elif data.get("asked_by"):
        yield speech.text("asked for by {who}", who=worded.code(str(data["asked_by"])))
    if data.get("by"):
        yield speech.text("by {who}", who=worded.who(str(data["by"])))


def _about_result(event: Event, worded: Labels) -> Iterator[str]:
    speech, part = worded.translator, _number(event, "part")
    yield str(event.data.get("model", ""))
    if part is not None:
        yield speech.text("Part {n} of {of}", n=part, of=_number(event, "parts"))
    suggestions = _number(event, "suggestions") or 0
    yield speech.plural("{n} suggestion", "{n} suggestions", suggestions)
    if event.data.get("reused_from"):
        yield speech.text("an earlier answer was used again")


def _about_decision(event: Event, worded: Labels) -> Iterator[str]:
    """Say what was planned by rule, or what a person decided."""
    yield from _by_whom(event, worded)
    for key, words in COUNTED.items():
        if number := _number(event, key):
            yield worded.translator.plural(words, words, number)
    if event.data.get("revised"):
        yield worded.translator.text("it goes on waiting, with the name that was said")


def _about_outcome(event: Event, worded: Labels) -> Iterator[str]:
    """Name the fields, state by state."""
    fields: defaultdict[str, list[str]] = defaultdict(list)
    changes = event.data.get("changes")
    for change in changes if isinstance(changes, list) else ():
        fields[change["state"]].append(worded.field(field_from_text(change["field"])))
    for state, names in fields.items():
        yield f"{worded.translator.text(STATES[ChangeState(state)])}: {', '.join(names)}"


def _problem(code: str, message: Message, worded: Labels) -> str:
    """Say what an error of that code means to people; of one that has no class, what it said."""
    for kind in (*_kinds(PaperclerkError), *_kinds(PaperlessError)):
        if kind.code == code and code != PaperclerkError.code:
            return worded.translator.text(kind.user_message).rstrip(".")
    return worded.translator.translate(message)


def _kinds(
    error: type[PaperclerkError] | type[PaperlessError],
) -> Iterator[type[PaperclerkError] | type[PaperlessError]]:
    yield error
    for kind in error.__subclasses__():
        yield from _kinds(kind)


def _number(event: Event, key: str) -> int | None:
    """Return a number that an event tells; of a list, how long it is."""
    match event.data.get(key):
        case int(number):
            return number
        case list(listed):
            return len(listed)
    return None
