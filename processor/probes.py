"""Ask without a document whether somebody answers: what fails then is no document's fault."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.errors import Problem
from core.holds import HoldCause
from core.messages import message
from paperless_client import PaperlessError, PaperlessUnavailable
from processor.analysis.errors import ModelError, ModelNotFound, ModelUnavailable, NotSupported
from processor.instance import Instance
from processor.trial import Trial
from processor.verdict import problem_of
from store import Store

_SILENT = message("no answer in time")


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a probe found wrong."""

    problem: Problem
    cause: HoldCause
    retry_after: timedelta | None = None
    """How long the server wants to be left alone; None if it did not say."""

    def next_probe(self, probes: int, *, now: datetime) -> datetime:
        """Return when to ask again: at a probe's turn, or when the server said to come back."""
        return now + self.cause.wait_before_probe(probes, retry_after=self.retry_after)


async def probe_paperless(instance: Instance) -> Trouble | None:
    """Return what is wrong with the instance's Paperless; None if it answers."""
    try:
        async with asyncio.timeout(instance.patience.probe.total_seconds()):
            await instance.paperless.probe()
    except PaperlessError as error:
        return _trouble(error)
    except TimeoutError:
        return _trouble(PaperlessUnavailable(message("reach Paperless"), _SILENT))
    return None


async def probe_model(instance: Instance) -> Trouble | None:
    """Return what is wrong with the instance's model server; None if it lists the model."""
    model = instance.ladder.server.endpoint.model
    try:
        async with asyncio.timeout(instance.patience.probe.total_seconds()):
            offered = await instance.ladder.server.models()
    except ModelError as error:
        return _trouble(error)
    except TimeoutError:
        return _trouble(ModelUnavailable(_SILENT))
    if offered and model not in offered:
        return _trouble(ModelNotFound(message("the model server has no model {name}", name=model)))
    return None


async def probe_answers(instance: Instance, store: Store) -> Trouble | None:
    """Return why the instance's model answers no question; None if it answers one.

    Many servers list their models also to whom they answer nothing: without a key, without quota,
    above a rate limit. The question is tiny, and is asked only if the list is there.
    """
    trouble = await probe_model(instance) or await _probe_by_question(instance, store)
    if trouble is None:
        return None
    said = message("no question is answered: {said}", said=trouble.cause.message)
    return replace(
        trouble,
        problem=replace(trouble.problem, message=said),
        cause=replace(trouble.cause, message=said, needs_answer=True),
    )


async def _probe_by_question(instance: Instance, store: Store) -> Trouble | None:
    try:
        async with asyncio.timeout(instance.patience.question.total_seconds()):
            await instance.ladder.try_out(ledger=Trial(store, instance))
    except ModelUnavailable as error:
        return _trouble(error)
    except TimeoutError:
        return _trouble(ModelUnavailable(_SILENT))
    except (ModelError, NotSupported):
        # It is the question that the server dislikes, and who would answer none says so first.
        return None
    return None


def _trouble(error: Exception) -> Trouble:
    problem = problem_of(error)
    # What was attempted when it was noticed is of no interest to who reads the cause.
    said = error.reason if isinstance(error, PaperlessError) else problem.message
    is_daily = isinstance(error, ModelUnavailable) and error.is_daily_quota
    return Trouble(problem, HoldCause(said, is_daily_quota=is_daily), retry_after_of(error))


def retry_after_of(error: Exception) -> timedelta | None:
    """Return how long a server wants to be left alone; None if it did not say."""
    return getattr(error, "retry_after", None)
