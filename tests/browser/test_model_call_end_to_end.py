"""A slow model with a real daemon: pages follow its answer while it is written."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from sandbox.model.behaviour import Behaviour, Wrapping
from tests.browser.logged_in_daemon import LETTER, LoggedInDaemon, Seed, running_daemon

SLOW_LETTER = LETTER.replace("Februar", "April")
TOKENS = re.compile(r"(\d+) tokens?")


@pytest.fixture
def streaming_daemon(tmp_path: Path, seed: Seed) -> Iterator[LoggedInDaemon]:
    with running_daemon(tmp_path, seed, stream=True) as logged_in_daemon:
        yield logged_in_daemon


def tokens_in(section: Locator) -> int:
    shown = TOKENS.search(section.inner_text())
    return int(shown[1]) if shown else 0


def test_the_overview_and_the_job_follow_the_answer_of_a_slow_model(
    streaming_daemon: LoggedInDaemon, browser: Browser
) -> None:
    sandbox = streaming_daemon.sandbox
    sandbox.world.add_document(LETTER, "quick.pdf")
    page = streaming_daemon.page(browser)
    page.get_by_role("link", name="Scan now").click()
    page.get_by_role("button", name="Scan now").click()
    streaming_daemon.log.wait_for("job completed")
    sandbox.model.behave(
        Behaviour(
            wrapping=frozenset({Wrapping.REASONING_CONTENT}), token_delay=0.5, only_for="April 2024"
        )
    )
    sandbox.world.add_document(SLOW_LETTER, "slow.pdf")

    page.get_by_role("link", name="Scan now").click()
    page.get_by_role("button", name="Scan now").click()
    running = page.locator("section[aria-labelledby=running]")
    expect(running).to_contain_text("Asking model")
    expect(running).to_contain_text("thinking")
    expect(running).to_contain_text(TOKENS)
    page.evaluate("window.isTheSame = true")
    seen = tokens_in(running)
    expect(running).not_to_contain_text(f"{seen} token")

    running.get_by_role("link", name="Job").click()
    status = page.get_by_role("region", name="Status")
    expect(status).to_contain_text("Asking model")
    expect(status).to_contain_text(TOKENS)
    assert tokens_in(status) > seen
