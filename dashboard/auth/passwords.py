"""Passwords; the store keeps only a hash."""

import asyncio
from enum import StrEnum

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST = 10
_LONGEST = 1000


class PasswordProblem(StrEnum):
    """Why a new password is not accepted."""

    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    DIFFERENT = "different"
    """It was typed differently the second time."""


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
