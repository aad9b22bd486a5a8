"""The notifier: reads the state once a minute, and records and sends notifications."""

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
"""Delays between the attempts to send a notification; after the last it is given up."""


class Notifier:
    """Sends notifications to the owner; an unreachable service disturbs nothing else."""

    def __init__(self, context: AppContext, sender: Sender) -> None:
        self._context = context
        self._store = context.store
        self._settings = context.settings.daemon.notify
        self._sender = sender
        self._quiet = QuietHours.parse(self._settings.quiet_hours)
        self._is_failing = False

    async def send_due(self) -> None:
        """Record new notifications and send those that are due; do neither in quiet hours.

        The first run after them reports the state at that time, with all failures of the night.
        """
        now = self._context.clock()
        if self._quiet is not None and self._quiet.covers(now, self._context.zone):
            return
        latest = await self._store.notifications.get_latest()
        snapshot = await read_snapshot(self._context, latest, now)
        if new := decide(snapshot, latest, self._settings.about):
            await self._store.notifications.record(new, now=now)
        if due := await self._store.notifications.claim_due(now=now):
            await self._send(due, now)

    async def test(self) -> None:
        """Send a test message; raise NotDelivered."""
        message_format = build_message_format(
            self._context.settings.daemon, zone=self._context.zone, now=self._context.clock()
        )
        await send_test(self._sender, message_format)

    async def _send(self, due: Sequence[Notification], now: datetime) -> None:
        message_format = build_message_format(
            self._context.settings.daemon, zone=self._context.zone, now=now
        )
        message_format = replace(message_format, titles=await self._titles(due))
        sent = await self._sender.send(TITLE, build_body(due, message_format))
        self._log_delivery(sent)
        if sent.reached:
            ids = [notification.id for notification in due]
            await self._store.notifications.mark_sent(ids, problem=sent.problem, now=now)
            log.info(
                "notices sent",
                notices=len(due),
                kinds=",".join(notification.kind for notification in due),
            )
        else:
            await self._retry_later(due, sent.problem, now)

    async def _retry_later(self, due: Sequence[Notification], problem: str, now: datetime) -> None:
        for notification in due:
            if notification.tries > len(AGAIN_AFTER):
                await self._store.notifications.give_up([notification.id], problem=problem, now=now)
                continue
            until = now + AGAIN_AFTER[notification.tries - 1]
            await self._store.notifications.postpone(
                [notification.id], until=until, problem=problem
            )

    def _log_delivery(self, sent: SendResult) -> None:
        """Log once when a service does not accept messages, and once when all do again."""
        if sent.problem and not self._is_failing:
            log.warning("notice not taken", problem=sent.problem)
        if self._is_failing and not sent.problem:
            log.info("notices taken again")
        self._is_failing = bool(sent.problem)

    async def _titles(self, due: Sequence[Notification]) -> Titles:
        if not self._settings.show_titles:
            return {}
        titles = {}
        for ref in documents_of(due):
            known = await self._store.documents.get(ref)
            titles[str(ref)] = known.title if known else str(ref)
        return titles


async def send_test(sender: Sender, message_format: MessageFormat) -> None:
    """Send a test message; raise NotDelivered."""
    sent = await sender.send(TITLE, build_test_body(message_format))
    if sent.problem:
        raise NotDelivered(sent.problem)


def build_message_format(settings: DaemonSettings, *, zone: tzinfo, now: datetime) -> MessageFormat:
    """Build the format of messages; without `web.public_url` they contain no links."""
    translator = get_translator(settings.notify.language, zone=zone, now=now)
    return MessageFormat(
        translator, settings.web.public_address() if settings.web.public_url else ""
    )


def build_notifier(context: AppContext) -> Notifier | None:
    """Build the notifier; return None if notifications are off or none can be sent."""
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
