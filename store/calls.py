"""Calls to models: stored before they are made, completed afterwards, and added up.

A call is refused if it would exceed a spending limit or the rate of its endpoint. The capabilities
of an endpoint are stored, so that they are not probed again for a week.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from statistics import median
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    union_all,
    update,
)

from core.analysis import NOT_CONNECTED, OK, STARTED, ModelCall
from core.analysis import Capabilities as Found
from core.holds import HoldCause, rate_target
from core.jobs import Job
from core.messages import message
from core.pace import MINUTE, NO_RATE, Rate, RecentCall
from core.spending import Spending, SpendingLimits, TypicalUsage, find_exceeded_limit
from store import results
from store.database import Database
from store.engine import insert_into
from store.errors import InvalidTransition
from store.holds import place
from store.queue.claims import require_claim
from store.rows import Values, call_of
from store.tables import capabilities, instances, model_calls

_USAGE_DOCUMENTS = 200
"""Number of documents for typical usage: older ones may be from another machine."""
ONE_ATTEMPT = timedelta(hours=1)
"""Calls of one job that are no further apart belong to one attempt, also across midnight."""

_TIMED_CALLS = 200
"""Number of latest calls, of any model, that are searched for the usual time of a call."""
_MIN_TIMED_CALLS = 3
"""Minimum number of calls from which a usual time is taken."""

CAPABILITIES_VALID_FOR = timedelta(days=7)
"""Capabilities are probed again after this time, because servers are updated."""

_CLOCK_TOLERANCE = timedelta(seconds=5)
"""Possible difference between the clocks of several workers; see `store.workers`."""

_MIN_COST = Decimal("0.000000001")
_INSERT = insert(model_calls).returning(model_calls.c.id)
_FINISH = (
    update(model_calls)
    .where(model_calls.c.id == bindparam("booked"), model_calls.c.outcome == STARTED)
    .returning(model_calls.c.job_id)
)

_JOBS = func.count(model_calls.c.job_id.distinct())
_SUMS: tuple[ColumnElement[Any], ...] = (
    _JOBS,
    func.count(),
    func.sum(model_calls.c.tokens_in),
    func.sum(model_calls.c.tokens_out),
    func.sum(model_calls.c.cost),
    func.sum(model_calls.c.pages),
    func.sum(case((model_calls.c.pages.is_not(None), model_calls.c.cost))),
)


class Calls:
    """The ledger of model calls. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.reserve = write(reserve)
        self.require_budget = read(require_budget)
        self.finish = write(finish)
        self.list_for_job = read(list_for_job)
        self.list_raw_responses = read(results.list_raw_responses)
        self.sum_spending = read(sum_spending)
        self.sum_periods = read(sum_periods)
        self.get_usual_time = read(get_usual_time)
        self.get_typical_usage = read(get_typical_usage)


