"""Enqueue jobs over the API, and measure when an open page shows them."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from threading import Event

import httpx
from playwright.sync_api import Page, expect

from store.engine import FILE_NAME
from tests.browser.logged_in_daemon import LETTER, LoggedInDaemon
from tests.daemon.programs import start_program
from tests.waiting import LONG

BY_STREAM_ALONE = """(() => {
    const every = window.setInterval;
    window.setInterval = (step, ms, ...more) => (ms < 5000 ? every(step, ms, ...more) : 0);
})()"""
"""Stops a page from polling, so that all updates come from the stream."""
_MOVES = 12
_STORED = "SELECT at FROM events WHERE job_id = ? AND name = 'enqueued'"
_RECORD = """() => {
    window.shownAt = {};
    const look = () => document.querySelectorAll("#live a[href*='/jobs/']").forEach(
        (link) => { window.shownAt[link.pathname.split("/").pop()] ??= Date.now(); });
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""


def record_when_jobs_appear(page: Page) -> None:
    """Make an open page record when it first shows each job."""
    page.evaluate(_RECORD)


def enqueue_one_by_one(logged_in_daemon: LoggedInDaemon, *, apart: float = 0.0) -> list[int]:
    """Enqueue letters, `apart` seconds apart; return the ids of their jobs."""
    headers = {"authorization": f"Bearer {_token(logged_in_daemon)}"}
    jobs = []
    with httpx.Client(base_url=logged_in_daemon.url, headers=headers, timeout=LONG) as client:
        for number in range(_MOVES):
            jobs.append(_enqueue(logged_in_daemon, client, number))
            Event().wait(apart)
    return jobs


def expect_all_shown(page: Page, jobs: list[int]) -> None:
    """Wait until a page shows each job."""
    for job in jobs:
        expect(page.locator(f"#live a[href$='/jobs/{job}']")).to_be_visible()


def seconds_until_shown(
    logged_in_daemon: LoggedInDaemon, page: Page, jobs: list[int]
) -> list[float]:
    """Return for each job the seconds from its stored event until the page shows it."""
    expect_all_shown(page, jobs)
    shown: dict[str, float] = page.evaluate("window.shownAt")
    return [shown[str(job)] / 1000 - _stored_at(logged_in_daemon, job) for job in jobs]


def _enqueue(logged_in_daemon: LoggedInDaemon, client: httpx.Client, number: int) -> int:
    letter = logged_in_daemon.sandbox.world.add_document(LETTER, f"moved_{number}.pdf").id
    answer = client.post("/api/v1/analyses", json={"document": f"home/{letter}"})
    return int(answer.raise_for_status().json()["id"])


def _stored_at(logged_in_daemon: LoggedInDaemon, job: int) -> float:
    database = f"file:{logged_in_daemon.installation.data / FILE_NAME}?mode=ro"
    with closing(sqlite3.connect(database, uri=True)) as connection:
        [at] = connection.execute(_STORED, (job,)).fetchone()
    return datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()


def _token(logged_in_daemon: LoggedInDaemon) -> str:
    process = start_program(
        logged_in_daemon.installation, "token", "create", "mover", "--right", "act"
    )
    token, said = process.communicate(timeout=LONG)
    assert process.returncode == 0, said
    return token.strip()
