"""Instances whose Paperless finds no similar documents because its index is broken."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select

from store.database import Database
from store.engine import insert_into
from store.tables import search_faults


@dataclass(frozen=True, slots=True)
class SearchFault:
    """When the search was last found broken, and for which document."""

    document: int
    noticed_at: datetime


class SearchFaults:
    """At most one fault per instance. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def get(self, instance: str) -> SearchFault | None:
        return await self._read(_get, instance)

    async def note(self, instance: str, fault: SearchFault) -> None:
        """Store a fault; it replaces an earlier one."""
        await self._write(_note, instance, fault)

    async def clear(self, instance: str) -> None:
        await self._write(_clear, instance)


def _get(connection: Connection, instance: str) -> SearchFault | None:
    of_instance = select(search_faults).where(search_faults.c.instance == instance)
    row = connection.execute(of_instance).mappings().first()
    return None if row is None else SearchFault(row["document_id"], row["noticed_at"])


def _note(connection: Connection, instance: str, fault: SearchFault) -> None:
    values = {"document_id": fault.document, "noticed_at": fault.noticed_at}
    new = insert_into(connection, search_faults).values(instance=instance, **values)
    connection.execute(new.on_conflict_do_update(index_elements=["instance"], set_=values))


def _clear(connection: Connection, instance: str) -> None:
    connection.execute(delete(search_faults).where(search_faults.c.instance == instance))
