"""Holds: jobs wait, without losing attempts, because of an outage, a limit or a pause."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from core.jobs import MODEL_KINDS, Priority
from core.messages import Message, message, plain
from core.spending import LimitKind

_PROBE_STEP = timedelta(minutes=1)
_SLOWEST_PROBE = timedelta(minutes=5)
MAX_WAIT = timedelta(hours=1)
"""Maximum time between two probes of an unreachable server, whatever its Retry-After says."""
MAX_QUOTA_WAIT = timedelta(days=1)
"""The same for a model's daily quota."""


class HoldKind(StrEnum):
    """Why something is on hold; it is the first part of a target, before the subject."""

    PAPERLESS = "paperless"
    MODEL = "model"
    LIMIT = "limit"
    HOURS = "hours"
    BACKLOG = "backlog"
    RATE = "rate"
    PAUSE = "pause"
    ADDRESS = "address"

    @property
    def prefix(self) -> str:
        """The beginning of its targets."""
        return f"{self}:"


_OF_ENDPOINTS = frozenset({HoldKind.MODEL, HoldKind.RATE})
"""Their subject is an endpoint, that of the others an instance."""
_TIMED = frozenset({HoldKind.LIMIT, HoldKind.HOURS, HoldKind.BACKLOG, HoldKind.RATE})
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


def hours_target(instance: str) -> str:
    """Return the target of a hold on the model jobs of `instance` outside the model's hours."""
    return HoldKind.HOURS.prefix + instance


def backlog_target(instance: str) -> str:
    """Return the target of the same hold if new documents do not wait for the hours."""
    return HoldKind.BACKLOG.prefix + instance


def rate_target(endpoint: str) -> str:
    """Return the target of a hold on the model jobs of all instances while its rate is reached."""
    return HoldKind.RATE.prefix + endpoint


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
    return subject.partition("#")[0] if kind_of(target) in _OF_ENDPOINTS else subject


def target_message(target: str) -> Message:
    """Return the label of a target; raise ValueError if it is not a target."""
    if target == PAUSE_ALL:
        return message("All instances")
    subject = subject_of(target)
    match kind_of(target):
        case HoldKind.MODEL | HoldKind.RATE:
            return message("Model at {address}", address=subject)
        case HoldKind.PAPERLESS | HoldKind.ADDRESS:
            return message('Paperless "{name}"', name=subject)
        case HoldKind.LIMIT | HoldKind.HOURS | HoldKind.BACKLOG | HoldKind.PAUSE:
            return plain(subject)


@dataclass(frozen=True, slots=True)
class HoldTargets:
    """The targets whose holds stop jobs of one instance."""

    all_jobs: frozenset[str]
    """These stop all jobs, and scans."""
    model_jobs: frozenset[str]
    """These stop only jobs that call the model."""
    backlog_jobs: frozenset[str]
    """These stop only jobs of the backlog that call the model."""

    @property
    def all_targets(self) -> frozenset[str]:
        return self.all_jobs | self.model_jobs | self.backlog_jobs

    def for_job(self, kind: str, priority: int) -> frozenset[str]:
        """Return the targets whose holds stop a job of that kind and priority."""
        return self.all_jobs | self.for_model_call(kind, priority)

    def for_model_call(self, kind: str, priority: int) -> frozenset[str]:
        """Return the targets whose holds stop only the model call of a job."""
        if kind not in MODEL_KINDS:
            return frozenset()
        is_backlog = priority <= Priority.BACKLOG
        return self.model_jobs | (self.backlog_jobs if is_backlog else frozenset())


def targets_of(instance: str, endpoint: str | None = None) -> HoldTargets:
    """Return the targets of an instance; `endpoint` is that of its model, if known."""
    of_endpoint = {model_target(endpoint), rate_target(endpoint)} if endpoint else set()
    return HoldTargets(
        all_jobs=frozenset(
            {
                PAUSE_ALL,
                pause_target(instance),
                paperless_target(instance),
                address_target(instance),
            }
        ),
        model_jobs=frozenset({limit_target(instance), hours_target(instance)} | of_endpoint),
        backlog_jobs=frozenset({backlog_target(instance)}),
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
        return MAX_QUOTA_WAIT if self.is_daily_quota else MAX_WAIT

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

    @property
    def is_timed(self) -> bool:
        """Whether it ends by itself at its time: a limit, a rate, or the model's hours."""
        return self.kind in _TIMED

    def is_over(self, now: datetime) -> bool:
        """Return whether its time has come, and nobody has lifted it yet."""
        return self.is_timed and self.next_probe_at is not None and self.next_probe_at <= now


def filter_holds(holds: Iterable[Hold], targets: Container[str]) -> tuple[Hold, ...]:
    """Return the holds on these targets."""
    return tuple(hold for hold in holds if hold.target in targets)
