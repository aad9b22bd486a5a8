"""How fast and at which hours a model may be called, and when work ends at that pace."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from itertools import accumulate

from core.calendar import DailyHours
from core.errors import PaperclerkError
from core.jobs import Priority
from core.messages import Message, message

MINUTE = timedelta(minutes=1)
_MAX_FORECAST = timedelta(days=1000)
_NOTHING = timedelta()


class HoursFor(StrEnum):
    """Which documents wait for the model's hours."""

    ALL = "all"
    BACKLOG = "backlog"
    """Documents added before the last scan; new ones are processed at any time."""


class RateReached(PaperclerkError):
    """A call to the model would exceed its rate and was not made."""

    code = "rate_reached"
    user_message = "The model's rate limit has been reached. The document is waiting."
    hint = (
        "Processing resumes automatically within a minute. The rate limits are "
        "`ai.requests_per_minute` and `ai.tokens_per_minute`."
    )

    def __init__(self, why: Message, *, free_at: datetime) -> None:
        super().__init__(why)
        self.free_at = free_at
        """When the call may be made."""


class OutsideHours(PaperclerkError):
    """The model may not be called at this time of day."""

    code = "outside_hours"
    user_message = "The model is not called at this time of day. The document is waiting."
    hint = "Processing resumes automatically. The hours are set by `ai.hours`."


@dataclass(frozen=True, slots=True)
class RecentCall:
    """A call of the last minute: when it began, and its tokens."""

    at: datetime
    tokens: int


@dataclass(frozen=True, slots=True)
class Rate:
    """What may be sent to a model in any 60 seconds; 0 means no limit."""

    requests_per_minute: int = 0
    tokens_per_minute: int = 0

    def __bool__(self) -> bool:
        return bool(self.requests_per_minute or self.tokens_per_minute)

    def check(self, recent: Sequence[RecentCall], *, tokens: int) -> RateReached | None:
        """Return the error if a further call must wait; `recent` has the oldest call first.

        A call with more tokens than the rate is made alone: it would wait for ever otherwise.
        """
        waits = (self._by_requests(recent), self._by_tokens(recent, tokens))
        return max(filter(None, waits), key=lambda wait: wait.free_at, default=None)

    def _by_requests(self, recent: Sequence[RecentCall]) -> RateReached | None:
        most = self.requests_per_minute
        if not most or len(recent) < most:
            return None
        why = message("rate limit reached (requests per minute: {limit})", limit=str(most))
        return RateReached(why, free_at=recent[-most].at + MINUTE)

    def _by_tokens(self, recent: Sequence[RecentCall], tokens: int) -> RateReached | None:
        most, used = self.tokens_per_minute, sum(call.tokens for call in recent)
        if not most or not recent or used + tokens <= most:
            return None
        freed = accumulate(call.tokens for call in recent)
        enough = (number for number, gone in enumerate(freed) if used - gone + tokens <= most)
        last = recent[next(enough, -1)]
        why = message("rate limit reached (tokens per minute: {limit})", limit=str(most))
        return RateReached(why, free_at=last.at + MINUTE)

    def least_time(self, *, requests: int, tokens: int) -> timedelta:
        """Return the time that so many requests and tokens take at least."""
        by_requests = requests / self.requests_per_minute if self.requests_per_minute else 0
        by_tokens = tokens / self.tokens_per_minute if self.tokens_per_minute else 0
        return MINUTE * max(by_requests, by_tokens)


NO_RATE = Rate()


@dataclass(frozen=True, slots=True)
class Pace:
    """The rate and the hours of one instance's model."""

    rate: Rate = field(default_factory=Rate)
    hours: DailyHours | None = None
    """None: at any time."""
    hours_for: HoursFor = HoursFor.ALL
    zone: tzinfo | None = None
    """None means the system's time zone."""

    def __bool__(self) -> bool:
        return bool(self.rate or self.hours)

    def require_hours(self, priority: int, now: datetime) -> None:
        """Raise OutsideHours if a document of this priority waits for the hours."""
        if self.hours is None or self.hours.covers(now, self.zone):
            return
        hours = str(self.hours)
        if self.hours_for is HoursFor.ALL:
            raise OutsideHours(message("outside the model's hours ({hours})", hours=hours))
        if priority <= Priority.BACKLOG:
            raise OutsideHours(
                message("older documents wait for the model's hours ({hours})", hours=hours)
            )

    def opens_at(self, now: datetime) -> datetime:
        """Return when the model may be called: now, or when its hours begin."""
        return now if self.hours is None else self.hours.next_begin(now, self.zone)

    def ends_at(self, now: datetime, work: timedelta) -> datetime:
        """Return when so much work ends if it begins now and is done in the hours only."""
        left, at = min(work, _MAX_FORECAST), now
        while self.hours is not None and left > _NOTHING and at - now < _MAX_FORECAST:
            opens = self.hours.next_begin(at, self.zone)
            closes = self.hours.next_end(opens, self.zone)
            if left <= closes - opens:
                return opens + left
            left, at = left - (closes - opens), closes
        return at + left
