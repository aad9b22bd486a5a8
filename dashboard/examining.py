"""Have Paperless or a model tested, and wait for what is found, but not for ever."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from core.sentences import Sentence, sentence
from dashboard.desk import Desk, Finding
from dashboard.errors import NotFound

PATIENCE = timedelta(seconds=45)
"""Proxies wait a minute for an answer."""


_TRY_AGAIN = Sentence(
    "A model that is slow at its first question may be quicker at the next. Try again, or "
    "use `paperclerk check`, which waits longer."
)


@dataclass(frozen=True, slots=True)
class TookTooLong:
    """What is told when a test does not come to an end."""

    said: Sentence
    name: str = "Time"
    ok: bool = False
    detail: str = ""
    advice: Sentence | None = _TRY_AGAIN


async def examined(
    desk: Desk, what: str, instance: str, *, patience: timedelta = PATIENCE
) -> list[Finding]:
    """Return all that is found in time; raise NotFound if there is nothing to test."""
    if what not in desk.examinations or instance not in desk.instances:
        raise NotFound(f"there is no {what} of {instance} that could be tested")
    found: list[Finding] = []
    try:
        async with asyncio.timeout(patience.total_seconds()):
            async for one in desk.examinations[what](instance):
                found.append(one)
    except TimeoutError:
        seconds = round(patience.total_seconds())
        found.append(TookTooLong(sentence("No answer came within {n} seconds.", n=seconds)))
    return found
