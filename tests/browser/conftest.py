"""One browser for all tests of pages, a dashboard to look at, and one to change."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import running_chromium
from tests.browser.house import House, Seed, running_house, sown
from tests.browser.stage import Filled, Stage, filled_once
from tests.waiting import LONG_MS


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    return filled_once(tmp_path_factory.mktemp("filled"))


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory, filled: Filled) -> Iterator[Stage]:
    """A filled dashboard that all tests share: to look at, not to change."""
    with filled.copied(tmp_path_factory.mktemp("stage")) as stage:
        yield stage


@pytest.fixture
def own_stage(tmp_path: Path, filled: Filled) -> Iterator[Stage]:
    """A filled dashboard of the test's own, which it may change."""
    with filled.copied(tmp_path) as stage:
        yield stage


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Seed:
    return sown(tmp_path_factory.mktemp("seed"))


@pytest.fixture
def house(tmp_path: Path, seed: Seed) -> Iterator[House]:
    """A daemon of the test's own, with a password and someone who is logged in."""
    with running_house(tmp_path, seed) as house:
        yield house


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Not longer: while it lives, its loop runs in this thread, and no async test can."""
    expect.set_options(timeout=LONG_MS)
    with running_chromium() as browser:
        yield browser
