"""Who may come in: rights, sessions, API tokens, and when someone has to wait at the door."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

ADMIN = "admin"
"""The one account that has a password."""


class Permission(IntEnum):
    """What one may do; each includes the ones before it."""

    READ = 1
    ACT = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that someone logged in with. What it shows as proof is kept as a hash."""

    id: int
    account: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    user_agent: str


@dataclass(frozen=True, slots=True)
class NewToken:
    """An API token about to be made: what it is for, and how far it reaches."""

    name: str
    right: Permission
    instances: frozenset[str] | None = None
    """The instances that it may see; None means all."""


@dataclass(frozen=True, slots=True)
class ApiToken:
    """What a program comes in with. The token itself is known to its owner alone."""

    id: int
    name: str
    right: Permission
    instances: frozenset[str] | None
    created_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who attempts to log in, as far as known."""

    address: str
    device: str = ""
    """Hash of the cookie from an earlier login; "" if the browser sent none."""


@dataclass(frozen=True, slots=True)
class LoginLimits:
    """Maximum number of wrong passwords within a time span.

    A device that has logged in before is counted separately: others, at its address or elsewhere,
    cannot lock it out. Its limit is that of one address.
    """

    per_address: int = 5
    in_total: int = 50
    span: timedelta = timedelta(minutes=15)

    def locked_until(
        self, here: Sequence[datetime], everywhere: Sequence[datetime], *, now: datetime
    ) -> datetime | None:
        """Return until when nobody may try from here; None if one may now.

        Both lists are of tries, oldest first. The door opens again when the tries that filled
        the measure are a span ago.
        """
        ends = [
            ends_at
            for tries, most in ((here, self.per_address), (everywhere, self.in_total))
            if len(tries) >= most and (ends_at := tries[-most] + self.span) > now
        ]
        return max(ends, default=None)
