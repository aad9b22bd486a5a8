"""Instances: first start, address, model endpoint, next scan, webhook, faults of their search."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update
from sqlmodel import Field, SQLModel

from core.access import Webhook
from core.archive import IndexChoice
from core.scans import KnownInstance
from store.columns import BigId, CleanText, UtcTime
from store.database import Database
from store.engine import insert_into
from store.errors import InstanceNotFound
from store.rows import instance_of
from store.statistics import get_figures
from store.tables import instances, search_faults, table_of


class WebhookRow(SQLModel, table=True):
    """The webhook of an instance."""

    __tablename__ = "webhooks"

    instance: str = Field(primary_key=True, sa_type=CleanText)
    secret_hash: str = Field(sa_type=CleanText)
    workflow: int | None = Field(default=None, sa_type=BigId)
    installed_at: datetime = Field(sa_type=UtcTime)
    received_at: datetime | None = Field(default=None, sa_type=UtcTime)


webhooks = table_of(WebhookRow)


class Instances:
    """The registered Paperless servers. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.register = write(register)
        self.set_url = write(set_url)
        self.get = read(get)
        self.list_all = read(list_all)
        self.get_figures = read(get_figures)
        self.plan_scan = write(plan_scan)
        self.choose_index = write(choose_index)


@dataclass(frozen=True, slots=True)
class SearchFault:
    """When the search was last found broken, and for which document."""

    document: int
    noticed_at: datetime


class SearchFaults:
    """At most one fault per instance. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.get = read(get_fault)
        self.record = write(record_fault)
        self.clear = write(clear_fault)


class Webhooks:
    """The webhooks of the instances. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.get = read(get_webhook)
        self.save = write(save_webhook)
        self.record_received = write(record_webhook_received)


def register(
    connection: Connection, name: str, *, endpoint: str, now: datetime, url: str | None = None
) -> KnownInstance:
    """Register an instance at start, with the endpoint from its current settings.

    A stored address is kept: it may have to be confirmed first that the documents are the same.
    """
    new = insert_into(connection, instances).values(
        name=name, endpoint=endpoint, first_started_at=now, url=url
    )
    known = new.on_conflict_do_update(
        index_elements=["name"],
        set_={"endpoint": endpoint, "url": func.coalesce(instances.c.url, new.excluded.url)},
    )
    return instance_of(connection.execute(known.returning(instances)).mappings().one())


def set_url(connection: Connection, name: str, url: str) -> None:
    """Store the address whose documents are those that are known."""
    connection.execute(update(instances).where(instances.c.name == name).values(url=url))


def get(connection: Connection, name: str) -> KnownInstance | None:
    """Return an instance; None if it was never registered."""
    row = connection.execute(select(instances).where(instances.c.name == name)).mappings().first()
    return None if row is None else instance_of(row)


def list_all(connection: Connection) -> tuple[KnownInstance, ...]:
    """List all instances that were ever registered, by name."""
    known = connection.execute(select(instances).order_by(instances.c.name))
    return tuple(instance_of(row) for row in known.mappings())


def plan_scan(
    connection: Connection, name: str, *, cron: str, next_scan_at: datetime
) -> KnownInstance:
    """Store when the next scan is due, and its cron expression. Raise InstanceNotFound."""
    planned = update(instances).where(instances.c.name == name)
    planned = planned.values(cron=cron, next_scan_at=next_scan_at).returning(instances)
    row = connection.execute(planned).mappings().first()
    if row is None:
        raise InstanceNotFound(name)
    return instance_of(row)


def choose_index(connection: Connection, name: str, choice: IndexChoice) -> KnownInstance:
    """Store whether the whole archive may be indexed. Raise InstanceNotFound."""
    chosen = update(instances).where(instances.c.name == name)
    chosen = chosen.values(index_choice=choice.value).returning(instances)
    row = connection.execute(chosen).mappings().first()
    if row is None:
        raise InstanceNotFound(name)
    return instance_of(row)


def get_fault(connection: Connection, instance: str) -> SearchFault | None:
    of_instance = select(search_faults).where(search_faults.c.instance == instance)
    row = connection.execute(of_instance).mappings().first()
    return None if row is None else SearchFault(row["document_id"], row["noticed_at"])


def record_fault(connection: Connection, instance: str, fault: SearchFault) -> None:
    """Store a fault; it replaces an earlier one."""
    values = {"document_id": fault.document, "noticed_at": fault.noticed_at}
    new = insert_into(connection, search_faults).values(instance=instance, **values)
    connection.execute(new.on_conflict_do_update(index_elements=["instance"], set_=values))


def clear_fault(connection: Connection, instance: str) -> None:
    connection.execute(delete(search_faults).where(search_faults.c.instance == instance))


def get_webhook(connection: Connection, instance: str) -> Webhook | None:
    """Return the webhook of an instance; None if none was installed."""
    found = connection.execute(select(webhooks).where(webhooks.c.instance == instance))
    row = found.mappings().first()
    if row is None:
        return None
    return Webhook(row["secret_hash"], row["workflow"], row["installed_at"], row["received_at"])


def save_webhook(
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


def record_webhook_received(connection: Connection, instance: str, *, now: datetime) -> None:
    """Store that Paperless has named documents."""
    its_webhook = update(webhooks).where(webhooks.c.instance == instance)
    connection.execute(its_webhook.values(received_at=now))
