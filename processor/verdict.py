"""Decide what becomes of a job whose attempt failed."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import PurePath
from traceback import extract_tb
from typing import TypeAlias

from core.errors import PaperclerkError, PermanentError, Problem
from core.holds import HoldCause
from core.messages import Message, message
from paperless_client import AnswerTooLarge, DocumentGone, PaperlessError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number of attempts of a job, and the delay between them."""

    max_attempts: int = 3
    step: timedelta = timedelta(minutes=5)

    def wait_after(self, attempt: int) -> timedelta:
        """Return the delay after an attempt, counted from 1: five minutes, then ten, and so on."""
        if attempt < 1:
            raise ValueError(f"attempts are counted from 1, got {attempt}")
        return self.step * attempt


_JITTER = 0.1
_GOLDEN_RATIO = 0.618033988749895


def with_jitter(wait: timedelta, job_id: int) -> timedelta:
    """Return the delay, shortened by up to 10% so that retries after an outage are spread.

    It depends on the job's id, not on chance: neighbours in the queue are spread evenly.
    """
    return wait - wait * (_JITTER * (job_id * _GOLDEN_RATIO % 1))


class TargetOnHold(PaperclerkError):
    """A target is on hold until a time, and the job's attempt is refunded."""

    code = "must_rest"

    def __init__(self, target: str, problem: Problem, cause: HoldCause, until: datetime) -> None:
        super().__init__(problem.message)
        self.target = target
        self.problem = problem
        self.cause = cause
        self.until = until


class EndpointDown(TargetOnHold):
    """A probe without a document failed as well: the fault is not the document's."""

    code = "endpoint_down"


class OverLimit(TargetOnHold):
    """A limit is reached: model calls wait until it resets."""

    code = "over_limit"


class NotYet(PaperclerkError):
    """The job must wait, and nothing has failed; its attempt is refunded."""

    code = "not_yet"

    def __init__(self, why: Message, *, due: datetime | None = None) -> None:
        super().__init__(why)
        self.due = due
        """When it can be tried again; None if a hold decides that."""


class DocumentExcluded(PaperclerkError):
    """The document is not to be processed any more, such as when it got an excluded tag."""

    code = "withdrawn"
    user_message = "This document must not be read: it has an excluded tag."


class ReadOnly(PaperclerkError):
    """The document's owner has not shared it for editing, so nothing could be written."""

    code = "document_read_only"
    user_message = "This document is not shared for editing with the token's user."
    hint = "Share it for editing in Paperless; the next scan will pick it up."


class DocumentForbidden(PermanentError):
    """Paperless refuses requests about this document, while other documents work."""

    code = "document_forbidden"
    user_message = "The token's user may not change this document in Paperless."
    hint = (
        "In Paperless, share the document for editing with the token's user, or give that user "
        "the permission change_document; then retry the job."
    )


@dataclass(frozen=True, slots=True)
class Retry:
    """Retry automatically at this time."""

    at: datetime


@dataclass(frozen=True, slots=True)
class PlaceHold:
    """Put the target on hold; the attempt is refunded."""

    target: str
    problem: Problem
    cause: HoldCause
    until: datetime
    blames_document: bool
    """Whether the attempt counts if the same document caused the last hold too."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """End the job without an error."""

    why: Message


@dataclass(frozen=True, slots=True)
class Forget:
    """The document is gone from Paperless."""


@dataclass(frozen=True, slots=True)
class SkipReadOnly:
    """End the job without an error; the next scan selects the document once it may be edited."""

    why: Message


@dataclass(frozen=True, slots=True)
class Fail:
    """End the job with its error; only a person can retry it."""


Verdict: TypeAlias = Retry | PlaceHold | Cancel | Forget | SkipReadOnly | Fail


def judge(error: Exception, *, attempts: int, now: datetime, policy: RetryPolicy) -> Verdict:
    """Return what happens to a job after `error` in its attempt number `attempts`."""
    match error:
        case DocumentGone():
            return Forget()
        case DocumentExcluded():
            return Cancel(error.message)
        case ReadOnly():
            return SkipReadOnly(error.message)
        case TargetOnHold():
            blames = isinstance(error, EndpointDown)
            return PlaceHold(
                error.target, error.problem, error.cause, error.until, blames_document=blames
            )
        case _ if attempts < policy.max_attempts and not _is_permanent(error):
            # Unexpected errors are retried as well; the number of attempts is limited.
            return Retry(now + policy.wait_after(attempts))
        case _:
            return Fail()


def _is_permanent(error: Exception) -> bool:
    return isinstance(error, PermanentError | AnswerTooLarge)


def problem_of(error: Exception) -> Problem:
    """Return the problem of an error; of an unexpected one, only its class and source line."""
    match error:
        case PaperclerkError() | PaperlessError():
            problem = Problem.from_error(error)
        case _:
            # Without its text: an unexpected error may quote the document.
            frames = extract_tb(error.__traceback__)
            last = frames[-1] if frames else None
            place = f"{PurePath(last.filename).name}:{last.lineno}" if last else "no place"
            where = message("{kind} in {place}", kind=type(error).__name__, place=place)
            problem = Problem("unexpected", where, PaperclerkError.user_message)
    return replace(problem, retryable=not _is_permanent(error))
