"""Request a scan; the daemon runs it."""

from actions.caller import Caller
from core.jobs import ANALYZE
from core.scans import Scan
from core.spending import Consent
from store import ScanRunning


async def request_scan(
    caller: Caller,
    instance: str,
    *,
    kind: str = ANALYZE,
    limit: int | None = None,
    consent: Consent | None = None,
) -> Scan:
    """Request a scan; if one is already requested or running, return that one.

    Raise ScanRunning if that one is of another kind, such as a dry run.
    """
    caller.require_instance(instance)
    scan = await caller.store.scans.request(
        instance, asked_by=caller.by, kind=kind, limit=limit, consent=consent, now=caller.now()
    )
    if not scan.satisfies(kind, limit):
        raise ScanRunning(scan)
    return scan
