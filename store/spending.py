"""Sums of tokens and cost of model calls: by time, instance and model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, func, literal, select, union_all

from core.analysis import NOT_CONNECTED
from core.spending import Spending
from store.tables import model_calls

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
