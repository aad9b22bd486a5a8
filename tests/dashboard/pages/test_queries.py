"""How many questions each page asks of the store: as many, however much there is to show."""

from pathlib import Path

import pytest

from benchmarks.copies import Size
from benchmarks.pages_fill import fill
from benchmarks.pages_time import pages_of
from daemon.context import open_context
from daemon.services import open_services
from sandbox import Sandbox
from sandbox.paperless import load_world
from tests.dashboard.api_client import build_rig
from tests.dashboard.conftest import DashboardRig
from tests.query_counts import count_queries

LITTLE = Size(jobs=20, waiting=2, failed=2, pending=1)
MUCH = Size(jobs=600, waiting=60, failed=60, pending=60)
"""More than any page shows at once."""

ASKED = {
    # page: reading transactions, statements
    "overview": (19, 32),
    "overview, one instance": (19, 32),
    "review": (5, 5),
    "review, one document": (7, 7),
    "review, evidence": (4, 4),
    "new names": (7, 7),
    "activity": (10, 13),
    "activity, completed": (10, 13),
    "activity, pending": (10, 13),
    "activity, failed": (11, 14),
    "activity, cause": (11, 14),
    "activity, cancelled": (9, 9),
    "activity, one instance": (10, 13),
    "activity, older": (10, 13),
    "scans": (4, 4),
    "job": (9, 9),
    "document": (7, 7),
    "documents, title": (8, 18),
    "documents, number": (7, 16),
    "documents, nothing found": (5, 14),
    "history": (4, 4),
    "history, one instance": (4, 4),
    "history, old days": (4, 4),
    "undo": (4, 4),
    "costs": (3, 3),
    "settings": (3, 5),
    "error": (2, 2),
}
"""Each page asks how much waits for review and how much is unread, for its header."""


@pytest.mark.parametrize(
    ("size", "more"),
    [
        pytest.param(LITTLE, (), id="little, one instance"),
        pytest.param(MUCH, (), id="much, one instance"),
        pytest.param(MUCH, ("office", "attic", "cellar"), id="much, four instances"),
    ],
)
async def test_no_page_asks_more_the_more_there_is(
    tmp_path: Path, size: Size, more: tuple[str, ...]
) -> None:
    with Sandbox(load_world()) as sandbox:
        filled = await fill(sandbox, tmp_path, size)
        settings = (filled.options.config / "home.toml").read_text(encoding="utf-8")
        (filled.options.config / "office.toml").unlink()
        for name in more:
            (filled.options.config / f"{name}.toml").write_text(settings, encoding="utf-8")
        async with (
            open_context(filled.options) as memory,
            open_services(memory, memory.select_instances(None)) as services,
        ):
            there = {n: p for n, p in pages_of(filled).items() if "office" not in p or more}
            asked = await _asked_by_pages(build_rig(services), there)

    assert asked == {name: ASKED[name] for name in there}


async def test_without_an_instance_hardly_anything_is_asked(rig: DashboardRig) -> None:
    assert await _asked_by_pages(rig, {"setup": "/"}) == {"setup": (2, 2)}


async def _asked_by_pages(rig: DashboardRig, pages: dict[str, str]) -> dict[str, tuple[int, int]]:
    asked: dict[str, tuple[int, int]] = {}
    async with rig.client() as client:
        client.headers["accept"] = "text/html"
        for name, path in pages.items():
            with count_queries() as counted:
                answer = await client.get(path)
            assert answer.status_code == (404 if name == "error" else 200), path
            asked[name] = (counted["transactions"], counted["statements"])
    return asked
