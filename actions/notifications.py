"""List notifications and mark them as read; write their text in the owner's language."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeAlias

from pydantic import JsonValue

from actions.caller import Caller
from actions.errors import AllInstancesRequired
from actions.health import HealthWarning
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.notifications import Notification, NotificationKind, parse_moment
from core.text import clean_line
from i18n import Translator

TITLE = "Paperclerk"
PAGES = {
    NotificationKind.REVIEW: "/review",
    NotificationKind.FAILED: "/activity?status=failed",
    NotificationKind.CONNECTION: "/",
    NotificationKind.LIMIT: "/costs",
    NotificationKind.ALERT: "/activity",
    NotificationKind.DIGEST: "/history",
}
"""The page on which a person sees what a notification is about."""
Facts: TypeAlias = Mapping[str, JsonValue]
Titles: TypeAlias = Mapping[str, str]
"""Titles of documents by reference, such as home/7; empty if titles must not be sent."""


@dataclass(frozen=True, slots=True)
class MessageFormat:
    """Language, links and titles of messages."""

    translator: Translator
    address: str = ""
    """Address of the dashboard; "" for messages without links."""
    titles: Titles | None = None


async def list_notifications(
    caller: Caller, *, limit: int, before_id: int | None = None, only_unread: bool = False
) -> tuple[Notification, ...]:
    """List notifications, newest first; raise AllInstancesRequired."""
    _require_all_instances(caller)
    return await caller.store.notifications.list(
        limit=limit, before_id=before_id, only_unread=only_unread
    )


async def mark_read(caller: Caller, notification: int) -> int:
    """Mark one as read and return 1, or 0 if it was read before.

    Raise NotificationNotFound or AllInstancesRequired.
    """
    _require_all_instances(caller)
    return await caller.store.notifications.mark_read(notification, now=caller.now())


async def mark_all_read(caller: Caller, until_id: int | None = None) -> int:
    """Mark all as read and return how many were unread; raise AllInstancesRequired.

    With `until_id`, newer ones stay unread: the person has not seen them.
    """
    _require_all_instances(caller)
    return await caller.store.notifications.mark_all_read(until_id, now=caller.now())


def build_body(notifications: Sequence[Notification], message_format: MessageFormat) -> str:
    """Build one message about all notifications, each with a link to its page."""
    return "\n\n".join(
        "\n".join(_paragraph(notification, message_format)) for notification in notifications
    )


def build_test_body(message_format: MessageFormat) -> str:
    """Build the test message."""
    text = message_format.translator.text(
        "This is a test. Paperclerk sends its notifications here."
    )
    return f"{text}\n{message_format.address}/" if message_format.address else text


def documents_of(notifications: Sequence[Notification]) -> tuple[DocumentRef, ...]:
    """Return the documents that a message mentions."""
    causes = [cause for notification in notifications for cause in _causes(notification)]
    names = [name for cause in causes for name in _listed(_table(cause)["documents"])]
    return tuple(DocumentRef.parse(str(name)) for name in names)


def build_lines(notification: Notification, translator: Translator) -> tuple[str, ...]:
    """Build the text of one notification, without links and titles."""
    return tuple(_WRITERS[notification.kind](notification.facts, MessageFormat(translator)))


def merge_by_topic(notifications: Sequence[Notification]) -> tuple[Notification, ...]:
    """Return the latest notification of each topic, with the failures of all earlier ones.

    After quiet hours several wait, and most of them are no longer true.
    """
    merged: dict[str, Notification] = {}
    for notification in notifications:
        earlier = merged.pop(notification.topic, None)
        merged[notification.topic] = (
            _add_causes(earlier, notification)
            if earlier is not None and notification.kind is NotificationKind.FAILED
            else notification
        )
    return tuple(merged.values())


def _require_all_instances(caller: Caller) -> None:
    if caller.only is not None:
        raise AllInstancesRequired


def _add_causes(earlier: Notification, later: Notification) -> Notification:
    causes: dict[JsonValue, JsonValue] = {}
    for cause in map(_table, [*_causes(earlier), *_causes(later)]):
        known = _table(causes.get(cause["why"], {"count": 0, "documents": []}))
        causes[cause["why"]] = {
            "why": cause["why"],
            "count": _number(known["count"]) + _number(cause["count"]),
            "documents": [*_listed(known["documents"]), *_listed(cause["documents"])],
        }
    return replace(later, facts={**later.facts, "causes": list(causes.values())})


def _causes(notification: Notification) -> list[JsonValue]:
    return _listed(notification.facts.get("causes"))


def _paragraph(notification: Notification, message_format: MessageFormat) -> Iterator[str]:
    yield from _WRITERS[notification.kind](notification.facts, message_format)
    if message_format.address:
        yield message_format.address + PAGES[notification.kind]


def _review(facts: Facts, message_format: MessageFormat) -> Iterator[str]:
    number = _number(facts["documents"])
    yield message_format.translator.plural(
        "{n} document is waiting for review.", "{n} documents are waiting for review.", number
    )


def _failed(facts: Facts, message_format: MessageFormat) -> Iterator[str]:
    for cause in map(_table, _listed(facts["causes"])):
        why = message_format.translator.text(str(cause["why"]) or PaperclerkError.user_message)
        number = _number(cause["count"])
        yield message_format.translator.plural(
            "{n} document failed: {why}", "{n} documents failed: {why}", number, why=why
        )
        names = [str(name) for name in _listed(cause["documents"])]
        yield from (
            f"- {clean_line(title)}"
            for name in names
            if (title := (message_format.titles or {}).get(name))
        )


def _connection(facts: Facts, message_format: MessageFormat) -> Iterator[str]:
    translator, since = message_format.translator, parse_moment(facts["since"])
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


def _limit(facts: Facts, message_format: MessageFormat) -> Iterator[str]:
    translator = message_format.translator
    yield translator.text(
        "{instance}: limit reached. Resumes automatically: {when}.",
        instance=facts["instance"],
        when=translator.moment(parse_moment(facts["goes_on_at"])),
    )


def _alert(facts: Facts, message_format: MessageFormat) -> Iterator[str]:
    translator = message_format.translator
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


def _digest(facts: Facts, message_format: MessageFormat) -> Iterator[str]:
    translator = message_format.translator
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


def _number(fact: JsonValue) -> int:
    assert isinstance(fact, int)
    return fact


def _listed(fact: JsonValue) -> list[JsonValue]:
    return fact if isinstance(fact, list) else []


def _table(fact: JsonValue) -> dict[str, JsonValue]:
    assert isinstance(fact, dict)
    return fact


_WRITERS: Mapping[NotificationKind, Callable[[Facts, MessageFormat], Iterator[str]]] = {
    NotificationKind.REVIEW: _review,
    NotificationKind.FAILED: _failed,
    NotificationKind.CONNECTION: _connection,
    NotificationKind.LIMIT: _limit,
    NotificationKind.ALERT: _alert,
    NotificationKind.DIGEST: _digest,
}
