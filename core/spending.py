"""What model calls cost, and how much of it the owner allows."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from core.errors import PaperclerkError
from core.messages import Message, message


class LimitKind(StrEnum):
    """What is limited, and over which time."""

    DOCUMENTS_PER_DAY = "documents_per_day"
    COST_PER_MONTH = "cost_per_month"


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """What one instance may spend; 0 means no limit."""

    documents_per_day: int = 0
    cost_per_month: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Spending:
    """What was spent since some time; calls under way count with what they are expected to cost."""

    documents: int = 0
    """Jobs that made a call."""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class TypicalUsage:
    """What documents took at one model so far: the median of the latest, all calls of each."""

    documents: int
    tokens_out: int
    took_ms: int


class LimitReached(PaperclerkError):
    """A call to the model would pass a limit, and was not made."""

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
        super().__init__(_used_up(kind, used=str(used), limit=str(limit)))


def _used_up(kind: LimitKind, *, used: str, limit: str) -> Message:
    if kind is LimitKind.DOCUMENTS_PER_DAY:
        return message("daily limit reached ({used} of {limit} documents)", limit=limit, used=used)
    return message("monthly budget reached ({used} of {limit})", limit=limit, used=used)


def find_exceeded_limit(
    limits: SpendingLimits, *, documents: int | None, cost: Decimal, estimate: Decimal
) -> LimitReached | None:
    """Say which limit a call would pass; None if it may be made.

    `documents` were handled today before this one, None if this one is among them; `cost` is the
    month's without the call, `estimate` what the call would add to it.
    """
    if documents is not None and 0 < limits.documents_per_day <= documents:
        limit = limits.documents_per_day
        return LimitReached(LimitKind.DOCUMENTS_PER_DAY, used=documents, limit=limit)
    if 0 < limits.cost_per_month < cost + estimate:
        return LimitReached(LimitKind.COST_PER_MONTH, used=cost, limit=limits.cost_per_month)
    return None