class Capabilities:
    """Capabilities by endpoint and model. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.get = read(get_capabilities)
        self.save = write(save_capabilities)
        self.delete = write(delete_capabilities)


def reserve(  # noqa: PLR0913  # callers do not pass the connection
    connection: Connection,
    call: ModelCall,
    *,
    instance: str,
    job_id: int | None,
    limits: SpendingLimits,
    day_start: datetime,
    month_start: datetime,
    rate: Rate = NO_RATE,
    claimed: Job | None = None,
) -> int:
    """Store a call with its estimated cost before it is made; return its number.

    Raise LimitReached or RateReached if it would exceed a limit or the rate. The check and the row
    are one transaction, so that two calls cannot both use the rest of a limit. Raise ClaimLost if
    the job was `claimed` and the claim is over: a worker that was taken for dead must not pay for
    the document again.
    """
    pages = None
    if claimed is not None:
        current = require_claim(connection, claimed)
        pages = _new_pages_of(connection, current)
    require_budget(
        connection,
        instance=instance,
        job_id=job_id,
        at=call.at,
        limits=limits,
        day_start=day_start,
        month_start=month_start,
        rate=rate,
        estimate=call.cost,
        tokens=call.tokens_in + call.tokens_out,
    )
    number = _insert(connection, replace(call, outcome=STARTED), instance, job_id, pages)
    _hold_if_used_up(connection, instance, rate, now=call.at)
    return number


def require_budget(  # noqa: PLR0913  # callers do not pass the connection
    connection: Connection,
    *,
    instance: str,
    job_id: int | None,
    at: datetime,
    limits: SpendingLimits,
    day_start: datetime,
    month_start: datetime,
    rate: Rate = NO_RATE,
    estimate: Decimal = _MIN_COST,
    tokens: int = 1,
) -> None:
    """Raise LimitReached or RateReached if a call may not be made; by default the cheapest call.

    A job is one document, however many calls it makes: after its first call it never exceeds the
    daily number of documents.
    """
    documents, cost = None, Decimal(0)
    if limits.documents_per_day and not _is_counted(connection, job_id, at, day_start):
        documents = sum_spending(connection, instance, since=day_start).documents
    if limits.cost_per_month:
        cost = sum_spending(connection, instance, since=month_start).cost
    reached = find_exceeded_limit(limits, documents=documents, cost=cost, estimate=estimate)
    if reached is not None:
        raise reached
    _require_rate(connection, instance, rate, tokens=tokens, now=at)


def finish(connection: Connection, call_id: int, call: ModelCall, answer: str = "") -> None:
    """Replace the estimate of a call by its actual usage, once, or raise InvalidTransition.

    The model's raw response is stored with the job.
    """
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


def list_for_job(connection: Connection, job_id: int) -> tuple[ModelCall, ...]:
    """List the calls of a job, oldest first."""
    of_job = select(model_calls).where(model_calls.c.job_id == job_id).order_by(model_calls.c.id)
    return tuple(call_of(row) for row in connection.execute(of_job).mappings())


def get_usual_time(connection: Connection, *, endpoint: str, model: str) -> int | None:
    """Return the median time of a model's recent calls in milliseconds; None if too few."""
    calls = model_calls.c
    columns = (calls.endpoint, calls.model, calls.outcome, calls.took_ms)
    recent = select(*columns).order_by(calls.id.desc()).limit(_TIMED_CALLS).subquery().c
    at_this_model = (recent.endpoint == endpoint, recent.model == model, recent.outcome == OK)
    times = connection.scalars(select(recent.took_ms).where(*at_this_model)).all()
    return int(median(times)) if len(times) >= _MIN_TIMED_CALLS else None


def get_typical_usage(
    connection: Connection, instance: str, *, endpoint: str, model: str
) -> TypicalUsage | None:
    """Return the median usage of the latest documents at a model; None if there is none."""
    calls = model_calls.c
    at_this_model = (calls.instance == instance, calls.endpoint == endpoint, calls.model == model)
    sums = (func.sum(column) for column in (calls.tokens_out, calls.took_ms, calls.tokens_in))
    taken = select(*sums, func.count())
    taken = taken.where(*at_this_model, calls.job_id.is_not(None))
    answered = func.sum(case((calls.outcome == OK, 1), else_=0)) > 0
    latest = taken.group_by(calls.job_id).having(answered).order_by(calls.job_id.desc())
    rows = connection.execute(latest.limit(_USAGE_DOCUMENTS)).all()
    if not rows:
        return None
    return TypicalUsage(len(rows), *(int(median(column)) for column in zip(*rows, strict=True)))


def get_capabilities(
    connection: Connection, endpoint: str, model: str, *, now: datetime
) -> Found | None:
    """Return the stored capabilities; None if there are none or they are too old."""
    fresh = capabilities.c.learned_at > now - CAPABILITIES_VALID_FOR
    statement = select(capabilities).where(_is_of_model(endpoint, model), fresh)
    row = connection.execute(statement).mappings().first()
    return None if row is None else _capabilities_of(row)


def save_capabilities(
    connection: Connection, endpoint: str, model: str, found: Found, *, now: datetime
) -> None:
    columns: Values = {
        "mode": found.mode,
        "token_parameter": found.token_parameter,
        "temperature": found.temperature,
        "streams": found.streams,
        "learned_at": now,
    }
    connection.execute(
        insert_into(connection, capabilities)
        .values(endpoint=endpoint, model=model, **columns)
        .on_conflict_do_update(index_elements=["endpoint", "model"], set_=columns)
    )


