"""API tokens: made once, shown once."""

from dataclasses import replace
from datetime import datetime

from core.access import ApiToken, NewToken
from core.text import tidy
from dashboard.auth.proof import hashed, new_proof
from store import Store

KIND = "pck_"
"""How every token begins, so that people and secret scanners know one when they see it."""


async def create_token(store: Store, new: NewToken, *, now: datetime) -> tuple[str, ApiToken]:
    """Make a token; return it with what is kept of it.

    Raise TokenNameTaken or TokenNameReserved.
    """
    token = new_proof(KIND)
    # A name is typed again, and read aloud: it has nothing in it that cannot be seen.
    new = replace(new, name=tidy(new.name))
    return token, await store.access.tokens.create(new, hashed(token), now=now)
