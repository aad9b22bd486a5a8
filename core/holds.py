"""Holds: something rests, because of an outage, a limit or a person, and its jobs lose nothing."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from core.jobs import MODEL_KINDS
from core.messages import Message, message, plain
from core.spending import LimitKind

_PROBE_STEP = timedelta(minutes=1)
_SLOWEST_PROBE = timedelta(minutes=5)
LONGEST_WAIT = timedelta(hours=1)
"""Maximum time between two probes of an unreachable server, whatever its Retry-After says."""
LONGEST_QUOTA_WAIT = timedelta(days=1)
"""The same for a model's daily quota."""


class HoldKind(StrEnum):
    """Why something rests; what follows in a target's name is its subject."""

    PAPERLESS = "paperless"
    MODEL = "model"
    LIMIT = "limit"
    PAUSE = "pause"

    @property
    def prefix(self) -> str:
        """What the names of its targets begin with."""
        return f"{self}:"


PAUSE_ALL = f"{HoldKind.PAUSE.prefix}*"
"""The hold that rests everything. No instance can have that name."""


def paperless_target(instance: str) -> str:
    """Name the hold that rests every job of `instance`, because its Paperless is away."""
    return HoldKind.PAPERLESS.prefix + instance


def model_target(endpoint: str) -> str:
    """Name the hold that rests the model jobs of every instance that uses `endpoint`."""
    return HoldKind.MODEL.prefix + endpoint


def limit_target(instance: str) -> str:
    """Name the hold that rests the model jobs of `instance`, because a limit is reached."""
    return HoldKind.LIMIT.prefix + instance


def pause_target(instance: str) -> str:
    """Name the hold that rests every job of `instance`, because a person wants it so."""
    return HoldKind.PAUSE.prefix + instance


def kind_of(target: str) -> HoldKind:
    """Return of which kind a target is; raise ValueError if it is none."""
    return HoldKind(target.partition(":")[0])


def subject_of(target: str) -> str:
    """Return the instance that a target is about; of a model, the address of its server."""
    subject = target.removeprefix(kind_of(target).prefix)
    # What follows that address is a hash of the key, which tells people nothing.
    return subject.partition("#")[0] if kind_of(target) is HoldKind.MODEL else subject


def target_message(target: str) -> Message:
    """Return what people call a target; raise ValueError if it is none."""
    if target == PAUSE_ALL:
        return message("All instances")
    subject = subject_of(target)
    match kind_of(target):
        case HoldKind.MODEL:
            return message("Model at {address}", address=subject)
        case HoldKind.PAPERLESS:
            return message('Paperless "{name}"', name=subject)
        case HoldKind.LIMIT | HoldKind.PAUSE:
            return plain(subject)


@dataclass(frozen=True, slots=True)
class HoldTargets:
    """What rests the jobs of one instance while it is held."""

    all_jobs: frozenset[str]
    """They rest everything of it, its scans as well."""
    model_jobs: frozenset[str]
    """They rest only what asks its model."""

    @property
    def all_targets(self) -> frozenset[str]:
        return self.all_jobs | self.model_jobs

    def for_job(self, kind: str) -> frozenset[str]:
        """Name what rests a job of that kind."""
        return self.all_targets if kind in MODEL_KINDS else self.all_jobs


def targets_of(instance: str, model: str | None = None) -> HoldTargets:
    """Name what rests the jobs of an instance; `model` is its model's target, if that is known."""
    return HoldTargets(
        all_jobs=frozenset({PAUSE_ALL, pause_target(instance), paperless_target(instance)}),
        model_jobs=frozenset({limit_target(instance)} | ({model} if model else set())),
    )


def next_probe_after(probes: int) -> timedelta:
    """Return the pause before a probe, counted from 1: a minute, two, up to every five."""
    if probes < 1:
        raise ValueError(f"probes are counted from 1, got {probes}")
    return min(_PROBE_STEP * probes, _SLOWEST_PROBE)


@dataclass(frozen=True, slots=True)
class HoldCause:
    """Why something is on hold: a message for people, and the facts that programs decide by."""

    message: Message
    limit: LimitKind | None = None
    """The limit that is reached."""
    is_daily_quota: bool = False
    """Whether the server counts by the day, so that a long wait is believed."""
    needs_answer: bool = False
    """Whether only an answer of the model ends it: a list of its models is not enough."""

    def __str__(self) -> str:
        return str(self.message)

    @property
    def longest_wait(self) -> timedelta:
        """The maximum time between two probes."""
        return LONGEST_QUOTA_WAIT if self.is_daily_quota else LONGEST_WAIT

    def wait_before_probe(self, probes: int, *, retry_after: timedelta | None) -> timedelta:
        """Return the delay before a probe: the server's Retry-After, up to the maximum."""
        return min(retry_after or next_probe_after(probes), self.longest_wait)


@dataclass(frozen=True, slots=True)
class Hold:
    """One target that rests until it is lifted."""

    target: str
    cause: HoldCause
    since: datetime
    next_probe_at: datetime | None
    """When to see whether it can be lifted; None: only a person ends it."""
    probes: int
    """How many probes have failed since it was placed."""

    @property
    def kind(self) -> HoldKind:
        return kind_of(self.target)

    @property
    def subject(self) -> str:
        """What it is about: an instance, or the address of a model server."""
        return subject_of(self.target)

    @property
    def is_outage(self) -> bool:
        """Whether somebody does not answer, rather than that a person or a limit wants it so."""
        return self.kind in {HoldKind.PAPERLESS, HoldKind.MODEL}


def filter_holds(holds: Iterable[Hold], targets: Container[str]) -> tuple[Hold, ...]:
    """Return those of the holds that are on one of these targets."""
    return tuple(hold for hold in holds if hold.target in targets)
