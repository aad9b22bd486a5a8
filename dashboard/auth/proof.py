"""What someone shows to be known: random, long, and kept by us only as a hash."""

import hashlib
import hmac
import secrets

_BYTES = 32


def new_proof(kind: str = "") -> str:
    """Make one that nobody can guess; `kind` stands before it, for people and secret scanners."""
    return kind + secrets.token_urlsafe(_BYTES)


def hashed(proof: str) -> str:
    """Return what is stored. A quick hash will do: there are too many proofs to try them."""
    return hashlib.sha256(proof.encode("utf-8", "replace")).hexdigest()


def derived(proof: str, purpose: str) -> str:
    """Make another proof out of one; from it the first cannot be found."""
    return hmac.new(proof.encode(), purpose.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare in a time that tells nothing of where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
