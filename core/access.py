"""Access to the dashboard: permissions, sessions, API tokens, webhooks and failed logins.

The secrets of sessions, tokens, links and webhooks are random; the store keeps only their hashes.
"""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

ADMIN = "admin"
"""The only account with a password."""
WEBHOOK_HEADER = "X-Paperclerk-Secret"
"""Header in which Paperless sends the secret of a webhook."""
_SECRET_BYTES = 32


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


@dataclass(frozen=True, slots=True)
class Webhook:
    """The webhook by which Paperless reports a new document to an instance.

    Only a hash of its secret is stored.
    """

    secret_hash: str
    workflow: int | None
    """Id of the workflow in Paperless; None if a person entered it there."""
    installed_at: datetime
    received_at: datetime | None
    """When Paperless last named documents with the right secret; None: not yet."""


def new_secret(kind: str = "") -> str:
    """Return a new random secret; `kind` is its prefix, for people and secret scanners."""
    return kind + secrets.token_urlsafe(_SECRET_BYTES)


def hash_secret(secret: str) -> str:
    """Return the hash that is stored; a fast one is enough for secrets of 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def derive_secret(secret: str, purpose: str) -> str:
    """Derive another secret, from which the first cannot be computed."""
    return hmac.new(secret.encode(), purpose.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def secrets_equal(left: str, right: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(left.encode("utf-8", "replace"), right.encode("utf-8", "replace"))
