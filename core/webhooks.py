"""Webhooks: how Paperless tells an instance that a document has arrived."""

from dataclasses import dataclass
from datetime import datetime

SECRET_HEADER = "X-Paperclerk-Secret"  # noqa: S105 - not a secret


@dataclass(frozen=True, slots=True)
class Webhook:
    """The webhook of an instance. Only a hash of its secret is stored."""

    secret_hash: str
    workflow: int | None
    """Id of the workflow in Paperless; None if a person entered it there."""
    installed_at: datetime
    received_at: datetime | None
    """When Paperless last named documents with the right secret; None: not yet."""
