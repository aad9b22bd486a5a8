"""The simulation behind the page about scale, with the costs that the page names."""

import re

from benchmarks.scale import WORKERS, Costs, simulate
from tests.pages import page, rows

SCALE = page("docs/explanation/scale.md")


def documented_costs() -> Costs:
    return Costs(*(float(row[1]) / 1000 for row in rows(SCALE.section("## What it costs"))))


def test_the_page_shows_what_the_simulation_prints() -> None:
    loads = [simulate(number, documented_costs()) for number in WORKERS]

    shown = [
        tuple(int(re.sub(r"\D", "", cell)) for cell in row)
        for row in rows(SCALE.section("## Where it ends"))
    ]
    assert shown == [
        (
            load.workers,
            round(load.documents_a_day),
            round(load.lock_busy * 100),
            round(load.waited * 1000),
        )
        for load in loads
    ]


def test_more_workers_file_more_until_the_lock_is_used_up() -> None:
    few, many, too_many = (simulate(number, documented_costs()) for number in (10, 100, 2000))

    assert many.documents_a_day > 5 * few.documents_a_day
    assert too_many.lock_busy > 0.99 > many.lock_busy
    assert too_many.documents_a_day < 5 * many.documents_a_day
