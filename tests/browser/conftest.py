"""One browser and one filled dashboard for all tests of pages."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import running_chromium
from tests.browser.stage import Stage, running_stage


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with running_stage(tmp_path_factory.mktemp("stage")) as stage:
        yield stage


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Not longer: while it lives, its loop runs in this thread, and no async test can."""
    with running_chromium() as browser:
        yield browser