def delete_capabilities(connection: Connection, endpoint: str, model: str) -> None:
    """Delete stored capabilities that proved wrong."""
    connection.execute(delete(capabilities).where(_is_of_model(endpoint, model)))


def _new_pages_of(connection: Connection, job: Job) -> int | None:
    """Return the pages that a call adds to the sums: those of its document, once for each job."""
    if not job.pages:
        return None
    counted = select(model_calls.c.id).where(
        model_calls.c.job_id == job.id,
        model_calls.c.pages > 0,
        model_calls.c.outcome != NOT_CONNECTED,
    )
    return job.pages if connection.execute(counted.limit(1)).first() is None else 0


def _is_counted(
    connection: Connection, job_id: int | None, at: datetime, day_start: datetime
) -> bool:
    """Return whether the day's documents already include the job, or there is no job to count."""
    if job_id is None:
        return True
    made = select(model_calls.c.id).where(
        model_calls.c.job_id == job_id,
        model_calls.c.at >= min(day_start, at - ONE_ATTEMPT),
        model_calls.c.outcome != NOT_CONNECTED,
    )
    return connection.execute(made.limit(1)).first() is not None


def _require_rate(
    connection: Connection, instance: str, rate: Rate, *, tokens: int, now: datetime
) -> None:
    """Raise RateReached if a call with so many tokens would exceed the rate."""
    if not rate:
        return
    reached = rate.check(_list_last_minute(connection, instance, now), tokens=tokens)
    if reached is not None:
        raise reached


def _hold_if_used_up(connection: Connection, instance: str, rate: Rate, *, now: datetime) -> None:
    """Put the endpoint on hold if no further request may follow, so that no job is claimed in vain.

    Tokens are left out: those of a running call are an estimate, and mostly too high. An instance
    that is not registered yet has no endpoint to hold.
    """
    requests_only = replace(rate, tokens_per_minute=0)
    if not requests_only:
        return
    reached = requests_only.check(_list_last_minute(connection, instance, now), tokens=0)
    endpoint = connection.scalar(select(instances.c.endpoint).where(instances.c.name == instance))
    if reached is not None and endpoint:
        cause, until = HoldCause(reached.message), reached.free_at
        place(connection, rate_target(endpoint), cause, next_probe_at=until, now=now)


def _list_last_minute(connection: Connection, instance: str, now: datetime) -> list[RecentCall]:
    """List the calls of the last minute by all instances with the same endpoint, oldest first."""
    calls, own = model_calls.c, instances.alias("own")
    endpoint = select(own.c.endpoint).where(own.c.name == instance).scalar_subquery()
    sharing = select(instances.c.name).where(instances.c.endpoint == endpoint)
    made = select(calls.at, calls.tokens_in + calls.tokens_out).where(
        or_(calls.instance == instance, calls.instance.in_(sharing)),
        calls.at > now - MINUTE,
        # A call that a wrong clock put into the future does not count.
        calls.at <= now + _CLOCK_TOLERANCE,
        calls.outcome != NOT_CONNECTED,
    )
    return [RecentCall(*row) for row in connection.execute(made.order_by(calls.at))]


def _insert(
    connection: Connection, call: ModelCall, instance: str, job_id: int | None, pages: int | None
) -> int:
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
        "pages": pages,
    }
    number: int = connection.scalars(_INSERT, row).one()
    return number


def _is_of_model(endpoint: str, model: str) -> ColumnElement[bool]:
    return and_(capabilities.c.endpoint == endpoint, capabilities.c.model == model)


def _capabilities_of(row: RowMapping) -> Found:
    return Found(
        mode=row["mode"],
        token_parameter=row["token_parameter"],
        temperature=row["temperature"],
        streams=row["streams"],
    )


