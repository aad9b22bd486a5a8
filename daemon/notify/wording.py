"""Put notices into words, in the owner's language (pure)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from pydantic import JsonValue

from actions.health import HealthWarning
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.notifications import Notification, NotificationKind
from core.text import clean_line
from daemon.notify.state import parse_moment
from i18n import Translator

TITLE = "Paperclerk"
_PAGES = {
    NotificationKind.REVIEW: "/review",
    NotificationKind.FAILED: "/activity?status=failed",
    NotificationKind.CONNECTION: "/",
    NotificationKind.LIMIT: "/costs",
    NotificationKind.ALERT: "/activity",
    NotificationKind.DIGEST: "/history",
}
Facts: TypeAlias = Mapping[str, JsonValue]
Titles: TypeAlias = Mapping[str, str]
"""Of documents by their names, such as home/7; empty if none may be told."""


@dataclass(frozen=True, slots=True)
class MessageFormat:
    """How messages are written: in which language, and with which links and titles."""

    translator: Translator
    address: str = ""
    """Of the dashboard; "" for messages without links."""
    titles: Titles | None = None


def build_body(notices: Sequence[Notification], letter: MessageFormat) -> str:
    """Write one message about all of them, each with its page."""
    return "\n\n".join("\n".join(_paragraph(notice, letter)) for notice in notices)


def build_test_body(letter: MessageFormat) -> str:
    """Write the message by which someone sees that messages arrive."""
    told = letter.translator.text("This is a test. Notifications from Paperclerk arrive here.")
    return f"{told}\n{letter.address}/" if letter.address else told


def documents_of(notices: Sequence[Notification]) -> tuple[DocumentRef, ...]:
    """List the documents that a message may name."""
    causes = [cause for notice in notices for cause in _listed(notice.facts.get("causes"))]
    names = [name for cause in causes for name in _listed(_table(cause)["documents"])]
    return tuple(DocumentRef.parse(str(name)) for name in names)


def _paragraph(notice: Notification, letter: MessageFormat) -> Iterator[str]:
    yield from _WORDS[notice.kind](notice.facts, letter)
    if letter.address:
        yield letter.address + _PAGES[notice.kind]


def _review(facts: Facts, letter: MessageFormat) -> Iterator[str]:
    number = _number(facts["documents"])
    yield letter.translator.plural(
        "{n} document is waiting for review.", "{n} documents are waiting for review.", number
    )


def _failed(facts: Facts, letter: MessageFormat) -> Iterator[str]:
    for cause in map(_table, _listed(facts["causes"])):
        why = letter.translator.text(str(cause["why"]) or PaperclerkError.user_message)
        number = _number(cause["count"])
        yield letter.translator.plural(
            "{n} document failed: {why}", "{n} documents failed: {why}", number, why=why
        )
        names = [str(name) for name in _listed(cause["documents"])]
        yield from (
            f"- {clean_line(title)}" for name in names if (title := (letter.titles or {}).get(name))
        )


def _connection(facts: Facts, letter: MessageFormat) -> Iterator[str]:
    translator, since = letter.translator, parse_moment(facts["since"])
    instances = ", ".join(map(str, _listed(facts["instances"])))
    who = translator.text("The model") if facts["model"] else translator.text("Paperless")
    named = f"{who} ({instances})" if instances else who
    if not facts["down"]:
        span = translator.duration(parse_moment(facts["back"]) - since)
        yield translator.text("{who} is reachable again after {span}.", who=named, span=span)
        return
    when = translator.moment(since)
    yield translator.text("{who} has been unreachable since {since}.", who=named, since=when)
    yield translator.plural(
        "{n} document is waiting; nothing is lost.",
        "{n} documents are waiting; nothing is lost.",
        _number(facts["waiting"]),
    )


def _limit(facts: Facts, letter: MessageFormat) -> Iterator[str]:
    translator = letter.translator
    yield translator.text(
        "{instance}: limit reached. Resumes automatically: {when}.",
        instance=facts["instance"],
        when=translator.moment(parse_moment(facts["goes_on_at"])),
    )


def _alert(facts: Facts, letter: MessageFormat) -> Iterator[str]:
    translator = letter.translator
    match HealthWarning(str(facts["warning"])):
        case HealthWarning.MANY_WAITING:
            yield translator.text("{n} jobs are waiting in the queue.", n=facts["count"])
        case HealthWarning.MANY_FAILED:
            yield translator.text("{n} jobs failed within one hour.", n=facts["count"])
        case HealthWarning.SCAN_LATE:
            late = ", ".join(map(str, _listed(facts["instances"])))
            yield translator.text("Scan overdue: {instances}.", instances=late)
        case HealthWarning.PROCESSOR_SILENT:
            span = translator.duration(timedelta(seconds=_number(facts["seconds"])))
            yield translator.text("The processor has not responded for {span}.", span=span)


def _digest(facts: Facts, letter: MessageFormat) -> Iterator[str]:
    translator = letter.translator
    done, written, failed, waiting = (
        _number(facts[name]) for name in ("completed", "written", "failed", "waiting")
    )
    yield translator.text("Since {since}:", since=translator.moment(parse_moment(facts["since"])))
    yield translator.plural("{n} document analysed", "{n} documents analysed", done)
    yield translator.plural("{n} document changed", "{n} documents changed", written)
    if failed:
        yield translator.plural("{n} document failed", "{n} documents failed", failed)
    if waiting:
        yield translator.plural(
            "{n} document is waiting for review.", "{n} documents are waiting for review.", waiting
        )


_WORDS: Mapping[NotificationKind, Callable[[Facts, MessageFormat], Iterator[str]]] = {
    NotificationKind.REVIEW: _review,
    NotificationKind.FAILED: _failed,
    NotificationKind.CONNECTION: _connection,
    NotificationKind.LIMIT: _limit,
    NotificationKind.ALERT: _alert,
    NotificationKind.DIGEST: _digest,
}


def _number(fact: JsonValue) -> int:
    assert isinstance(fact, int)
    return fact


def _listed(fact: JsonValue) -> list[JsonValue]:
    return fact if isinstance(fact, list) else []


def _table(fact: JsonValue) -> dict[str, JsonValue]:
    assert isinstance(fact, dict)
    return fact
