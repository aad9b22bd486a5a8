"""The notifier: reads the state once a minute, and records and sends notifications."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

import structlog
from pydantic import SecretStr

from actions.notifications import (
    TITLE,
    MessageFormat,
    Titles,
    build_body,
    build_test_body,
    documents_of,
    merge_by_topic,
)
from core.calendar import DailyHours
from core.messages import Message
from core.notifications import ClaimedDelivery, Delivery, Notification
from core.settings import DaemonSettings
from daemon.notify.decide import decide, read_snapshot
from daemon.notify.sender import AppriseMissing, NotDelivered, Sender
from dashboard import AppContext
from i18n import get_translator

log = structlog.get_logger()

AGAIN_AFTER = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60))
"""Delays between the attempts to send a notification; after the last it is given up."""


class Notifier:
    """Records notifications and sends them; an unreachable service disturbs nothing else."""

    def __init__(self, context: AppContext, sender: Sender | None) -> None:
        self._context = context
        self._store = context.store
        self._settings = context.settings.daemon.notify
        self._sender = sender
        """None: there is no usable address, and notifications are only listed."""
        self._quiet = DailyHours.parse(self._settings.quiet_hours)
        self._failing: set[str] = set()
        self._has_dropped_removed = False

    async def run_once(self) -> None:
        """Record new notifications; outside quiet hours, also send those that are due."""
        now = self._context.clock()
        await self._drop_removed_channels(now)
        latest = await self._store.notifications.get_latest()
        snapshot = await read_snapshot(self._context, latest, now)
        if new := decide(snapshot, latest, self._settings.about):
            await self._store.notifications.record(new, channels=self._channels, now=now)
        if self._sender is not None and not self._is_quiet(now):
            await self._send_due(self._sender, now)

    async def test(self) -> None:
        """Send a test message; raise NotDelivered."""
        if self._sender is not None:
            await send_test(self._sender, self._message_format())

    @property
    def can_send(self) -> bool:
        """Return whether there is an address to send to."""
        return self._sender is not None

    @property
    def _channels(self) -> tuple[str, ...]:
        return self._sender.channels if self._sender is not None else ()

    async def _drop_removed_channels(self, now: datetime) -> None:
        """Mark unsent deliveries to removed addresses as lost, once after each start."""
        if not self._has_dropped_removed:
            await self._store.notifications.give_up_removed(self._channels, now=now)
            self._has_dropped_removed = True

    def _is_quiet(self, now: datetime) -> bool:
        return self._quiet is not None and self._quiet.covers(now, self._context.zone)

    def _message_format(self) -> MessageFormat:
        return build_message_format(
            self._context.settings.daemon, zone=self._context.zone, now=self._context.clock()
        )

    async def _send_due(self, sender: Sender, now: datetime) -> None:
        by_channel: dict[str, list[ClaimedDelivery]] = {}
        for claimed in await self._store.notifications.claim_due(sender.channels, now=now):
            by_channel.setdefault(claimed.delivery.channel, []).append(claimed)
        for channel, due in by_channel.items():
            await self._send_to(sender, channel, due)

    async def _send_to(self, sender: Sender, channel: str, due: Sequence[ClaimedDelivery]) -> None:
        """Send one message with all that is due for an address."""
        notifications = merge_by_topic([claimed.notification for claimed in due])
        message_format = replace(self._message_format(), titles=await self._titles(notifications))
        problem = await sender.send_to(channel, TITLE, build_body(notifications, message_format))
        self._log_delivery(channel, problem)
        now = self._context.clock()
        if problem is not None:
            await self._retry_later([claimed.delivery for claimed in due], problem, now)
            return
        ids = [claimed.delivery.id for claimed in due]
        await self._store.notifications.mark_sent(ids, now=now)
        kinds = ",".join(notification.kind for notification in notifications)
        log.info("notices sent", address=channel, notices=len(due), kinds=kinds)

    async def _retry_later(self, due: Sequence[Delivery], problem: Message, now: datetime) -> None:
        for delivery in due:
            if delivery.attempts > len(AGAIN_AFTER):
                await self._store.notifications.give_up([delivery.id], problem=problem, now=now)
                continue
            until = now + AGAIN_AFTER[delivery.attempts - 1]
            await self._store.notifications.postpone([delivery.id], until=until, problem=problem)

    def _log_delivery(self, channel: str, problem: Message | None) -> None:
        """Log once when a service does not accept messages, and once when all do again."""
        if problem is not None and channel not in self._failing:
            log.warning("notice not taken", address=channel, why=str(problem))
            self._failing.add(channel)
        if problem is None and channel in self._failing:
            self._failing.remove(channel)
            if not self._failing:
                log.info("notices taken again")

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
    if problems := await sender.send(TITLE, build_test_body(message_format)):
        raise NotDelivered(problems)


def build_message_format(settings: DaemonSettings, *, zone: tzinfo, now: datetime) -> MessageFormat:
    """Build the format of messages; without `web.public_url` they contain no links."""
    translator = get_translator(settings.notify.language, zone=zone, now=now)
    return MessageFormat(
        translator, settings.web.public_address() if settings.web.public_url else ""
    )


def build_notifier(context: AppContext) -> Notifier:
    """Build the notifier; without a usable address it only lists notifications."""
    return Notifier(context, _build_sender(context.settings.daemon.notify.urls))


def _build_sender(urls: Sequence[SecretStr]) -> Sender | None:
    if not urls:
        return None
    try:
        sender = Sender(urls)
    except AppriseMissing as error:
        log.error("no messages can be sent", error=str(error), hint=error.hint)
        return None
    for number in sender.wrong:
        log.error("address for messages unusable", number=number, hint="paperclerk check")
    return sender if sender.names else None
