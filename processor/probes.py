"""Ask without a document whether somebody answers: what fails then is no document's fault."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.errors import Problem
from core.holds import wait_before_probe
from paperless_client import PaperlessError, PaperlessUnavailable
from processor.analysis.errors import ModelError, ModelNotFound, ModelUnavailable, NotSupported
from processor.instance import Instance
from processor.trial import Trial
from processor.verdict import problem_of
from store import Store

_SILENT = "no answer in time"
_NO_QUESTION = "no question is answered: "


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a probe found wrong."""

    problem: Problem
    retry_after: timedelta | None = None
    """How long the server wants to be left alone; None if it did not say."""

    def next_probe(self, probes: int, *, now: datetime) -> datetime:
        """Return when to ask again: at a probe's turn, or when the server said to come back."""
        cause = self.problem.message
        return now + wait_before_probe(probes, retry_after=self.retry_after, cause=cause)


async def probe_paperless(instance: Instance) -> Trouble | None:
    """Return what is wrong with the instance's Paperless; None if it answers."""
    try:
        async with asyncio.timeout(instance.patience.probe.total_seconds()):
            await instance.paperless.probe()
    except PaperlessError as error:
        return _trouble(error)
    except TimeoutError:
        return _trouble(PaperlessUnavailable("probe Paperless", _SILENT))
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
        return _trouble(ModelUnavailable(f"could not list the models: {_SILENT}"))
    if offered and model not in offered:
        return _trouble(ModelNotFound(f"the model server has no model {model}"))
    return None


async def probe_answers(instance: Instance, store: Store) -> Trouble | None:
    """Return why the instance's model answers no question; None if it answers one.

    Many servers list their models also to whom they answer nothing: without a key, without quota,
    above a rate limit. The question is tiny, and is asked only if the list is there.
    """
    trouble = await probe_model(instance) or await _probe_by_question(instance, store)
    if trouble is None:
        return None
    told = replace(trouble.problem, message=_NO_QUESTION + trouble.problem.message)
    return replace(trouble, problem=told)


def is_about_answers(cause: str) -> bool:
    """Tell whether it takes an answer to end what rests for this cause: a list is not enough."""
    return cause.startswith(_NO_QUESTION)


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
    return Trouble(problem_of(error), retry_after_of(error))


def retry_after_of(error: Exception) -> timedelta | None:
    """Return how long a server wants to be left alone; None if it did not say."""
    return getattr(error, "retry_after", None)
