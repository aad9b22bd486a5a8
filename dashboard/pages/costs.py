"""`/costs`: the costs of a month by day, model and instance, with forecast and CSV export."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from actions.costs import Costs, list_costs
from actions.history import escape_formula
from core.calendar import FIRST_DAY, days_of_month, next_month
from core.spending import Spending
from dashboard.pages.charts import Amount, Chart, Slot, build_chart
from dashboard.pages.view import ReadView, View
from i18n import Translator

router = APIRouter(include_in_schema=False)

_COLUMNS = (
    *("instance", "day", "documents", "calls", "input tokens", "output tokens", "cost"),
    "currency",
)
_MONTHS = 12
"""Months that can be chosen directly."""


@dataclass(frozen=True, slots=True)
class MonthCosts:
    """The costs of one instance in a month, as the page shows them."""

    costs: Costs
    has_prices: bool
    days: Sequence[date]
    chart: Chart
    forecast: Decimal | None
    """For the whole month; None unless it is the current one."""

    @property
    def percent(self) -> int:
        """Return the spent share of the monthly budget; 0 without one."""
        limit = self.costs.limit
        return min(100, round(100 * self.costs.total.cost / limit)) if limit else 0

    def write(self, translator: Translator) -> Callable[[Amount], str]:
        """Return a function that writes amounts in the currency of the instance."""
        return lambda amount: translator.money(Decimal(amount), self.costs.currency)

    @property
    def is_over_budget(self) -> bool:
        """Whether the forecast exceeds the budget."""
        limit = self.costs.limit
        return bool(limit and self.forecast is not None and self.forecast > limit)


@router.get("/costs")
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
        latest=list(_latest_months(today)),
        months=[_build_month(view, cost, first) for cost in costs],
        today=today,
    )


@router.get("/costs.csv")
async def download(view: ReadView, month: Annotated[str, Query()] = "") -> Response:
    """Return the costs of a month by instance and day as CSV."""
    first = parse_month(month, view.translator.today)
    costs = await list_costs(view.caller, view.names, first)
    buffer = io.StringIO()
    csv.writer(buffer).writerows([_COLUMNS, *(row for cost in costs for row in _rows(cost))])
    name = f"paperclerk-costs-{first:%Y-%m}.csv"
    return Response(
        # Excel does not detect UTF-8 without a byte order mark.
        f"\ufeff{buffer.getvalue()}",
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


def parse_month(month: str, today: date) -> date:
    """Parse `2026-11`; anything else, and a future month, means the current month."""
    try:
        first = date.fromisoformat(f"{month}-01")
    except ValueError:
        return today.replace(day=1)
    return first if FIRST_DAY <= first < today else today.replace(day=1)


def build_spending_slots(
    days: Sequence[date], spent: Sequence[Decimal], today: date, labels: Sequence[str]
) -> list[Slot]:
    """Build a column for each day: what was spent until then, on that day, or is forecast.

    The forecast goes on as on average so far.
    """
    slots: list[Slot] = []
    total = Decimal(0)
    mean = sum(spent, Decimal(0)) / today.day if days[0] <= today <= days[-1] else Decimal(0)
    for day, cost, label in zip(days, spent, labels, strict=True):
        if day <= today:
            slots.append(Slot(label, {"before": total, "cost": cost, "forecast": Decimal(0)}))
            total += cost
        else:
            ahead = total + mean * (day - today).days
            slots.append(Slot(label, {"before": Decimal(0), "cost": Decimal(0), "forecast": ahead}))
    return slots


def _build_month(view: View, costs: Costs, first: date) -> MonthCosts:
    limits, days = view.context.settings.instances[costs.instance].limits, days_of_month(first)
    today = view.translator.today
    spent = [costs.days.get(day.isoformat(), Spending()).cost for day in days]
    slots = build_spending_slots(days, spent, today, [str(day.day) for day in days])
    is_current = days[0] <= today <= days[-1]
    return MonthCosts(
        costs=costs,
        has_prices=bool(limits.price_in or limits.price_out),
        days=days,
        chart=build_chart(slots, limit=costs.limit or None),
        forecast=costs.total.cost / today.day * len(days) if is_current else None,
    )


def _latest_months(today: date) -> Iterator[date]:
    month = today.replace(day=1)
    for _ in range(_MONTHS):
        yield month
        month = (month - timedelta(days=1)).replace(day=1)


def _rows(costs: Costs) -> Iterator[Sequence[object]]:
    for day, spent in sorted(costs.days.items()):
        yield (
            escape_formula(costs.instance),
            day,
            spent.documents,
            spent.calls,
            spent.tokens_in,
            spent.tokens_out,
            spent.cost,
            escape_formula(costs.currency),
        )
