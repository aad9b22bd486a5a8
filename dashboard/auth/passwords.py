"""What someone shows to be known: random, long, and kept by us only as a hash."""

import asyncio
import hashlib
import hmac
import secrets
from enum import StrEnum

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_BYTES = 32


def new_secret(kind: str = "") -> str:
    """Make one that nobody can guess; `kind` stands before it, for people and secret scanners."""
    return kind + secrets.token_urlsafe(_BYTES)


def hash_secret(proof: str) -> str:
    """Return what is stored. A quick hash will do: there are too many proofs to try them."""
    return hashlib.sha256(proof.encode("utf-8", "replace")).hexdigest()


def derive_secret(proof: str, purpose: str) -> str:
    """Make another proof out of one; from it the first cannot be found."""
    return hmac.new(proof.encode(), purpose.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def secrets_equal(one: str, other: str) -> bool:
    """Compare in a time that tells nothing of where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


SHORTEST = 10
_LONGEST = 1000


class PasswordProblem(StrEnum):
    """Why a new password is not taken."""

    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    DIFFERENT = "different"
    """It was typed differently the second time."""


def find_password_problem(password: str, again: str) -> PasswordProblem | None:
    """Say why a new password is not taken; None if it is."""
    if len(password) < SHORTEST:
        return PasswordProblem.TOO_SHORT
    if len(password) > _LONGEST:
        return PasswordProblem.TOO_LONG
    return PasswordProblem.DIFFERENT if password != again else None


class Passwords:
    """Makes and compares hashes. Each takes 64 MB for a moment, so no two are made at once."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._turn = asyncio.Lock()

    async def hash(self, password: str) -> str:
        async with self._turn:
            return await asyncio.to_thread(self._hasher.hash, _bytes(password))

    async def matches(self, password: str, password_hash: str) -> bool:
        """Tell whether it is the password; one that nobody could have set is not looked at."""
        if len(password) > _LONGEST:
            return False
        async with self._turn:
            return await asyncio.to_thread(self._matches, password, password_hash)

    def is_weak(self, password_hash: str) -> bool:
        """Tell whether the hash was made with less effort than we take today."""
        return self._hasher.check_needs_rehash(password_hash)

    def _matches(self, password: str, password_hash: str) -> bool:
        try:
            return self._hasher.verify(password_hash, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", "replace")
