"""How instances stand: all that is asked about several of them, in one look."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection, func, select

from core.holds import HoldKind, kind_of, targets_of
from core.jobs import JobStatus
from core.scans import KnownInstance, Scan
from store.holds import active_targets
from store.queue.claims import held_by_instance
from store.rows import instance_of
from store.scans import newest_two
from store.spending import spent_lately
from store.statistics import for_review
from store.tables import instances, jobs

_OF_INTEREST = (JobStatus.PENDING, JobStatus.PROCESSING, JobStatus.FAILED)
"""The others are history, and to count that takes the longer the more there is."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How one instance stands."""

    known: KnownInstance | None
    """None before its first start."""
    newest_scan: Scan | None
    last_ended_scan: Scan | None
    stopped_by: frozenset[HoldKind]
    """Why no work is done, not even a scan; empty if nothing prevents it."""
    held: int
    """How many of the pending jobs rest because of a hold."""
    for_review: int
    """Documents with something that waits for a person."""
    documents_today: int
    cost_this_month: Decimal
    jobs: Mapping[JobStatus, int] = field(default_factory=dict)
    """Those that wait, are worked on, or failed; without those that are done."""


def standings(
    connection: Connection, names: Sequence[str], day: datetime, month: datetime
) -> Mapping[str, Standing]:
    """Say how these instances stand, with as many questions however many they are."""
    known = _known(connection, names)
    scans = newest_two(connection, names)
    counted = _counted(connection, names)
    held = held_by_instance(connection, names)
    waiting = for_review(connection, names)
    held_targets = frozenset(active_targets(connection))
    documents, costs = spent_lately(connection, names, day, month)
    return {
        name: Standing(
            known=known.get(name),
            newest_scan=next((one for one in scans if one.instance == name), None),
            last_ended_scan=next((one for one in scans if _is_ended(one, name)), None),
            stopped_by=frozenset(map(kind_of, held_targets & targets_of(name).wholly)),
            held=held.get(name, 0),
            for_review=waiting[name],
            documents_today=documents.get(name, 0),
            cost_this_month=costs.get(name, Decimal(0)),
            jobs={status: counted.get((name, status), 0) for status in _OF_INTEREST},
        )
        for name in names
    }


def _is_ended(scan: Scan, instance: str) -> bool:
    return scan.instance == instance and scan.finished_at is not None


def _known(connection: Connection, names: Sequence[str]) -> Mapping[str, KnownInstance]:
    found = connection.execute(select(instances).where(instances.c.name.in_(names))).mappings()
    return {row["name"]: instance_of(row) for row in found}


def _counted(connection: Connection, names: Sequence[str]) -> Mapping[tuple[str, JobStatus], int]:
    by = (jobs.c.instance, jobs.c.status)
    statuses = [status.value for status in _OF_INTEREST]
    counted = select(*by, func.count()).where(
        jobs.c.instance.in_(names), jobs.c.status.in_(statuses)
    )
    found = connection.execute(counted.group_by(*by))
    return {(name, JobStatus(status)): count for name, status, count in found}
