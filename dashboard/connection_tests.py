"""Run the connection test of a Paperless or a model, with a timeout."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from core.messages import Message, message
from dashboard.context import AppContext, Finding
from dashboard.errors import PageNotFound

PATIENCE = timedelta(seconds=45)
"""Below the minute after which proxies give up."""


_TRY_AGAIN = message(
    "A model that is slow on its first request may be faster on the next. "
    "Try again, or run `paperclerk check`, which waits longer."
)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The finding when a test does not end in time."""

    summary: Message
    name: str = "Time"
    ok: bool = False
    detail: str = ""
    advice: Message | None = _TRY_AGAIN


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """The findings of a connection test."""

    findings: list[Finding]
    asked_again: bool = False
    """Whether it was on hold: since the test passed, the daemon probes it at once."""


async def run_test(
    context: AppContext, what: str, instance: str, *, patience: timedelta = PATIENCE
) -> ConnectionReport:
    """Return what is found in time; raise PageNotFound if there is nothing to test.

    If the test passes, an outage hold is probed at once; the probe alone ends it.
    """
    if what not in context.connection_tests or instance not in context.instances:
        raise PageNotFound(f"{what} of {instance} cannot be tested")
    findings = await _collect_findings(context, what, instance, patience)
    if not all(finding.ok for finding in findings):
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
            async for finding in context.connection_tests[what](instance):
                found.append(finding)
    except TimeoutError:
        seconds = round(patience.total_seconds())
        found.append(TimedOut(message("No response within {n} seconds.", n=seconds)))
    return found
