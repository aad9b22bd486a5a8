"""Access to the dashboard: permissions, sessions, API tokens and limits of failed logins."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

ADMIN = "admin"
"""The only account with a password."""


class Permission(IntEnum):
    """What a user or token may do; each includes the ones before it."""

    READ = 1
    ACT = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that is logged in. Only a hash of its secret is stored."""

    id: int
    account: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    user_agent: str


@dataclass(frozen=True, slots=True)
class NewToken:
    """An API token to be created."""

    name: str
    right: Permission
    instances: frozenset[str] | None = None
    """The instances that it has access to; None means all."""


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A stored API token. Only a hash of its secret is stored."""

    id: int
    name: str
    right: Permission
    instances: frozenset[str] | None
    created_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Visitor:
    """The origin of a login attempt."""

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
        """Return until when logins from here are locked; None if they are not.

        Both lists hold the times of failed logins, oldest first. The lock ends when the oldest
        one that counts is a span ago.
        """
        ends = [
            ends_at
            for tries, most in ((here, self.per_address), (everywhere, self.in_total))
            if len(tries) >= most and (ends_at := tries[-most] + self.span) > now
        ]
        return max(ends, default=None)
