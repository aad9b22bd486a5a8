"""Tell an outage from a document's fault: ask again without a document."""

import asyncio
from datetime import datetime, timedelta

from core.errors import Problem
from core.holds import limit_target, next_probe_after
from core.spending import LimitReached
from paperless_client import OutageSuspected, PaperlessError, PaperlessUnavailable
from processor.analysis.errors import ModelError, ModelNotFound, ModelUnavailable
from processor.instance import Instance
from processor.verdict import EndpointDown, OverLimit, problem_of

_SILENT = "no answer in time"


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
    return EndpointDown(target, down, now + (_retry_after(error) or next_probe_after(1)))


async def probe_paperless(instance: Instance) -> Problem | None:
    """Return what is wrong with the instance's Paperless; None if it answers."""
    try:
        async with asyncio.timeout(instance.patience.probe.total_seconds()):
            await instance.paperless.probe()
    except PaperlessError as error:
        return problem_of(error)
    except TimeoutError:
        return problem_of(PaperlessUnavailable("probe Paperless", _SILENT))
    return None


async def probe_model(instance: Instance) -> Problem | None:
    """Return what is wrong with the instance's model server; None if it answers."""
    model = instance.ladder.server.endpoint.model
    try:
        async with asyncio.timeout(instance.patience.probe.total_seconds()):
            offered = await instance.ladder.server.models()
    except ModelError as error:
        return problem_of(error)
    except TimeoutError:
        return problem_of(ModelUnavailable(f"could not list the models: {_SILENT}"))
    if offered and model not in offered:
        return problem_of(ModelNotFound(f"the model server has no model {model}"))
    return None


def _retry_after(error: Exception) -> timedelta | None:
    return getattr(error, "retry_after", None)
