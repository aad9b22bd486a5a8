"""What a scan asks of Paperless, as the benchmark counts it."""

from pathlib import Path

import pytest

from benchmarks import scan_cost
from sandbox.paperless import V2, V3, Release


@pytest.mark.parametrize("release", [V2, V3], ids=["2.20", "3.0"])
async def test_a_scan_asks_for_little_and_a_plain_list_for_everything(
    tmp_path: Path, release: Release
) -> None:
    costs = await scan_cost.measure(tmp_path, release, 60)

    found = {cost.what: cost for cost in costs}
    assert found["nothing new"].requests == 1
    assert found["25 new documents"].requests <= 3
    assert found["plain full listing"].kilobytes > 10 * found["25 new documents"].kilobytes
