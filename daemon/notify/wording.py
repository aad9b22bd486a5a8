"""Put notices into words, in the owner's language (pure)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from pydantic import JsonValue

from actions.health import Warn
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.notifications import Notice, NoticeKind
from core.text import tidy
from daemon.notify.state import moment_of
from i18n import Speech

TITLE = "Paperclerk"
_PAGES = {
    NoticeKind.REVIEW: "/review",
    NoticeKind.FAILED: "/activity?status=failed",
    NoticeKind.CONNECTION: "/",
    NoticeKind.LIMIT: "/costs",
    NoticeKind.ALERT: "/activity",
    NoticeKind.DIGEST: "/history",
}
Facts: TypeAlias = Mapping[str, JsonValue]
Titles: TypeAlias = Mapping[str, str]
"""Of documents by their names, such as home/7; empty if none may be told."""


@dataclass(frozen=True, slots=True)
class Letter:
    """How messages are written: in which language, and with which links and titles."""

    speech: Speech
    address: str = ""
    """Of the dashboard; "" for messages without links."""
    titles: Titles | None = None


def body(notices: Sequence[Notice], letter: Letter) -> str:
    """Write one message about all of them, each with its page."""
    return "\n\n".join("\n".join(_paragraph(notice, letter)) for notice in notices)


def trial(letter: Letter) -> str:
    """Write the message by which someone sees that messages arrive."""
    told = letter.speech.say("This is a test. Messages from Paperclerk arrive here.")
    return f"{told}\n{letter.address}/" if letter.address else told


def documents_of(notices: Sequence[Notice]) -> tuple[DocumentRef, ...]:
    """List the documents that a message may name."""
    causes = [cause for notice in notices for cause in _listed(notice.facts.get("causes"))]
    names = [name for cause in causes for name in _listed(_table(cause)["documents"])]
    return tuple(DocumentRef.parse(str(name)) for name in names)


def _paragraph(notice: Notice, letter: Letter) -> Iterator[str]:
    yield from _WORDS[notice.kind](notice.facts, letter)
    if letter.address:
        yield letter.address + _PAGES[notice.kind]


def _review(facts: Facts, letter: Letter) -> Iterator[str]:
    number = _number(facts["documents"])
    yield letter.speech.count(
        "{n} document waits for review.", "{n} documents wait for review.", number
    )


def _failed(facts: Facts, letter: Letter) -> Iterator[str]:
    for cause in map(_table, _listed(facts["causes"])):
        why = letter.speech.say(str(cause["why"]) or PaperclerkError.user_message)
        number = _number(cause["count"])
        yield letter.speech.count(
            "{n} document failed: {why}", "{n} documents failed: {why}", number, why=why
        )
        names = [str(name) for name in _listed(cause["documents"])]
        yield from (
            f"- {tidy(title)}" for name in names if (title := (letter.titles or {}).get(name))
        )


def _connection(facts: Facts, letter: Letter) -> Iterator[str]:
    speech, since = letter.speech, moment_of(facts["since"])
    instances = ", ".join(map(str, _listed(facts["instances"])))
    who = speech.say("The model") if facts["model"] else speech.say("Paperless")
    named = f"{who} ({instances})" if instances else who
    if not facts["down"]:
        span = speech.lasting(moment_of(facts["back"]) - since)
        yield speech.say("{who} answers again, after {span}.", who=named, span=span)
        return
    when = speech.moment(since)
    yield speech.say("{who} has not answered since {since}.", who=named, since=when)
    yield speech.count(
        "{n} document waits; nothing is lost.",
        "{n} documents wait; nothing is lost.",
        _number(facts["waiting"]),
    )


def _limit(facts: Facts, letter: Letter) -> Iterator[str]:
    speech = letter.speech
    yield speech.say(
        "A limit of {instance} is reached; it goes on {when}.",
        instance=facts["instance"],
        when=speech.moment(moment_of(facts["goes_on_at"])),
    )


def _alert(facts: Facts, letter: Letter) -> Iterator[str]:
    speech = letter.speech
    match Warn(str(facts["warning"])):
        case Warn.MANY_WAITING:
            yield speech.say("{n} jobs wait in the queue.", n=facts["count"])
        case Warn.MANY_FAILED:
            yield speech.say("{n} jobs failed within an hour.", n=facts["count"])
        case Warn.SCAN_LATE:
            late = ", ".join(map(str, _listed(facts["instances"])))
            yield speech.say("A scan is past its time: {instances}.", instances=late)
        case Warn.PROCESSOR_SILENT:
            span = speech.lasting(timedelta(seconds=_number(facts["seconds"])))
            yield speech.say("The processor has shown no sign of life for {span}.", span=span)


def _digest(facts: Facts, letter: Letter) -> Iterator[str]:
    speech = letter.speech
    done, written, failed, waiting = (
        _number(facts[name]) for name in ("completed", "written", "failed", "waiting")
    )
    yield speech.say("Since {since}:", since=speech.moment(moment_of(facts["since"])))
    yield speech.count("{n} document analysed", "{n} documents analysed", done)
    yield speech.count("{n} document changed", "{n} documents changed", written)
    if failed:
        yield speech.count("{n} document failed", "{n} documents failed", failed)
    if waiting:
        yield speech.count(
            "{n} document waits for review.", "{n} documents wait for review.", waiting
        )


_WORDS: Mapping[NoticeKind, Callable[[Facts, Letter], Iterator[str]]] = {
    NoticeKind.REVIEW: _review,
    NoticeKind.FAILED: _failed,
    NoticeKind.CONNECTION: _connection,
    NoticeKind.LIMIT: _limit,
    NoticeKind.ALERT: _alert,
    NoticeKind.DIGEST: _digest,
}


def _number(fact: JsonValue) -> int:
    assert isinstance(fact, int)
    return fact


def _listed(fact: JsonValue) -> list[JsonValue]:
    return fact if isinstance(fact, list) else []


def _table(fact: JsonValue) -> dict[str, JsonValue]:
    assert isinstance(fact, dict)
    return fact
