"""Cost of model calls, and the owner's limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from math import ceil

from core.errors import PaperclerkError
from core.messages import message


class LimitKind(StrEnum):
    """What is limited, and for which period."""

    DOCUMENTS_PER_DAY = "documents_per_day"
    COST_PER_MONTH = "cost_per_month"


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """What one instance may spend; 0 means no limit."""

    documents_per_day: int = 0
    cost_per_month: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Spending:
    """Usage since some time; running calls count with their estimate."""

    documents: int = 0
    """Jobs that made a call."""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal = Decimal(0)
    pages: int = 0
    """Of the documents whose pages are known."""
    cost_of_pages: Decimal = Decimal(0)
    """Of the documents whose pages are known."""

    @property
    def cost_per_document(self) -> Decimal:
        """Return the mean cost of a document; 0 without any."""
        return self.cost / self.documents if self.documents else Decimal(0)

    @property
    def cost_per_page(self) -> Decimal | None:
        """Return the mean cost of a page; None if no pages are known."""
        return self.cost_of_pages / self.pages if self.pages else None


@dataclass(frozen=True, slots=True)
class Consent:
    """A person's consent to the estimated cost of a run: a scan, or jobs started together."""

    by: str
    at: datetime
    cost: Decimal
    """The estimate for the whole run, in the currency of the instance."""


NO_CONSENTS: Mapping[str, Consent] = {}
"""By instance: nothing had to be confirmed."""


@dataclass(frozen=True, slots=True)
class TypicalUsage:
    """Median usage of the latest documents with one model, over all calls for each."""

    documents: int
    tokens_out: int
    took_ms: int
    tokens_in: int = 0
    calls: int = 1


class LimitReached(PaperclerkError):
    """A call to the model would exceed a limit and was not made."""

    code = "limit_reached"
    user_message = "Your limit has been reached. The document is waiting."
    hint = (
        "Processing resumes automatically on the next day or in the next month. "
        "The limits are set in the configuration."
    )

    def __init__(self, kind: LimitKind, *, used: Decimal | int, limit: Decimal | int) -> None:
        self.kind = kind
        self.used = used
        self.limit = limit
        figures = {"used": str(used), "limit": str(limit)}
        if kind is LimitKind.DOCUMENTS_PER_DAY:
            why = message("daily limit reached ({used} of {limit} documents)", **figures)
        else:
            why = message("monthly budget reached ({used} of {limit})", **figures)
        super().__init__(why)


def find_exceeded_limit(
    limits: SpendingLimits, *, documents: int | None, cost: Decimal, estimate: Decimal
) -> LimitReached | None:
    """Return the error for the limit that a call would exceed; None if it may be made.

    `documents` is the number of other documents today, None if this one is already counted;
    `cost` is that of the month without the call, `estimate` that of the call.
    """
    if documents is not None and 0 < limits.documents_per_day <= documents:
        limit = limits.documents_per_day
        return LimitReached(LimitKind.DOCUMENTS_PER_DAY, used=documents, limit=limit)
    if 0 < limits.cost_per_month < cost + estimate:
        return LimitReached(LimitKind.COST_PER_MONTH, used=cost, limit=limits.cost_per_month)
    return None


def count_days_needed(documents: int, *, per_day: int, used_today: int) -> int | None:
    """Return the number of days needed, including today; None without a daily limit."""
    if not per_day:
        return None
    after_today = documents - max(0, per_day - used_today)
    return 1 + ceil(max(0, after_today) / per_day)
