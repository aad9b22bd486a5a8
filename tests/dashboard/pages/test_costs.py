"""Costs: the spending of a month against its budget, the forecast, and the CSV export."""

import csv
import io
from datetime import date, timedelta
from decimal import Decimal

import httpx

from daemon.services import Services
from dashboard.pages.costs import build_spending_slots
from tests.dashboard.api_client import build_rig
from tests.dashboard.conftest import open_browser
from tests.installation import Installation, process

PRICES = "[limits]\nprice_in = 2.5\nprice_out = 10.0\ncost_per_month = {budget}\n"


def test_columns_add_up_and_the_forecast_goes_on_as_on_average() -> None:
    days = [date(2026, 11, number) for number in range(1, 6)]
    spent = [Decimal(number) for number in (2, 0, 4, 0, 0)]

    slots = build_spending_slots(days, spent, date(2026, 11, 3), [str(day.day) for day in days])

    assert [dict(slot.values) for slot in slots] == [
        {"before": 0, "cost": 2, "forecast": 0},
        {"before": 2, "cost": 0, "forecast": 0},
        {"before": 2, "cost": 4, "forecast": 0},
        {"before": 0, "cost": 0, "forecast": 8},
        {"before": 0, "cost": 0, "forecast": 10},
    ]


def test_a_month_of_the_past_has_no_forecast() -> None:
    days = [date(2026, 10, number) for number in (1, 2)]

    slots = build_spending_slots(days, [Decimal(1), Decimal(2)], date(2026, 11, 3), ["1", "2"])

    assert [slot.values["forecast"] for slot in slots] == [0, 0]


async def test_the_page_shows_the_budget_and_warns_when_the_forecast_exceeds_it(
    installation: Installation,
) -> None:
    for budget, is_over in (("10000.0", False), ("0.01", True)):
        installation.configure(PRICES.format(budget=budget))
        async with installation.open() as services, open_browser(build_rig(services)) as browser:
            if not is_over:
                await process(services, 1)
            page = (await browser.get("/costs")).text

        assert "Monthly budget" in page
        assert 'class="limit"' in page
        assert ("more than the budget" in page) is is_over


async def test_the_costs_of_a_month_are_given_as_a_table(
    installation: Installation, services: Services, browser: httpx.AsyncClient
) -> None:
    await process(services, 1)
    today = installation.clock().astimezone(services.context.zone).date()
    last_month = today.replace(day=1) - timedelta(days=1)

    answer = await browser.get("/costs.csv")
    before = await browser.get(f"/costs.csv?month={last_month:%Y-%m}")

    [row] = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert f'filename="paperclerk-costs-{today:%Y-%m}.csv"' in answer.headers["content-disposition"]
    assert (row["instance"], row["day"], row["documents"]) == ("home", today.isoformat(), "1")
    assert int(row["input tokens"]) > 0
    assert list(csv.DictReader(io.StringIO(before.content.decode("utf-8-sig")))) == []
