"""Events of jobs: written in the transaction of the move, numbered, never changed."""

from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import chain
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnClause,
    ColumnElement,
    Connection,
    Insert,
    Select,
    bindparam,
    column,
    func,
    insert,
    literal_column,
    select,
)

from core.jobs import Event, EventName, Job, JobEvent, request_id
from core.messages import Message, message_to_json
from store.engine import MoveEvent, Step, execute_step
from store.rows import Row, Values, event_of, ref_of
from store.tables import events, jobs

_FACTS = ("job_id", "name", "at", "trace", "data")
_WITH_MESSAGES = (*_FACTS, "messages")
_CLAIM_FACTS = ("worker", "attempts", "claim")


def append(
    connection: Connection, job: Job, name: EventName, *, at: datetime, **data: object
) -> None:
    """Write an event of `job`, in the transaction that caused it."""
    execute_step(connection, event_insert(job, name, at=at, **data))


def event_insert(job: Job, name: EventName, *, at: datetime, **data: object) -> Step:
    """Build the step that writes an event of `job`.

    The text of a message in `data` is stored there; its template and values in `messages`.
    """
    return _build_event_step(job.id, job.trace, name, at, data)


def build_claim_event(at: datetime, written: Values) -> MoveEvent:
    """Build the event of a claim; `written` are the values that it writes to the job's row."""

    def after(row: Row) -> Step:
        claimed = {**row, **written}
        data = {fact: claimed[fact] for fact in _CLAIM_FACTS}
        return _build_event_step(claimed["id"], claimed["trace"], EventName.CLAIMED, at, data)

    return MoveEvent(after, _build_claim_insert)


def append_all(
    connection: Connection,
    name: EventName,
    facts: Mapping[int, Mapping[str, object]],
    *,
    at: datetime,
) -> None:
    """Write one event for each job number in `facts`, in order."""
    request = request_id.get()
    common = {} if request is None else {"request_id": request}
    rows = [
        {"job_id": job_id, "name": name.value, "at": at, "trace": None, "data": {**data, **common}}
        for job_id, data in sorted(facts.items())
    ]
    if rows:
        connection.execute(insert(events), rows)


def list_for_job(connection: Connection, job_id: int) -> tuple[Event, ...]:
    """List the events of a job, oldest first."""
    found = connection.execute(
        select(events).where(events.c.job_id == job_id).order_by(events.c.id)
    )
    return tuple(event_of(row) for row in found.mappings())


def list_for_jobs(
    connection: Connection, job_ids: Collection[int], names: Collection[EventName]
) -> Mapping[int, tuple[Event, ...]]:
    """Return the events of these jobs with one of these names, by job, oldest first."""
    found = select(events).where(
        events.c.job_id.in_(job_ids), events.c.name.in_([name.value for name in names])
    )
    by_job: dict[int, tuple[Event, ...]] = dict.fromkeys(job_ids, ())
    for row in connection.execute(found.order_by(events.c.id)).mappings():
        by_job[row["job_id"]] += (event_of(row),)
    return by_job


def list_after(connection: Connection, event_id: int, *, limit: int = 100) -> tuple[Event, ...]:
    """List the events of all jobs after that one, in the order of commits.

    Ids grow in the order of commits, so a caller that continues after the last one misses nothing.
    """
    later = select(events).where(events.c.id > event_id).order_by(events.c.id).limit(limit)
    return tuple(event_of(row) for row in connection.execute(later).mappings())


def list_for_job_after(
    connection: Connection, job_id: int, *, after: int = 0, limit: int = 100
) -> tuple[Event, ...]:
    """List the events of a job after that one, oldest first."""
    later = select(events).where(events.c.job_id == job_id, events.c.id > after)
    found = connection.execute(later.order_by(events.c.id).limit(limit))
    return tuple(event_of(row) for row in found.mappings())


def list_with_jobs(
    connection: Connection, event_id: int, *, limit: int = 100
) -> tuple[JobEvent, ...]:
    """List the same events as `list_after`, each with its job's document and kind."""
    about = (jobs.c.instance, jobs.c.document_id, jobs.c.kind)
    later = select(events, *about).join(jobs, jobs.c.id == events.c.job_id)
    later = later.where(events.c.id > event_id).order_by(events.c.id).limit(limit)
    return tuple(
        JobEvent(event_of(row), ref_of(row), row["kind"])
        for row in connection.execute(later).mappings()
    )


def get_last_id(connection: Connection) -> int:
    """Return the id of the newest event; 0 if there is none."""
    return connection.scalar(select(func.max(events.c.id))) or 0


def _build_event_step(
    job_id: int, trace: str | None, name: EventName, at: datetime, data: dict[str, object]
) -> Step:
    if (request := request_id.get()) is not None:
        data["request_id"] = request
    messages = {key: value for key, value in data.items() if isinstance(value, Message)}
    stored = {key: message_to_json(value) for key, value in messages.items()}
    values = {
        "new_job_id": job_id,
        "new_name": name.value,
        "new_at": at,
        "new_trace": trace,
        "new_data": data | {key: str(value) for key, value in messages.items()},
        "new_messages": {key: value for key, value in stored.items() if value} or None,
    }
    return Step(_build_insert, values)


def _build_insert(condition: ColumnElement[bool]) -> Insert:
    named = (bindparam(f"new_{fact}", type_=events.c[fact].type) for fact in _WITH_MESSAGES)
    return _build_insert_from(_WITH_MESSAGES, select(*named).where(condition))


def _build_claim_insert(moved: CTE) -> Insert:
    data = chain.from_iterable((literal_column(f"'{fact}'"), _moved(fact)) for fact in _CLAIM_FACTS)
    name = literal_column(f"'{EventName.CLAIMED}'", events.c.name.type)
    values = (_moved("heartbeat_at"), _moved("trace"), func.json_build_object(*data))
    return _build_insert_from(_FACTS, select(_moved("id"), name, *values).select_from(moved))


def _moved(name: str) -> ColumnClause[Any]:
    """Return a column of the moved row."""
    return column(name, jobs.c[name].type)


def _build_insert_from(columns: tuple[str, ...], rows: Select[Any]) -> Insert:
    # Inline: nobody needs the new id, and fetching it takes as long as the rest.
    return insert(events).inline().from_select(columns, rows)
