"""`costs`, as it is typed."""

import json

from sandbox import Sandbox
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation

PRICES = """
[limits]
price_in = 1
price_out = 2
cost_per_month = 5
"""


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
