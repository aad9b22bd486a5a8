"""Kinds of jobs: what a job of that kind is told, and who does it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from core.changes import Change, Plan
from core.errors import Hopeless
from core.jobs import Job
from core.messages import message
from processor.attempt import Attempt
from processor.instance import Instance

Payload = TypeVar("Payload", bound=BaseModel)


class UnknownKind(Hopeless):
    """Nobody here can do a job of that kind."""

    code = "unknown_kind"
    user_message = "This version of Paperclerk does not know that kind of job."


class BadPayload(Hopeless):
    """What the job is told is not what its kind needs."""

    code = "bad_payload"
    user_message = "The job's instructions cannot be read."


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a job, for whoever watches; everything in it is stored as well."""

    plan: Plan | None = None
    changes: tuple[Change, ...] = ()
    """Changes as they ended."""
    kept: tuple[Change, ...] = ()
    """Changes that an undo left alone, because someone changed the value since."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[Payload]):
    """A kind of job."""

    name: str
    payload: type[Payload]
    handle: Callable[[Attempt, Instance, Payload], Awaitable[Report]]

    async def do(self, attempt: Attempt, instance: Instance) -> Report:
        """Do the attempt's job; raise BadPayload if it cannot be understood."""
        return await self.handle(attempt, instance, self._read(attempt.job))

    def _read(self, job: Job) -> Payload:
        try:
            return self.payload.model_validate(dict(job.payload))
        except ValidationError as error:
            # Without the values: a payload may hold what nobody else should read.
            wrong = ", ".join(".".join(map(str, one["loc"])) for one in error.errors())
            raise BadPayload(
                message(
                    "the payload of job {job} is not valid: {places}", job=str(job.id), places=wrong
                )
            ) from None


Kinds: TypeAlias = Mapping[str, Kind[Any]]


def by_name(*kinds: Kind[Any]) -> Kinds:
    return {kind.name: kind for kind in kinds}


def kind_of(job: Job, kinds: Kinds) -> Kind[Any]:
    """Return the kind of a job, or raise UnknownKind."""
    if job.kind not in kinds:
        raise UnknownKind(
            message("job {job} is of the unknown kind {kind}", job=str(job.id), kind=job.kind)
        )
    return kinds[job.kind]
