"""A scan that someone asks for: it is done, or it is said why not."""

import pytest

from actions.caller import Caller
from actions.scans import request_scan
from core.jobs import ANALYZE, DRY_RUN
from store import ScanRunning


async def test_who_asks_for_the_same_joins(caller: Caller) -> None:
    first = await request_scan(caller, "home")

    assert await request_scan(caller, "home") == first
    assert await request_scan(caller, "home", limit=5) == first


@pytest.mark.parametrize(("kind", "limit"), [(DRY_RUN, None), (ANALYZE, 5)])
async def test_a_dry_run_or_a_few_documents_are_not_taken_for_a_scan(
    caller: Caller, kind: str, limit: int | None
) -> None:
    other = await request_scan(caller, "home", kind=kind, limit=limit)

    with pytest.raises(ScanRunning) as refused:
        await request_scan(caller, "home")

    assert refused.value.scan == other
    assert refused.value.hint
