"""Which jobs rest because of a hold, and so are neither due nor claimed.

It is what `targets_of` says of each instance, asked the other way round; a test compares the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    Exists,
    String,
    and_,
    exists,
    false,
    literal_column,
    not_,
    or_,
    select,
    text,
    true,
)

from core.holds import PAUSE_ALL, HoldKind
from core.jobs import ASKING_A_MODEL
from store.holds import active_targets
from store.tables import BEGUN, UNSETTLED, changes, holds, instances, jobs

_ASKS_A_MODEL = and_(
    jobs.c.kind.in_(literal_column(f"'{kind}'") for kind in sorted(ASKING_A_MODEL)),
    # A job that only checks its begun changes does not call a model.
    jobs.c.ends_as.is_(None),
)
_HAS_BEGUN = jobs.c.id.in_(
    select(changes.c.writer_job_id).where(
        text(f"({BEGUN})"), text(UNSETTLED), changes.c.writer_job_id.is_not(None)
    )
)
"""True for a job that sent a write with an unknown effect: first it reads the document."""


@dataclass(frozen=True, slots=True)
class Resting:
    """The instances that rest, wholly or for want of their model."""

    wholly: tuple[str, ...] = ()
    without_model: tuple[str, ...] = ()
    everything: bool = False

    def rests(self) -> ColumnElement[bool]:
        """Hold for the jobs that rest."""
        conditions: list[ColumnElement[bool]] = [true() if self.everything else false()]
        if self.wholly:
            conditions.append(jobs.c.instance.in_(self.wholly))
        if self.without_model:
            without_model = jobs.c.instance.in_(self.without_model)
            conditions.append(and_(_ASKS_A_MODEL, without_model, ~_HAS_BEGUN))
        return or_(*conditions)

    def is_free(self) -> ColumnElement[bool]:
        """Hold for the jobs that do not rest."""
        return not_(self.rests())


def resting_now(connection: Connection) -> Resting:
    """Look at the holds once; there are hardly ever any, so a claim costs no join."""
    targets = active_targets(connection)
    endpoints = _named(targets, HoldKind.MODEL)
    users = _users_of(connection, endpoints) if endpoints else []
    return Resting(
        wholly=(*_named(targets, HoldKind.PAPERLESS), *_named(targets, HoldKind.PAUSE)),
        without_model=(*users, *_named(targets, HoldKind.LIMIT)),
        everything=PAUSE_ALL in targets,
    )


def _named(targets: Sequence[str], kind: HoldKind) -> list[str]:
    """Return what stands behind the kind in the names of such targets, to the last character."""
    prefix = kind.prefix
    return [target.removeprefix(prefix) for target in targets if target.startswith(prefix)]


def _users_of(connection: Connection, endpoints: Sequence[str]) -> Sequence[str]:
    return connection.scalars(
        select(instances.c.name).where(instances.c.endpoint.in_(endpoints))
    ).all()


def is_free_now(instance: ColumnElement[str]) -> ColumnElement[bool]:
    """Hold for the jobs of `instance` that no hold stops, by the holds of this very moment."""
    paused, away = _target(HoldKind.PAUSE, instance), _target(HoldKind.PAPERLESS, instance)
    stopped = _rests(_text(PAUSE_ALL), paused, away)
    its_model = _rests(_target(HoldKind.MODEL, instances.c.endpoint))
    limited = _rests(_target(HoldKind.LIMIT, instance))
    speechless = or_(limited, its_model.where(instances.c.name == instance))
    return and_(~stopped, or_(~_ASKS_A_MODEL, ~speechless, _HAS_BEGUN))


def _rests(*targets: ColumnElement[str]) -> Exists:
    return exists().where(holds.c.target.in_(targets), holds.c.lifted_at.is_(None))


def _target(kind: HoldKind, subject: ColumnElement[str]) -> ColumnElement[str]:
    return _text(kind.prefix) + subject


def _text(constant: str) -> ColumnElement[str]:
    # As a literal: the claim has parameters enough.
    return literal_column(f"'{constant}'", String)
