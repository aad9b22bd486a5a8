"""Model calls: booked before they are made, settled after, and counted against the limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from statistics import median

from sqlalchemy import Connection, bindparam, case, func, insert, select, update

from core.analysis import NOT_CONNECTED, OK, STARTED, ModelCall, RawResponse
from core.messages import message
from core.spending import Spending, SpendingLimits, TypicalUsage, find_exceeded_limit
from store import results
from store.database import Database
from store.errors import InvalidTransition
from store.rows import Values, call_of
from store.spending import Period, sum_periods, sum_spending
from store.tables import model_calls

_LATEST = 200
"""So many documents tell how long one takes; what was long ago tells of another machine."""
ONE_ATTEMPT = timedelta(hours=1)
"""Calls of one job that lie no further apart belong to one attempt, also across midnight."""

_CHEAPEST = Decimal("0.000000001")
_INSERT = insert(model_calls).returning(model_calls.c.id)
_FINISH = (
    update(model_calls)
    .where(model_calls.c.id == bindparam("booked"), model_calls.c.outcome == STARTED)
    .returning(model_calls.c.job_id)
)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may be spent, and since when it is counted."""

    limits: SpendingLimits
    day_start: datetime
    month_start: datetime


class Calls:
    """The ledger of model calls. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def reserve(
        self,
        call: ModelCall,
        *,
        instance: str,
        job_id: int | None,
        limits: SpendingLimits,
        day_start: datetime,
        month_start: datetime,
    ) -> int:
        """Book a call with what it is expected to cost, before it is made; return its number.

        Raise LimitReached if it would pass a limit. A job is one document, however many calls it
        makes: it never fails on the day's documents once it has made a call.
        """
        allowance = Allowance(limits, day_start, month_start)
        return await self._write(reserve, call, instance, job_id, allowance)

    async def require_budget(
        self,
        *,
        instance: str,
        job_id: int,
        at: datetime,
        limits: SpendingLimits,
        day_start: datetime,
        month_start: datetime,
    ) -> None:
        """Raise LimitReached if even the cheapest call of a job would exceed a limit."""
        allowance = Allowance(limits, day_start, month_start)
        await self._read(_require_room, instance, job_id, at, _CHEAPEST, allowance)

    async def finish(self, call_id: int, call: ModelCall, answer: str = "") -> None:
        """Put what a call really took in place of what was booked; once, or raise WrongMove.

        What the model wrote is kept with the job that asked.
        """
        await self._write(_finish, call_id, call, answer)

    async def list_for_job(self, job_id: int) -> tuple[ModelCall, ...]:
        """List the calls that a job has made, oldest first."""
        return await self._read(_of_job, job_id)

    async def list_raw_responses(self, job_id: int) -> tuple[RawResponse, ...]:
        """List what the model wrote to a job, oldest first, as far as it is kept."""
        return await self._read(results.list_raw_responses, job_id)

    async def sum_spending(
        self, instance: str, *, since: datetime, until: datetime | None = None
    ) -> Spending:
        """Add up what an instance has spent from a time on, or between two."""
        return await self._read(sum_spending, instance, since, until)

    async def sum_periods(
        self, instances: Sequence[str], begins: Sequence[datetime]
    ) -> Mapping[str, Period]:
        """Add up what each instance has spent between each two of these times, and by model."""
        return await self._read(sum_periods, instances, begins)

    async def get_typical_usage(
        self, instance: str, *, endpoint: str, model: str
    ) -> TypicalUsage | None:
        """Say what the latest answered documents took at a model; None if there is none yet."""
        return await self._read(_experience, instance, endpoint, model)


def reserve(
    connection: Connection, call: ModelCall, instance: str, job_id: int | None, allowed: Allowance
) -> int:
    """Check and book in one transaction, so that two calls cannot both take the last place."""
    _require_room(connection, instance, job_id, call.at, call.cost, allowed)
    return _insert(connection, replace(call, outcome=STARTED), instance, job_id)


def _require_room(
    connection: Connection,
    instance: str,
    job_id: int | None,
    at: datetime,
    estimate: Decimal,
    allowed: Allowance,
) -> None:
    documents, cost = None, Decimal(0)
    if allowed.limits.documents_per_day and not _counts_already(connection, job_id, at, allowed):
        documents = sum_spending(connection, instance, allowed.day_start).documents
    if allowed.limits.cost_per_month:
        cost = sum_spending(connection, instance, allowed.month_start).cost
    reached = find_exceeded_limit(allowed.limits, documents=documents, cost=cost, estimate=estimate)
    if reached is not None:
        raise reached


def _counts_already(
    connection: Connection, job_id: int | None, at: datetime, allowed: Allowance
) -> bool:
    """Tell whether the job is among the day's documents; a call without a job is none."""
    since = min(allowed.day_start, at - ONE_ATTEMPT)
    made = select(model_calls.c.id).where(
        model_calls.c.job_id == job_id,
        model_calls.c.at >= since,
        model_calls.c.outcome != NOT_CONNECTED,
    )
    return job_id is None or connection.execute(made.limit(1)).first() is not None


def _finish(connection: Connection, call_id: int, call: ModelCall, answer: str) -> None:
    taken: Values = {
        "booked": call_id,
        "mode": call.mode,
        "outcome": call.outcome,
        "tokens_in": call.tokens_in,
        "tokens_out": call.tokens_out,
        "took_ms": call.took_ms,
        "cost": call.cost,
    }
    found = connection.execute(_FINISH, taken).first()
    if found is None:
        which = message("model call {number}", number=str(call_id))
        raise InvalidTransition(which, state="not under way", wanted=call.outcome)
    if answer and found.job_id is not None:
        results.save_raw_response(connection, call_id, found.job_id, answer)


def _insert(connection: Connection, call: ModelCall, instance: str, job_id: int | None) -> int:
    row: Values = {
        "instance": instance,
        "job_id": job_id,
        "endpoint": call.endpoint,
        "model": call.model,
        "mode": call.mode,
        "outcome": call.outcome,
        "tokens_in": call.tokens_in,
        "tokens_out": call.tokens_out,
        "took_ms": call.took_ms,
        "at": call.at,
        "cost": call.cost,
    }
    number: int = connection.scalars(_INSERT, row).one()
    return number


def _of_job(connection: Connection, job_id: int) -> tuple[ModelCall, ...]:
    of_job = select(model_calls).where(model_calls.c.job_id == job_id).order_by(model_calls.c.id)
    return tuple(call_of(row) for row in connection.execute(of_job).mappings())


def _experience(
    connection: Connection, instance: str, endpoint: str, model: str
) -> TypicalUsage | None:
    calls = model_calls.c
    at_this_model = (calls.instance == instance, calls.endpoint == endpoint, calls.model == model)
    taken = select(func.sum(calls.tokens_out), func.sum(calls.took_ms))
    taken = taken.where(*at_this_model, calls.job_id.is_not(None))
    answered = func.sum(case((calls.outcome == OK, 1), else_=0)) > 0
    latest = taken.group_by(calls.job_id).having(answered).order_by(calls.job_id.desc())
    rows = connection.execute(latest.limit(_LATEST)).all()
    if not rows:
        return None
    tokens_out, took_ms = (int(median(column)) for column in zip(*rows, strict=True))
    return TypicalUsage(len(rows), tokens_out, took_ms)
