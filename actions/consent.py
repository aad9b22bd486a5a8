"""Require a person's consent to a run that costs more than the owner allows without asking.

Timers and automatic retries never get here: they are bound by the limits.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

from actions.caller import Caller
from actions.errors import ConsentRequired
from actions.estimates import (
    EstimateSummary,
    ScanOrder,
    ScanPreviewer,
    estimate_documents,
    estimate_scan,
)
from core.documents import DocumentRef
from core.spending import Consent

ANY_COST = Decimal("Infinity")
"""Confirms whatever the estimate says."""


async def require_scan_consent(
    caller: Caller,
    scanner: ScanPreviewer | None,
    name: str,
    order: ScanOrder,
    up_to: Decimal | None,
) -> Consent | None:
    """Return the consent to a scan that costs more than `limits.consent_above`, None for others.

    Raise ConsentRequired, with the estimate, if it is more than the person has confirmed, or
    PaperlessError. Without a scanner the instance is not connected, and nothing can be spent.
    """
    limits = caller.require_instance(name).limits
    if not limits.consent_above or scanner is None:
        return None
    estimate = await estimate_scan(
        caller.store,
        caller.get_instance(name),
        scanner,
        order,
        limits=limits,
        now=caller.now(),
    )
    return _accept(caller, [estimate], up_to).get(name)


async def require_documents_consent(
    caller: Caller, documents: Iterable[DocumentRef], up_to: Decimal | None
) -> Mapping[str, Consent]:
    """Return the consents to processing documents, by instance; none where none is needed.

    Raise as `require_scan_consent` does. `up_to` is for each instance, in its currency.
    """
    ids: defaultdict[str, list[int]] = defaultdict(list)
    for document in documents:
        ids[document.instance].append(document.id)
    estimates = []
    for name, numbers in ids.items():
        # The jobs of an instance that was removed from the settings cannot run.
        if name in caller.settings and (limits := caller.settings[name].limits).consent_above:
            instance, now = caller.get_instance(name), caller.now()
            estimates.append(
                await estimate_documents(caller.store, instance, numbers, limits=limits, now=now)
            )
    return _accept(caller, estimates, up_to)


def _accept(
    caller: Caller, estimates: Iterable[EstimateSummary], up_to: Decimal | None
) -> Mapping[str, Consent]:
    """Return the caller's consents, by instance; raise ConsentRequired if one is missing."""
    costly = [estimate for estimate in estimates if estimate.needs_consent]
    costs = {estimate.instance: estimate.cost or Decimal() for estimate in costly}
    if any(up_to is None or cost > up_to for cost in costs.values()):
        raise ConsentRequired(costly)
    now = caller.now()
    return {name: Consent(caller.by, now, cost) for name, cost in costs.items()}
