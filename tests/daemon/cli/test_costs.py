"""`costs`, as it is typed, and an estimate in words."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from actions.costs import EstimateSummary
from daemon.cli.costs import format_count, format_duration, format_estimate
from sandbox import Sandbox
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation

PRICES = """
[limits]
price_in = 1
price_out = 2
cost_per_month = 5
"""
BACKLOG = EstimateSummary(
    instance="home",
    documents=1204,
    new=1204,
    queued=0,
    skipped={},
    pages=2_890,
    asked=1204,
    sampled=50,
    tokens_in=3_100_000,
    tokens_out=210_000,
    model="gpt-5-mini",
    cost=Decimal("1.0234"),
    currency="EUR",
    seconds=7_800,
    cost_per_month=Decimal(5),
    cost_this_month=Decimal("0.43"),
    documents_per_day=100,
    documents_today=0,
    days=13,
)


def test_costs_are_listed_by_day_and_by_model(
    paperclerk: Paperclerk, installation: Installation
) -> None:
    installation.configure(PRICES)
    paperclerk("scan-now")

    said = paperclerk("costs")

    assert said.code == 0
    assert "of 5.00 EUR" in said.out
    assert "sandbox-model  3" in said.out


def test_costs_as_json_can_be_added_up(paperclerk: Paperclerk, installation: Installation) -> None:
    installation.configure(PRICES)
    paperclerk("scan-now")

    costs = json.loads(paperclerk("costs", "home", "--json").out)[0]

    (day,) = costs["days"].values()
    assert day == costs["total"] == costs["models"]["sandbox-model"]
    assert day["documents"] == day["calls"] == 3
    paid = (day["tokens_in"] + 2 * day["tokens_out"]) / 1_000_000
    assert float(day["cost"]) == paid


def test_pages_are_counted_and_cost_so_much(
    paperclerk: Paperclerk, installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(PRICES)
    for document, pages in zip(sandbox.world.documents.values(), (2, 5, None), strict=True):
        document.page_count = pages
    paperclerk("scan-now")

    costs = json.loads(paperclerk("costs", "home", "--json").out)[0]["total"]

    assert (costs["documents"], costs["pages"]) == (3, 7)
    assert 0 < float(costs["cost_of_pages"]) < float(costs["cost"])
    per_page = float(costs["cost_of_pages"]) / 7
    assert f"a document, {per_page:.4f} a page\n" in paperclerk("costs").out
    assert "2 pages\n" in paperclerk("job", "1").out + paperclerk("job", "3").out


def test_a_month_without_a_call_says_so(paperclerk: Paperclerk) -> None:
    assert "no model calls" in paperclerk("costs", "--month", "2020-02").out


def test_everything_that_is_known_is_shown() -> None:
    assert format_estimate(BACKLOG) == [
        "home: 1204 documents, about 3 k pages",
        "    about 3.1 M input and 210 k output tokens, about 1.02 EUR (gpt-5-mini, your prices), "
        "about 2 h 10 min one after the other",
        "    estimated from the texts of 50 of 1204",
        "    your limit is 5.00 EUR a month, 0.43 used",
        "    your limit is 100 documents a day: 13 days",
        "    Start with 20:  paperclerk scan-now home --limit 20",
    ]


def test_what_is_not_known_or_not_set_is_left_out() -> None:
    bare = replace(BACKLOG, new=20, cost=None, seconds=None, cost_per_month=Decimal(0), days=None)

    assert format_estimate(bare) == [
        "home: 1204 documents, about 3 k pages",
        "    about 3.1 M input and 210 k output tokens, "
        "at gpt-5-mini (no price is set: limits.price_in, limits.price_out)",
        "    estimated from the texts of 50 of 1204",
    ]


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        (
            replace(BACKLOG, queued=4),
            "home: 1204 documents, 4 of them in the queue, about 3 k pages",
        ),
        (
            replace(BACKLOG, skipped={"excluded_tag": 3, "done": 1}),
            "home: 1204 documents, about 3 k pages (3 with an excluded tag; 1 already processed)",
        ),
        (replace(BACKLOG, documents=1, pages=None), "home: 1 document"),
        (
            replace(BACKLOG, asked=1180),
            "    estimated from the texts of 50 of 1204; about 24 have no text and need no model",
        ),
        (
            replace(BACKLOG, cost_this_month=Decimal(4)),
            "    your limit is 5.00 EUR a month, 4.00 used: the rest waits for the next month",
        ),
        (
            replace(BACKLOG, documents_today=30),
            "    your limit is 100 documents a day, 30 used: 13 days",
        ),
        (
            replace(BACKLOG, cost=Decimal("0.0042"), seconds=None),
            "    about 3.1 M input and 210 k output tokens, "
            "less than 0.01 EUR (gpt-5-mini, your prices)",
        ),
        (replace(BACKLOG, days=1), "    your limit is 100 documents a day: 1 day"),
    ],
)
def test_what_matters_for_the_owner_is_said(summary: EstimateSummary, words: str) -> None:
    assert words in format_estimate(summary)


def test_nothing_to_do_is_one_line() -> None:
    nothing = replace(BACKLOG, documents=0, new=0, asked=0, skipped={"done": 3})

    assert format_estimate(nothing) == ["home: nothing to analyse (3 already processed)"]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0"),
        (999, "999"),
        (1_499, "1 k"),
        (210_000, "210 k"),
        (999_499, "999 k"),
        (999_500, "1.0 M"),
        (3_149_000, "3.1 M"),
    ],
)
def test_large_numbers_are_rounded(number: int, words: str) -> None:
    assert format_count(number) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_570, "60 min"),
        (3_600, "1 h 0 min"),
        (7_800, "2 h 10 min"),
        (172_799, "48 h 0 min"),
        (172_800, "2 days 0 h"),
        (273_600, "3 days 4 h"),
    ],
)
def test_spans_are_rounded(seconds: int, words: str) -> None:
    assert format_duration(seconds) == words
