"""API tokens: made once, shown once."""

from datetime import datetime

from core.access import ApiToken, NewToken
from dashboard.access.proof import hashed, new_proof
from store import Store

KIND = "pck_"
"""How every token begins, so that people and secret scanners know one when they see it."""


async def create_token(store: Store, new: NewToken, *, now: datetime) -> tuple[str, ApiToken]:
    """Make a token; return it with what is kept of it. Raise TokenNameTaken."""
    token = new_proof(KIND)
    return token, await store.access.tokens.create(new, hashed(token), now=now)
