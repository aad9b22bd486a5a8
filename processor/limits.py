"""Prices and spending limits of an instance, and when a reached limit resets."""

from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from decimal import Decimal

from core.analysis import ModelCall
from core.calendar import next_day_start, next_month_start
from core.pace import Pace
from core.spending import LimitKind, SpendingLimits

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million tokens; free by default."""

    tokens_in: Decimal = Decimal(0)
    tokens_out: Decimal = Decimal(0)

    def cost(self, *, tokens_in: int, tokens_out: int) -> Decimal:
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / _MILLION


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits, prices and pace of one instance, and the time zone of its days and months."""

    limits: SpendingLimits = field(default_factory=SpendingLimits)
    prices: Prices = field(default_factory=Prices)
    zone: tzinfo | None = None
    """None means the system's time zone."""
    pace: Pace = field(default_factory=Pace)

    def with_cost(self, call: ModelCall) -> ModelCall:
        """Return the call with its cost, by its tokens."""
        cost = self.prices.cost(tokens_in=call.tokens_in, tokens_out=call.tokens_out)
        return replace(call, cost=cost)

    def resumes_at(self, kind: LimitKind, now: datetime) -> datetime:
        """Return when a reached limit resets: at the start of the next day or month."""
        if kind is LimitKind.DOCUMENTS_PER_DAY:
            return next_day_start(now, self.zone)
        return next_month_start(now, self.zone)
