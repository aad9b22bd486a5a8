"""The rate of calls to a model: what was sent to its endpoint in the last minute, by anyone."""

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import Connection, or_, select

from core.analysis import NOT_CONNECTED
from core.holds import HoldCause, rate_target
from core.pace import MINUTE, Rate, RecentCall
from store.holds import place
from store.tables import instances, model_calls

_CLOCK_DIFFERENCE = timedelta(seconds=5)
"""Between the machines of several workers; see `store.shared_clock`."""


def require(
    connection: Connection, instance: str, rate: Rate, *, tokens: int, now: datetime
) -> None:
    """Raise RateReached if a call with so many tokens would exceed the rate."""
    if not rate:
        return
    reached = rate.check(_list_recent(connection, instance, now), tokens=tokens)
    if reached is not None:
        raise reached


def hold_if_used_up(connection: Connection, instance: str, rate: Rate, *, now: datetime) -> None:
    """Put the endpoint on hold if no further request may follow, so that no job is claimed in vain.

    Tokens are left out: those of a running call are an estimate, and mostly too high. An instance
    that is not registered yet has no endpoint to hold.
    """
    requests_only = replace(rate, tokens_per_minute=0)
    if not requests_only:
        return
    reached = requests_only.check(_list_recent(connection, instance, now), tokens=0)
    endpoint = connection.scalar(select(instances.c.endpoint).where(instances.c.name == instance))
    if reached is not None and endpoint:
        cause, until = HoldCause(reached.message), reached.free_at
        place(connection, rate_target(endpoint), cause, next_probe_at=until, now=now)


def _list_recent(connection: Connection, instance: str, now: datetime) -> list[RecentCall]:
    """List the calls of the last minute by all instances with the same endpoint, oldest first."""
    calls, own = model_calls.c, instances.alias("own")
    endpoint = select(own.c.endpoint).where(own.c.name == instance).scalar_subquery()
    sharing = select(instances.c.name).where(instances.c.endpoint == endpoint)
    made = select(calls.at, calls.tokens_in + calls.tokens_out).where(
        or_(calls.instance == instance, calls.instance.in_(sharing)),
        calls.at > now - MINUTE,
        # A call that a wrong clock put into the future does not count.
        calls.at <= now + _CLOCK_DIFFERENCE,
        calls.outcome != NOT_CONNECTED,
    )
    return [RecentCall(*row) for row in connection.execute(made.order_by(calls.at))]
