"""Tell an outage from a document's fault: ask again without a document."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.errors import Problem
from core.holds import limit_target, next_probe_after
from core.spending import LimitReached
from paperless_client import OutageSuspected, PaperlessError, PaperlessUnavailable
from processor.analysis.errors import ModelError, ModelNotFound, ModelUnavailable
from processor.instance import Instance
from processor.verdict import EndpointDown, OverLimit, problem_of

_SILENT = "no answer in time"


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a probe found wrong."""

    problem: Problem
    retry_after: timedelta | None = None
    """How long the server wants to be left alone; None if it did not say."""

    def next_probe(self, probes: int, *, now: datetime) -> datetime:
        """Return when to ask again: at a probe's turn, or when the server said to come back."""
        return now + (self.retry_after or next_probe_after(probes))


async def explained(error: Exception, instance: Instance, *, now: datetime) -> Exception:
    """Find out what is behind an error: an outage, a limit, or just what it says.

    It is an outage if a probe without a document fails as well.
    """
    match error:
        case LimitReached():
            until = instance.budget.resumes_at(error.kind, now)
            return OverLimit(limit_target(instance.name), problem_of(error), until)
        case ModelUnavailable():
            down, target = await probe_model(instance), instance.model_target
        case OutageSuspected():
            down, target = await probe_paperless(instance), instance.paperless_target
        case _:
            return error
    if down is None:
        return error
    said = [one for one in (_retry_after(error), down.retry_after) if one is not None]
    down = replace(down, retry_after=max(said, default=None))
    return EndpointDown(target, down.problem, down.next_probe(1, now=now))


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
    """Return what is wrong with the instance's model server; None if it answers."""
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


def _trouble(error: Exception) -> Trouble:
    return Trouble(problem_of(error), _retry_after(error))


def _retry_after(error: Exception) -> timedelta | None:
    return getattr(error, "retry_after", None)
