"""The notifier: looks once a minute how things stand, and sends what is to be told."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

import structlog

from core.calendar import QuietHours
from core.notifications import Notification
from core.settings import DaemonSettings
from daemon.notify.decide import decide
from daemon.notify.sender import AppriseMissing, NotDelivered, Sender, SendResult
from daemon.notify.state import read_snapshot
from daemon.notify.wording import (
    TITLE,
    MessageFormat,
    Titles,
    build_body,
    build_test_body,
    documents_of,
)
from dashboard import AppContext
from i18n import get_translator

log = structlog.get_logger()

AGAIN_AFTER = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60))
"""Pauses between the tries to send a notice; after the last it is lost."""


class Notifier:
    """Tells the owner what they want to be told. A service that is away disturbs nothing."""

    def __init__(self, context: AppContext, sender: Sender) -> None:
        self._desk = context
        self._store = context.store
        self._settings = context.settings.daemon.notify
        self._sender = sender
        self._quiet = QuietHours.parse(self._settings.quiet_hours)
        self._in_trouble = False

    async def send_due(self) -> None:
        """Record what is to be told, and send what is due; in quiet hours neither.

        So the morning tells how things stand then, with all that failed in the night.
        """
        now = self._desk.clock()
        if self._quiet is not None and self._quiet.covers(now, self._desk.zone):
            return
        latest = await self._store.notifications.get_latest()
        standing = await read_snapshot(self._desk, latest, now)
        if new := decide(standing, latest, self._settings.about):
            await self._store.notifications.record(new, now=now)
        if due := await self._store.notifications.claim_due(now=now):
            await self._send(due, now)

    async def test(self) -> None:
        """Send a message that says that it is a test; raise NotTaken."""
        letter = build_message_format(
            self._desk.settings.daemon, zone=self._desk.zone, now=self._desk.clock()
        )
        await send_test(self._sender, letter)

    async def _send(self, due: Sequence[Notification], now: datetime) -> None:
        letter = build_message_format(self._desk.settings.daemon, zone=self._desk.zone, now=now)
        titled = replace(letter, titles=await self._titles(due))
        sent = await self._sender.send(TITLE, build_body(due, titled))
        self._log_trouble(sent)
        if sent.reached:
            ids = [notice.id for notice in due]
            await self._store.notifications.mark_sent(ids, problem=sent.problem, now=now)
            log.info("notices sent", notices=len(due), kinds=",".join(one.kind for one in due))
        else:
            await self._try_later(due, sent.problem, now)

    async def _try_later(self, due: Sequence[Notification], problem: str, now: datetime) -> None:
        for notice in due:
            if notice.tries > len(AGAIN_AFTER):
                await self._store.notifications.give_up([notice.id], problem=problem, now=now)
                continue
            until = now + AGAIN_AFTER[notice.tries - 1]
            await self._store.notifications.postpone([notice.id], until=until, problem=problem)

    def _log_trouble(self, sent: SendResult) -> None:
        """Log a service that is away once, and once when all take messages again."""
        if sent.problem and not self._in_trouble:
            log.warning("notice not taken", problem=sent.problem)
        if self._in_trouble and not sent.problem:
            log.info("notices taken again")
        self._in_trouble = bool(sent.problem)

    async def _titles(self, due: Sequence[Notification]) -> Titles:
        if not self._settings.show_titles:
            return {}
        titles = {}
        for ref in documents_of(due):
            known = await self._store.documents.get(ref)
            titles[str(ref)] = known.title if known else str(ref)
        return titles


async def send_test(sender: Sender, letter: MessageFormat) -> None:
    """Send a message that says that it is a test; raise NotTaken."""
    sent = await sender.send(TITLE, build_test_body(letter))
    if sent.problem:
        raise NotDelivered(sent.problem)


def build_message_format(settings: DaemonSettings, *, zone: tzinfo, now: datetime) -> MessageFormat:
    """Return how messages are written; without an address that all can open, they have no links."""
    translator = get_translator(settings.notify.language, zone=zone, now=now)
    return MessageFormat(
        translator, settings.web.public_address() if settings.web.public_url else ""
    )


def build_notifier(context: AppContext) -> Notifier | None:
    """Return who tells the owner; None if they want no messages, or none can be sent."""
    urls = context.settings.daemon.notify.urls
    if not urls:
        return None
    try:
        sender = Sender(urls)
    except AppriseMissing as error:
        log.error("no messages can be sent", error=str(error), hint=error.hint)
        return None
    for number in sender.wrong:
        log.error("address for messages unusable", number=number, hint="paperclerk check")
    return Notifier(context, sender) if sender.names else None
