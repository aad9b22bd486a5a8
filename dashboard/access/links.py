"""The link that lets someone set the password: the first way in, and the way back in."""

from datetime import datetime, timedelta
from ipaddress import ip_address

from dashboard.access.proof import hashed, new_proof
from store import Store

GOOD_FOR = timedelta(minutes=30)


async def new_link(store: Store, address: str, *, now: datetime) -> str:
    """Make a link that is good once, for half an hour; the one before it is good no more."""
    proof = new_proof()
    await store.access.issue_link(hashed(proof), expires_at=now + GOOD_FOR)
    return f"{address}/welcome?link={proof}"


def address_of(host: str, port: int, base_path: str) -> str:
    """Return the address of the dashboard as a browser on this machine would write it."""
    listens = ip_address(host)
    name = "localhost" if listens.is_unspecified else f"[{host}]" if listens.version == 6 else host
    # Any port that is free: which one, only the daemon knows, and its log tells.
    return f"http://{name}:{port or 'PORT'}{base_path}"
