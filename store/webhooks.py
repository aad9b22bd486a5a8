"""The webhook of each instance: the hash of its secret, and when it was last received."""

from datetime import datetime

from sqlalchemy import Connection, select, update

from core.access import Webhook
from store.access_tables import webhooks
from store.database import Database
from store.engine import insert_into


class Webhooks:
    """The webhooks of the instances. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.get = read(get)
        self.save = write(save)
        self.record_received = write(record_received)


def get(connection: Connection, instance: str) -> Webhook | None:
    """Return the webhook of an instance; None if none was installed."""
    found = connection.execute(select(webhooks).where(webhooks.c.instance == instance))
    row = found.mappings().first()
    if row is None:
        return None
    return Webhook(row["secret_hash"], row["workflow"], row["installed_at"], row["received_at"])


def save(
    connection: Connection, instance: str, *, secret_hash: str, workflow: int | None, now: datetime
) -> None:
    """Store a webhook that was installed; its former secret is not valid any more."""
    values = {
        "secret_hash": secret_hash,
        "workflow": workflow,
        "installed_at": now,
        "received_at": None,
    }
    new = insert_into(connection, webhooks).values(instance=instance, **values)
    connection.execute(new.on_conflict_do_update(index_elements=["instance"], set_=values))


def record_received(connection: Connection, instance: str, *, now: datetime) -> None:
    """Store that Paperless has named documents."""
    its_webhook = update(webhooks).where(webhooks.c.instance == instance)
    connection.execute(its_webhook.values(received_at=now))
