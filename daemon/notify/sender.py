"""Send messages: the only module that knows Apprise, and the only one that leaves the house."""

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from pydantic import SecretStr

from core.errors import PaperclerkError

if TYPE_CHECKING:
    from apprise import Apprise

# It tells of every failure by itself, with parts of addresses.
logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)

_LONGEST = timedelta(minutes=1)
"""Apprise gives up after some seconds; should a service of it not, we do."""


class AppriseMissing(PaperclerkError):
    """Messages are to be sent, and what sends them is not installed."""

    code = "apprise_missing"
    user_message = "Notifications cannot be sent: Apprise is not installed."
    hint = 'Install it with: pip install "paperclerk[notify]"'

    def __init__(self) -> None:
        super().__init__("Apprise is not installed")


class AddressUnusable(PaperclerkError):
    """An address for messages is none that Apprise understands."""

    code = "notify_address_unusable"
    user_message = "A notification address is not valid."
    hint = "Address formats are listed at https://appriseit.com/services/"


class NotDelivered(PaperclerkError):
    """A service did not take a message."""

    code = "message_not_taken"
    user_message = "The notification did not arrive everywhere."
    hint = "Check the address, and whether the service is reachable from here."


@dataclass(frozen=True, slots=True)
class SendResult:
    """What became of one message."""

    reached: int
    """How many addresses took it."""
    problem: str
    """Which did not, by number and service; "" if all did."""


class Sender:
    """Sends to the owner's addresses. Raise AppriseMissing when it is made."""

    def __init__(self, urls: Sequence[SecretStr], *, longest: timedelta = _LONGEST) -> None:
        self._longest = longest
        made = {number: _service(url) for number, url in enumerate(urls, start=1)}
        self._services = {number: one for number, one in made.items() if one is not None}
        self.wrong = tuple(number for number, one in made.items() if one is None)
        """Which addresses Apprise does not understand, counted from 1."""

    @property
    def names(self) -> tuple[str, ...]:
        """The services that messages go to; never their addresses, which are secret."""
        return tuple(_name(service) for service in self._services.values())

    @property
    def numbered(self) -> tuple[str, ...]:
        """The same, each with its number in the list."""
        return tuple(f"{number} ({_name(one)})" for number, one in self._services.items())

    def select(self, which: str) -> "Sender":
        """Return a sender to one address, by its number in the list, or to those of a service.

        It has no names if there is no such address.
        """
        sender, wanted = copy(self), which.strip().casefold()
        sender.wrong = tuple(number for number in self.wrong if str(number) == wanted)
        sender._services = {
            number: one
            for number, one in self._services.items()
            if wanted in {str(number), _name(one).casefold()}
        }
        return sender

    def require_all(self) -> None:
        """Raise AddressUnusable if there is an address that Apprise does not understand."""
        if self.wrong:
            which = ", ".join(map(str, self.wrong))
            raise AddressUnusable(f"notify.urls: number {which} of the list is no address")

    async def send(self, title: str, body: str) -> SendResult:
        """Send a message to every address; whatever happens there, nothing is raised."""
        missed = []
        for number, service in self._services.items():
            if not await _in_a_thread(partial(_took, service, title, body), self._longest):
                missed.append(f"{number} ({_name(service)})")
        problem = f"not taken by address {', '.join(missed)}" if missed else ""
        return SendResult(len(self._services) - len(missed), problem)


def _service(url: SecretStr) -> "Apprise | None":
    try:
        # Only when messages are wanted: it brings some hundred services along.
        from apprise import Apprise, AppriseAsset  # noqa: PLC0415
    except ImportError as error:
        raise AppriseMissing from error
    asset = AppriseAsset(app_id="Paperclerk", app_desc="Paperclerk", app_url="")
    service = Apprise(asset=asset)
    return service if service.add(url.get_secret_value()) else None


def _name(service: "Apprise") -> str:
    return str(service[0].service_name)


def _took(service: "Apprise", title: str, body: str) -> bool:
    try:
        # Said to be plain text, it is made ready for services that want HTML, such as mail.
        return bool(service.notify(title=title, body=body, body_format="text"))
    except Exception:  # noqa: BLE001 - some hundred services, written by others
        return False


async def _in_a_thread(deed: Callable[[], bool], longest: timedelta) -> bool:
    """Do something in a thread of its own; False if it takes too long.

    At the stop it is not waited for; Apprise's own threads end with their timeouts, in seconds.
    """
    loop, done = asyncio.get_running_loop(), asyncio.Event()
    found: list[bool] = []

    def work() -> None:
        found.append(deed())
        # The loop may have ended meanwhile.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(done.set)

    threading.Thread(target=work, daemon=True, name="notify").start()
    with suppress(TimeoutError):
        async with asyncio.timeout(longest.total_seconds()):
            await done.wait()
    return found == [True]
