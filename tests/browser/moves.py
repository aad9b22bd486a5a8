"""Moves made at the API, and the moments at which an open page shows them."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import httpx
from playwright.sync_api import Page, expect

from store.engine import FILE_NAME
from tests.browser.house import LETTER, House
from tests.daemon.programs import start_program

APART_MS = 500
MOVES = 12
"""With the time between them more than the five seconds in which a page asks without a stream: so
a page that only asks would show half of them after two and a half seconds or more."""
_LONG = 15_000.0
_STORED = "SELECT at FROM events WHERE job_id = ? AND name = 'enqueued'"
_NOTE_DOWN = """() => {
    window.shownAt = {};
    const look = () => document.querySelectorAll("#live a[href*='/jobs/']").forEach(
        (link) => { window.shownAt[link.pathname.split("/").pop()] ??= Date.now(); });
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""


def note_down_when_jobs_are_shown(page: Page) -> None:
    """Have an open page keep the moment at which it first shows each job."""
    page.evaluate(_NOTE_DOWN)


def enqueue_one_by_one(house: House, page: Page) -> list[int]:
    """Put letters into the queue, one after the other; return their jobs."""
    jobs = []
    with httpx.Client(headers={"authorization": f"Bearer {_token(house)}"}, timeout=40) as client:
        for number in range(MOVES):
            letter = house.sandbox.world.add_document(LETTER, f"moved_{number}.pdf").id
            wanted = {"document": f"home/{letter}"}
            said = client.post(f"{house.url}/api/v1/analyses", json=wanted).raise_for_status()
            jobs.append(int(said.json()["id"]))
            page.wait_for_timeout(APART_MS)
    return jobs


def seconds_until_shown(house: House, page: Page, jobs: list[int]) -> list[float]:
    """Return for each job the time between its event, as it is stored, and the page."""
    expect(page.locator(f"#live a[href$='/jobs/{jobs[-1]}']")).to_be_visible(timeout=_LONG)
    shown: dict[str, float] = page.evaluate("window.shownAt")
    missed = [job for job in jobs if str(job) not in shown]
    assert not missed, f"never shown: {missed}"
    return [shown[str(job)] / 1000 - _stored_at(house, job) for job in jobs]


def _stored_at(house: House, job: int) -> float:
    database = f"file:{house.office.data / FILE_NAME}?mode=ro"
    with closing(sqlite3.connect(database, uri=True)) as connection:
        [at] = connection.execute(_STORED, (job,)).fetchone()
    return datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()


def _token(house: House) -> str:
    process = start_program(house.office, "token", "create", "mover", "--right", "act")
    token, said = process.communicate(timeout=40)
    assert process.returncode == 0, said
    return token.strip()
