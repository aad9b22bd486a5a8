"""`/costs`: the costs of a month, by day and by model."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from actions.costs import Costs, list_costs
from core.calendar import FIRST_DAY, days_of_month, next_month
from core.spending import Spending
from dashboard.pages.bars import Bar, bars_of
from dashboard.pages.view import ReadView, View

router = APIRouter()


@dataclass(frozen=True, slots=True)
class MonthCosts:
    """The costs of one instance in a month, as the page shows them."""

    costs: Costs
    has_prices: bool
    bars: list[Bar]

    @property
    def percent(self) -> int:
        """Return the spent share of the monthly budget; 0 without one."""
        limit = self.costs.limit
        return min(100, round(100 * self.costs.total.cost / limit)) if limit else 0

    def forecast(self, today: date) -> Decimal | None:
        """Return the forecast for the whole month; None unless it is the current one."""
        days = [bar.day for bar in self.bars]
        if not days[0] <= today <= days[-1]:
            return None
        return self.costs.total.cost / today.day * len(days)


@router.get("/costs", include_in_schema=False)
async def show_costs(view: ReadView, month: Annotated[str, Query()] = "") -> HTMLResponse:
    """Show a month; the current one by default."""
    today = view.translator.today
    first = parse_month(month, today)
    costs = await list_costs(view.caller, view.names, first)
    return await view.page(
        "costs.html",
        first=first,
        before=(first - timedelta(days=1)).strftime("%Y-%m"),
        after=next_month(first).strftime("%Y-%m") if next_month(first) <= today else "",
        months=[_build_month(view, cost, first) for cost in costs],
        today=today,
    )


def parse_month(month: str, today: date) -> date:
    """Parse `2026-11`; anything else, and a future month, means the current month."""
    try:
        first = date.fromisoformat(f"{month}-01")
    except ValueError:
        return today.replace(day=1)
    return first if FIRST_DAY <= first < today else today.replace(day=1)


def _build_month(view: View, costs: Costs, first: date) -> MonthCosts:
    limits, days = view.context.settings.instances[costs.instance].limits, days_of_month(first)
    spent = [costs.days.get(day.isoformat(), Spending()).cost for day in days]
    return MonthCosts(costs, bool(limits.price_in or limits.price_out), bars_of(days, spent))
