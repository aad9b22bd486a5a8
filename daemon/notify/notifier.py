"""The notifier: reads the state once a minute, and records and sends notifications.

No other module imports Apprise, through which they are sent.
"""

import asyncio
import logging
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from copy import copy
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from functools import partial
from typing import TYPE_CHECKING

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
from core.errors import PaperclerkError
from core.messages import Message, listed, message
from core.notifications import ClaimedDelivery, Delivery, Notification
from core.settings import DaemonSettings
from daemon.notify.decide import decide, read_snapshot
from dashboard import AppContext
from i18n import get_translator

if TYPE_CHECKING:
    from apprise import Apprise


REFUSED = message("the service did not accept it")
"""The reason of a failure about which Apprise says no more."""
_TIMEOUT = timedelta(minutes=1)
"""Timeout for a service whose own timeout in Apprise does not work."""

log = structlog.get_logger()

AGAIN_AFTER = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60))
"""Delays between the attempts to send a notification; after the last it is given up."""


class AppriseMissing(PaperclerkError):
    """Notifications are configured, but Apprise is not installed."""

    code = "apprise_missing"
    user_message = "Notifications cannot be sent: Apprise is not installed."
    hint = 'Install it with: pip install "paperclerk[notify]"'

    def __init__(self) -> None:
        super().__init__("Apprise is not installed")


class AddressUnusable(PaperclerkError):
    """Apprise does not understand an address."""

    code = "notify_address_unusable"
    user_message = "A notification address is not valid."
    hint = "Address formats are listed at https://appriseit.com/services/"


class NotDelivered(PaperclerkError):
    """A service did not accept a message."""

    code = "message_not_taken"
    user_message = "The notification could not be sent to every address."
    hint = "Check the address, and whether the service is reachable from here."

    def __init__(self, problems: Mapping[str, Message]) -> None:
        """Build the error from the problem of each channel; there is at least one."""
        super().__init__(
            listed(
                message("not taken by address {channel}: {why}", channel=channel, why=why)
                for channel, why in problems.items()
            )
        )


class _ReasonReader(logging.Filter):
    """Reads from the log of Apprise why a message was not sent, and drops every line.

    Apprise reports reasons nowhere else. Only known facts are taken from a line, because it may
    contain parts of a secret address.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reasons: ContextVar[list[Message] | None] = ContextVar("reasons", default=None)
        """The reasons of the current call; None outside of one."""

    def filter(self, record: logging.LogRecord) -> bool:
        reasons, reason = self.reasons.get(), _read_reason(record.getMessage())
        if reasons is not None and reason is not None:
            reasons.append(reason)
        return False


_STATUS = re.compile(r"\berror=([1-5][0-9]{2})\b")


def _read_reason(line: str) -> Message | None:
    """Return the reason in a line of Apprise's log; None if it has none that we know."""
    if status := _STATUS.search(line):
        return message("the service returned HTTP status {status}", status=status[1])
    if "connection error" in line.casefold():
        return message("the connection to the service failed")
    return None


def _install_reason_reader() -> _ReasonReader:
    logger, reader = logging.getLogger("apprise"), _ReasonReader()
    logger.setLevel(logging.WARNING)
    logger.propagate = False
    logger.addFilter(reader)
    return reader


_reader = _install_reason_reader()


class Sender:
    """Sends messages to the owner's addresses; creating one may raise AppriseMissing."""

    def __init__(self, urls: Sequence[SecretStr], *, longest: timedelta = _TIMEOUT) -> None:
        self._longest = longest
        services = {number: _build_service(url) for number, url in enumerate(urls, start=1)}
        self._services = {
            number: service for number, service in services.items() if service is not None
        }
        self.wrong = tuple(number for number, service in services.items() if service is None)
        """Numbers of the addresses that Apprise does not understand, from 1."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the services; their addresses are secret."""
        return tuple(_name(service) for service in self._services.values())

    @property
    def channels(self) -> tuple[str, ...]:
        """Return the names of the services, each with its number in the list: "1 (ntfy)"."""
        return tuple(self._by_channel)

    @property
    def _by_channel(self) -> "Mapping[str, Apprise]":
        return {
            f"{number} ({_name(service)})": service for number, service in self._services.items()
        }

    def select(self, which: str) -> "Sender":
        """Return a sender to one address, by its number in the list, or to those of a service.

        It has no names if there is no such address.
        """
        sender, wanted = copy(self), which.strip().casefold()
        sender.wrong = tuple(number for number in self.wrong if str(number) == wanted)
        sender._services = {
            number: service
            for number, service in self._services.items()
            if wanted in {str(number), _name(service).casefold()}
        }
        return sender

    def require_all(self) -> None:
        """Raise AddressUnusable if there is an address that Apprise does not understand."""
        if self.wrong:
            which = ", ".join(map(str, self.wrong))
            raise AddressUnusable(f"notify.urls: number {which} of the list is no address")

    async def send(self, title: str, body: str) -> Mapping[str, Message]:
        """Send a message to every address; never raise.

        Return why it was not accepted, by channel; empty if all accepted it.
        """
        results = {channel: await self.send_to(channel, title, body) for channel in self.channels}
        return {channel: problem for channel, problem in results.items() if problem is not None}

    async def send_to(self, channel: str, title: str, body: str) -> Message | None:
        """Send a message to one address; return why it was not accepted, or None. Never raise."""
        deliver = partial(_deliver, self._by_channel[channel], title, body)
        return await _run_in_thread(deliver, self._longest)


def _build_service(url: SecretStr) -> "Apprise | None":
    try:
        # Imported on first use: it loads some hundred services.
        from apprise import Apprise, AppriseAsset  # noqa: PLC0415
    except ImportError as error:
        raise AppriseMissing from error
    asset = AppriseAsset(app_id="Paperclerk", app_desc="Paperclerk", app_url="")
    service = Apprise(asset=asset)
    return service if service.add(url.get_secret_value()) else None


def _name(service: "Apprise") -> str:
    return str(service[0].service_name)


def _deliver(service: "Apprise", title: str, body: str) -> Message | None:
    reasons: list[Message] = []
    _reader.reasons.set(reasons)
    try:
        # Declared as plain text, it is converted for services that want HTML, such as mail.
        if service.notify(title=title, body=body, body_format="text"):
            return None
    except Exception as error:  # noqa: BLE001 - some hundred services, written by others
        # Without its text, which may contain the address.
        return message("Apprise failed: {error}", error=type(error).__name__)
    return reasons[-1] if reasons else REFUSED


async def _run_in_thread(
    function: Callable[[], Message | None], longest: timedelta
) -> Message | None:
    """Run a function in a thread of its own; return a problem if it takes too long.

    A stop does not wait for it; Apprise's own threads end with their timeouts, in seconds.
    """
    loop, done = asyncio.get_running_loop(), asyncio.Event()
    found: list[Message | None] = []

    def work() -> None:
        found.append(function())
        # The loop may have ended meanwhile.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(done.set)

    threading.Thread(target=work, daemon=True, name="notify").start()
    with suppress(TimeoutError):
        async with asyncio.timeout(longest.total_seconds()):
            await done.wait()
    if found:
        return found[0]
    return message("no answer within {seconds} s", seconds=round(longest.total_seconds(), 1))


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
