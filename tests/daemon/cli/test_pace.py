"""`status`, `explain` and estimates say until when documents wait, and when they are done."""

import asyncio
import re
from datetime import timedelta

from core.calendar import utc_now
from core.holds import hours_target
from daemon.cli.exits import Exit
from tests.builders import because
from tests.daemon.conftest import Paperclerk
from tests.installation import HOME, Installation, enqueue_document, process

PACE = 'requests_per_minute = 1\nhours = "22:00-21:59"\n'
"""Hours that hardly ever end: commands use the clock on the wall."""


async def queue_up(installation: Installation) -> None:
    """Process one document, and leave another to wait for the hours."""
    async with installation.open() as services:
        await process(services, 1)
        await enqueue_document(services, 2)
        soon = utc_now() + timedelta(hours=1)
        await services.store.holds.place(
            hours_target(HOME), because("outside the hours"), next_probe_at=soon, now=utc_now()
        )


def test_status_and_explain_say_until_when_documents_wait(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure(PACE)
    asyncio.run(queue_up(installation))

    status, explained = paperclerk("status").out, paperclerk("explain", "home/2").out

    until = (
        r"home, hours: outside the hours \(since .*; resumes at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\)"
    )
    assert re.search(rf"^{until}$", status, re.MULTILINE)
    assert re.search(r"^home: queue finished at about 20\d\d-", status, re.MULTILINE)
    assert re.search(rf"job 2: analysis, pending, .*\n        on hold: {until}\n", explained)


def test_an_estimate_counts_with_the_rate_and_the_hours(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure(f"{PACE}[limits]\ndocuments_per_day = 0\n")

    said = paperclerk("scan-now", "--estimate").out

    assert "about 3 min one after the other\n" in said
    pace = "the model's hours are 22:00-21:59, requests per minute: at most 1"
    assert re.search(rf"    {pace}: finished at about 20\d\d-\d\d-\d\d \d\d:\d\d\n", said)


def test_commands_say_until_when_nothing_is_processed(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    opens, closes = (utc_now() + timedelta(hours=hours) for hours in (2, 3))
    installation.configure(f'hours = "{opens:%H}:00-{closes:%H}:00"\n')
    (installation.config / "daemon.toml").write_text('time_zone = "UTC"\n')

    processed, scanned = paperclerk("process", "home/1"), paperclerk("scan-now")

    until = rf"outside the model's hours \(.+\); resumes at {opens:%Y-%m-%d %H}:00:00"
    assert (processed.code, scanned.code) == (Exit.REFUSED, Exit.REFUSED)
    assert re.search(rf"waits: {until}$", processed.out, re.MULTILINE)
    assert re.search(rf"3 of them on hold: {until}", scanned.out)
