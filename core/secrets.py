"""Random secrets of sessions, tokens, links and webhooks; the store keeps only hashes of them."""

import hashlib
import hmac
import secrets

_BYTES = 32


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
