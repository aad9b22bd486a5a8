"""Tell an outage from a document's fault: ask again without a document."""

from datetime import timedelta

from core.errors import Problem
from paperless_client import OutageSuspected, PaperlessError
from processor.analysis.errors import ModelError, ModelNotFound, ModelUnavailable
from processor.instance import Instance
from processor.verdict import EndpointDown, problem_of


async def confirm_outage(error: Exception, instance: Instance) -> Exception:
    """Return EndpointDown if a probe without a document fails as well, else the error itself."""
    match error:
        case ModelUnavailable():
            down, target = await probe_model(instance), instance.model_target
        case OutageSuspected():
            down, target = await probe_paperless(instance), instance.paperless_target
        case _:
            return error
    return error if down is None else EndpointDown(target, down, _retry_after(error))


async def probe_paperless(instance: Instance) -> Problem | None:
    """Return what is wrong with the instance's Paperless; None if it answers."""
    try:
        await instance.paperless.probe()
    except PaperlessError as error:
        return problem_of(error)
    return None


async def probe_model(instance: Instance) -> Problem | None:
    """Return what is wrong with the instance's model server; None if it answers."""
    model = instance.ladder.server.endpoint.model
    try:
        offered = await instance.ladder.server.models()
    except ModelError as error:
        return problem_of(error)
    if offered and model not in offered:
        return problem_of(ModelNotFound(f"the model server has no model {model}"))
    return None


def _retry_after(error: Exception) -> timedelta | None:
    return getattr(error, "retry_after", None)