@dataclass(slots=True)
class Period:
    """What an instance spent in a period: in total, by span, and by model."""

    total: Spending = field(default_factory=Spending)
    """The sum of all spans; a document with calls in two spans counts in both."""
    spans: dict[int, Spending] = field(default_factory=dict)
    """By index; spans without calls are left out."""
    models: dict[str, Spending] = field(default_factory=dict)


def sum_spending(
    connection: Connection, instance: str, *, since: datetime, until: datetime | None = None
) -> Spending:
    """Return what an instance has spent since a time, or between two."""
    added_up = select(*_SUMS).where(*_conditions([instance], since, until))
    return _spending_of(*connection.execute(added_up).one())


def sum_recent_spending(
    connection: Connection, instances: Sequence[str], day: datetime, month: datetime
) -> tuple[Mapping[str, int], Mapping[str, Decimal]]:
    """Return the documents since `day`, and the cost since `month`, of each instance."""
    documents = _by_instance(_JOBS).where(*_conditions(instances, day, None))
    cost = _by_instance(func.sum(model_calls.c.cost)).where(*_conditions(instances, month, None))
    return dict(connection.execute(documents).all()), dict(connection.execute(cost).all())


def sum_periods(
    connection: Connection, instances: Sequence[str], begins: Sequence[datetime]
) -> Mapping[str, Period]:
    """Return what each instance has spent between each two of these times, and by model."""
    found = {name: Period() for name in instances}
    model_names: set[str] = set()
    spans = [_select_span(instances, *span) for span in enumerate(pairwise(begins))]
    for name, number, first, last, *sums in connection.execute(union_all(*spans)):
        period, spent_then = found[name], _spending_of(*sums)
        period.spans[number] = spent_then
        period.total = _add(period.total, spent_then)
        model_names |= {first, last}
        period.models[first] = period.total
    if len(model_names) > 1:
        _add_models(connection, found, tuple(_conditions(instances, begins[0], begins[-1])))
    return found


def _add(first: Spending, second: Spending) -> Spending:
    return Spending(
        first.documents + second.documents,
        first.calls + second.calls,
        first.tokens_in + second.tokens_in,
        first.tokens_out + second.tokens_out,
        first.cost + second.cost,
        first.pages + second.pages,
        first.cost_of_pages + second.cost_of_pages,
    )


def _add_models(
    connection: Connection, found: Mapping[str, Period], within: Sequence[ColumnElement[bool]]
) -> None:
    """Add the sums by model; only needed if there are several, as it doubles the cost."""
    for period in found.values():
        period.models.clear()
    model = model_calls.c.model
    by_model = _by_instance(model, *_SUMS).where(*within).group_by(model).order_by(model)
    for name, called, *sums in connection.execute(by_model):
        found[name].models[called] = _spending_of(*sums)


def _by_instance(*columns: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
    return select(model_calls.c.instance, *columns).group_by(model_calls.c.instance)


def _select_span(
    instances: Sequence[str], number: int, span: tuple[datetime, datetime]
) -> Select[*tuple[Any, ...]]:
    # One statement for each span: finding the span of each call would take longer than the sum.
    models = (func.min(model_calls.c.model), func.max(model_calls.c.model))
    return _by_instance(literal(number), *models, *_SUMS).where(*_conditions(instances, *span))


def _conditions(
    instances: Sequence[str], since: datetime, until: datetime | None
) -> Iterator[ColumnElement[bool]]:
    yield model_calls.c.instance.in_(instances)
    yield model_calls.c.at >= since
    # Nothing was sent: no model was called, and no document was analysed.
    yield model_calls.c.outcome != NOT_CONNECTED
    if until is not None:
        yield model_calls.c.at < until


def _spending_of(*sums: Any) -> Spending:
    """Build the value of `_SUMS`, which are None without a call."""
    documents, calls, tokens_in, tokens_out, cost, pages, cost_of_pages = sums
    return Spending(
        documents=documents,
        calls=calls,
        tokens_in=tokens_in or 0,
        tokens_out=tokens_out or 0,
        cost=cost or Decimal(0),
        pages=pages or 0,
        cost_of_pages=cost_of_pages or Decimal(0),
    )
