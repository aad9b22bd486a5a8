"""The link that lets someone set the password: the first way in, and the way back in."""

from datetime import datetime, timedelta

from dashboard.auth.proof import hashed, new_proof
from store import Store

GOOD_FOR = timedelta(minutes=30)


async def new_link(store: Store, address: str, *, now: datetime) -> str:
    """Make a link that is good once, for half an hour; the one before it is good no more."""
    proof = new_proof()
    await store.access.issue_link(hashed(proof), expires_at=now + GOOD_FOR)
    return _address(address, proof)


async def first_link(store: Store, address: str, *, now: datetime) -> tuple[str | None, datetime]:
    """Return a new link and its expiry; no link if the previous one is still unused.

    A restart must not invalidate a link that someone has just copied from the log.
    """
    proof, expires_at = new_proof(), now + GOOD_FOR
    valid = await store.access.issue_link_unless_good(hashed(proof), expires_at=expires_at, now=now)
    return (None, valid) if valid else (_address(address, proof), expires_at)


def _address(address: str, proof: str) -> str:
    return f"{address}/welcome?link={proof}"
