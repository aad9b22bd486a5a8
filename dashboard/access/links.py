"""The link that lets someone set the password: the first way in, and the way back in."""

from datetime import datetime, timedelta

from dashboard.access.proof import hashed, new_proof
from store import Store

GOOD_FOR = timedelta(minutes=30)


async def new_link(store: Store, address: str, *, now: datetime) -> str:
    """Make a link that is good once, for half an hour; the one before it is good no more."""
    proof = new_proof()
    await store.access.issue_link(hashed(proof), expires_at=now + GOOD_FOR)
    return f"{address}/welcome?link={proof}"
