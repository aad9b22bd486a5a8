"""Tell an outage from a document's fault: ask again without a document."""

from dataclasses import replace
from datetime import datetime

from core.holds import HoldCause, limit_target
from core.spending import LimitReached
from paperless_client import OutageSuspected, PermissionMissing
from processor.analysis.errors import KeyRefused, ModelUnavailable, RateLimited
from processor.instance import Instance
from processor.probes import probe_answers, probe_model, probe_paperless, retry_after_of
from processor.verdict import DocumentForbidden, EndpointDown, OverLimit, problem_of
from store import Store


async def explained(error: Exception, instance: Instance, store: Store, now: datetime) -> Exception:
    """Find out what is behind an error: an outage, a limit, or just what it says.

    It is an outage if a probe without a document fails as well. It asks in the way that failed:
    whose key, quota or rate was refused is asked a question.
    """
    match error:
        case LimitReached():
            until = instance.budget.resumes_at(error.kind, now)
            cause = HoldCause(error.message, limit=error.kind)
            return OverLimit(limit_target(instance.name), problem_of(error), cause, until)
        case KeyRefused() | RateLimited():
            down, target = await probe_answers(instance, store), instance.model_target
        case ModelUnavailable():
            down, target = await probe_model(instance), instance.model_target
        case OutageSuspected():
            down, target = await probe_paperless(instance), instance.paperless_target
        case PermissionMissing(document=int()):
            # If nothing can be read at all, the cause is the token, and it may be fixed later.
            down = await probe_paperless(instance)
            return DocumentForbidden(error.message) if down is None else error
        case _:
            return error
    if down is None:
        return error
    said = [one for one in (retry_after_of(error), down.retry_after) if one is not None]
    down = replace(down, retry_after=max(said, default=None))
    return EndpointDown(target, down.problem, down.cause, down.next_probe(1, now=now))
