"""Have Paperless or a model tested, and wait for what is found, but not for ever."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from core.messages import Message, message
from dashboard.context import AppContext, Finding
from dashboard.errors import PageNotFound

PATIENCE = timedelta(seconds=45)
"""Proxies wait a minute for an answer."""


_TRY_AGAIN = message(
    "A model that is slow on its first request may be faster on the next. "
    "Try again, or run `paperclerk check`, which waits longer."
)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """What is told when a test does not come to an end."""

    summary: Message
    name: str = "Time"
    ok: bool = False
    detail: str = ""
    advice: Message | None = _TRY_AGAIN


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """What a test found, and what follows from it."""

    findings: list[Finding]
    asked_again: bool = False
    """Whether it was taken for away: all is well, so the daemon asks it again at once."""


async def run_test(
    context: AppContext, what: str, instance: str, *, patience: timedelta = PATIENCE
) -> ConnectionReport:
    """Return all that is found in time; raise NotFound if there is nothing to test.

    What is well is not resting for long: its hold is probed at once, and the probe alone ends it.
    """
    if what not in context.connection_tests or instance not in context.instances:
        raise PageNotFound(f"there is no {what} of {instance} that could be tested")
    findings = await _collect_findings(context, what, instance, patience)
    if not all(one.ok for one in findings):
        return ConnectionReport(findings)
    tested = context.instances[instance]
    target = tested.model_target if what == "model" else tested.paperless_target
    return ConnectionReport(
        findings, await context.store.holds.probe_now(target, now=context.clock())
    )


async def _collect_findings(
    context: AppContext, what: str, instance: str, patience: timedelta
) -> list[Finding]:
    found: list[Finding] = []
    try:
        async with asyncio.timeout(patience.total_seconds()):
            async for one in context.connection_tests[what](instance):
                found.append(one)
    except TimeoutError:
        seconds = round(patience.total_seconds())
        found.append(TimedOut(message("No response within {n} seconds.", n=seconds)))
    return found
