"""Holds: jobs wait, without losing attempts, because of an outage, a limit or a pause."""

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
    """Why something is on hold; it is the first part of a target, before the subject."""

    PAPERLESS = "paperless"
    MODEL = "model"
    LIMIT = "limit"
    PAUSE = "pause"
    ADDRESS = "address"

    @property
    def prefix(self) -> str:
        """The beginning of its targets."""
        return f"{self}:"


PAUSE_ALL = f"{HoldKind.PAUSE.prefix}*"
"""Target of the hold on everything; no instance can have that name."""


def paperless_target(instance: str) -> str:
    """Return the target of a hold on all jobs of `instance` while Paperless is unreachable."""
    return HoldKind.PAPERLESS.prefix + instance


def model_target(endpoint: str) -> str:
    """Return the target of a hold on the model jobs of all instances that use `endpoint`."""
    return HoldKind.MODEL.prefix + endpoint


def limit_target(instance: str) -> str:
    """Return the target of a hold on the model jobs of `instance` while a limit is reached."""
    return HoldKind.LIMIT.prefix + instance


def pause_target(instance: str) -> str:
    """Return the target of a hold on all jobs of `instance` while a person has paused it."""
    return HoldKind.PAUSE.prefix + instance


def address_target(instance: str) -> str:
    """Return the target of a hold on all jobs of `instance` while its new address is checked."""
    return HoldKind.ADDRESS.prefix + instance


def kind_of(target: str) -> HoldKind:
    """Return the kind of a target; raise ValueError if it is not a target."""
    return HoldKind(target.partition(":")[0])


def subject_of(target: str) -> str:
    """Return the instance of a target; for a model, the address of its server."""
    subject = target.removeprefix(kind_of(target).prefix)
    # The address is followed by a hash of the key, which is not meant for people.
    return subject.partition("#")[0] if kind_of(target) is HoldKind.MODEL else subject


def target_message(target: str) -> Message:
    """Return the label of a target; raise ValueError if it is not a target."""
    if target == PAUSE_ALL:
        return message("All instances")
    subject = subject_of(target)
    match kind_of(target):
        case HoldKind.MODEL:
            return message("Model at {address}", address=subject)
        case HoldKind.PAPERLESS | HoldKind.ADDRESS:
            return message('Paperless "{name}"', name=subject)
        case HoldKind.LIMIT | HoldKind.PAUSE:
            return plain(subject)


@dataclass(frozen=True, slots=True)
class HoldTargets:
    """The targets whose holds stop jobs of one instance."""

    all_jobs: frozenset[str]
    """These stop all jobs, and scans."""
    model_jobs: frozenset[str]
    """These stop only jobs that call the model."""

    @property
    def all_targets(self) -> frozenset[str]:
        return self.all_jobs | self.model_jobs

    def for_job(self, kind: str) -> frozenset[str]:
        """Return the targets whose holds stop a job of that kind."""
        return self.all_targets if kind in MODEL_KINDS else self.all_jobs


def targets_of(instance: str, model: str | None = None) -> HoldTargets:
    """Return the targets of an instance; `model` is the target of its model, if known."""
    return HoldTargets(
        all_jobs=frozenset(
            {
                PAUSE_ALL,
                pause_target(instance),
                paperless_target(instance),
                address_target(instance),
            }
        ),
        model_jobs=frozenset({limit_target(instance)} | ({model} if model else set())),
    )


def next_probe_after(probes: int) -> timedelta:
    """Return the delay before the nth probe: one minute more each time, up to five."""
    if probes < 1:
        raise ValueError(f"probes are counted from 1, got {probes}")
    return min(_PROBE_STEP * probes, _SLOWEST_PROBE)


@dataclass(frozen=True, slots=True)
class HoldCause:
    """Why something is on hold: a message for people, and facts for programs."""

    message: Message
    limit: LimitKind | None = None
    """The limit that is reached."""
    is_daily_quota: bool = False
    """Whether the server has a daily quota, so that a long Retry-After is accepted."""
    needs_answer: bool = False
    """Whether the probe must get an answer of the model, not just a list of models."""

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
    """A target that is on hold until it is released."""

    target: str
    cause: HoldCause
    since: datetime
    next_probe_at: datetime | None
    """When to probe whether it can end; None: only a person ends it."""
    probes: int
    """Number of failed probes."""

    @property
    def kind(self) -> HoldKind:
        return kind_of(self.target)

    @property
    def subject(self) -> str:
        """The instance, or the address of the model server."""
        return subject_of(self.target)

    @property
    def is_outage(self) -> bool:
        """Whether a server is unreachable, as opposed to a pause or a limit."""
        return self.kind in {HoldKind.PAPERLESS, HoldKind.MODEL}


def filter_holds(holds: Iterable[Hold], targets: Container[str]) -> tuple[Hold, ...]:
    """Return the holds on these targets."""
    return tuple(hold for hold in holds if hold.target in targets)
