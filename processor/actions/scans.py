"""Ask for a scan; the daemon does it, and nobody waits for it here."""

from core.jobs import ANALYZE
from core.scans import Scan
from processor.actions.caller import Caller


async def request_scan(
    caller: Caller, instance: str, *, kind: str = ANALYZE, limit: int | None = None
) -> Scan:
    """Ask for a scan; if one is asked for or under way already, that one is returned."""
    caller.require(instance)
    return await caller.store.scans.request(
        instance, asked_by=caller.by, kind=kind, limit=limit, now=caller.now()
    )
