"""Random secrets and passwords; the store keeps only hashes of them."""

import asyncio
import hashlib
import hmac
import secrets
from enum import StrEnum

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST = 10
_LONGEST = 1000
_BYTES = 32


class PasswordProblem(StrEnum):
    """Why a new password is not accepted."""

    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    DIFFERENT = "different"
    """It was typed differently the second time."""


def new_secret(kind: str = "") -> str:
    """Return a new random secret; `kind` is its prefix, for people and secret scanners."""
    return kind + secrets.token_urlsafe(_BYTES)


def hash_secret(secret: str) -> str:
    """Return the hash that is stored; a fast one is enough for secrets of 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def derive_secret(secret: str, purpose: str) -> str:
    """Derive another secret, from which the first cannot be computed."""
    return hmac.new(secret.encode(), purpose.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def secrets_equal(left: str, right: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(left.encode("utf-8", "replace"), right.encode("utf-8", "replace"))


def find_password_problem(password: str, again: str) -> PasswordProblem | None:
    """Return why a new password is not accepted; None if it is."""
    if len(password) < SHORTEST:
        return PasswordProblem.TOO_SHORT
    if len(password) > _LONGEST:
        return PasswordProblem.TOO_LONG
    return PasswordProblem.DIFFERENT if password != again else None


class Passwords:
    """Hashes passwords. Each hash takes 64 MB for a moment, so only one is computed at a time."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._lock = asyncio.Lock()

    async def hash(self, password: str) -> str:
        async with self._lock:
            return await asyncio.to_thread(self._hasher.hash, _bytes(password))

    async def matches(self, password: str, password_hash: str) -> bool:
        """Return whether the password matches; one that is too long to be set is not hashed."""
        if len(password) > _LONGEST:
            return False
        async with self._lock:
            return await asyncio.to_thread(self._matches, password, password_hash)

    def is_weak(self, password_hash: str) -> bool:
        """Return whether the hash was made with weaker parameters than today's."""
        return self._hasher.check_needs_rehash(password_hash)

    def _matches(self, password: str, password_hash: str) -> bool:
        try:
            return self._hasher.verify(password_hash, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", "replace")
