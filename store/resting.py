"""Which jobs rest because of a hold, and so are neither due nor claimed."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, false, literal_column, not_, or_, select
from sqlalchemy.orm import Session

from core.holds import MODEL, PAPERLESS
from store.tables import holds, instances, jobs

_ASKS_A_MODEL = jobs.c.kind.in_([literal_column("'analyze'"), literal_column("'rehearse'")])


@dataclass(frozen=True, slots=True)
class Resting:
    """The instances that rest, wholly or for want of their model."""

    wholly: Sequence[str]
    without_model: Sequence[str]

    def rests(self) -> ColumnElement[bool]:
        """Hold for the jobs that rest."""
        conditions: list[ColumnElement[bool]] = []
        if self.wholly:
            conditions.append(jobs.c.instance.in_(self.wholly))
        if self.without_model:
            conditions.append(and_(_ASKS_A_MODEL, jobs.c.instance.in_(self.without_model)))
        return or_(false(), *conditions)

    def is_free(self) -> ColumnElement[bool]:
        """Hold for the jobs that do not rest."""
        return not_(self.rests())


def resting_now(session: Session) -> Resting:
    """Look at the holds once; there are hardly ever any, so a claim costs no join."""
    targets = session.scalars(select(holds.c.target)).all()
    endpoints = [target.removeprefix(MODEL) for target in targets if target.startswith(MODEL)]
    return Resting(
        wholly=[t.removeprefix(PAPERLESS) for t in targets if t.startswith(PAPERLESS)],
        without_model=_users_of(session, endpoints) if endpoints else [],
    )


def _users_of(session: Session, endpoints: Sequence[str]) -> Sequence[str]:
    return session.scalars(
        select(instances.c.name).where(instances.c.endpoint.in_(endpoints))
    ).all()
