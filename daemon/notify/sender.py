"""Send messages through Apprise; no other module imports it."""

import asyncio
import logging
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from copy import copy
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from pydantic import SecretStr

from core.errors import PaperclerkError
from core.messages import Message, listed, message

if TYPE_CHECKING:
    from apprise import Apprise

REFUSED = message("the service did not accept it")
"""The reason of a failure about which Apprise says no more."""
_TIMEOUT = timedelta(minutes=1)
"""Timeout for a service whose own timeout in Apprise does not work."""


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
