"""What people decided that spellings of names mean."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, delete, select

from core.fields import FieldName, Name, value_to_json
from core.names import Alias, Meaning
from store.engine import insert_into
from store.name_tables import aliases
from store.rows import Values, alias_of


def remember(
    connection: Connection, instance: str, meaning: Meaning, by: str, now: datetime
) -> None:
    """Let a spelling mean something from now on, whatever it meant before."""
    row: Values = {
        "instance": instance,
        "field": meaning.field.value,
        "key": meaning.key,
        "spelling": meaning.spelling,
        "target": value_to_json(meaning.target),
        "decided_by": by,
        "decided_at": now,
    }
    changed = {name: row[name] for name in ("spelling", "target", "decided_by", "decided_at")}
    new = insert_into(connection, aliases).values(row)
    connection.execute(
        new.on_conflict_do_update(index_elements=["instance", "field", "key"], set_=changed)
    )


def forget(connection: Connection, instance: str, field: FieldName, key: str) -> bool:
    """Let a spelling mean nothing but itself; tell whether it did not before."""
    this = (aliases.c.instance == instance, aliases.c.field == field.value, aliases.c.key == key)
    gone = delete(aliases).where(*this).returning(aliases.c.id)
    return connection.execute(gone).first() is not None


def listed(connection: Connection, instance: str | None) -> tuple[Alias, ...]:
    """List what was decided, by instance, field and spelling."""
    found = select(aliases).order_by(aliases.c.instance, aliases.c.field, aliases.c.key)
    if instance is not None:
        found = found.where(aliases.c.instance == instance)
    return tuple(alias_of(row) for row in connection.execute(found).mappings())


def lead_to(connection: Connection, instance: str, field: FieldName, name: Name) -> None:
    """Let the aliases of a name that was new when it was chosen lead to its number."""
    for alias in listed(connection, instance):
        meaning = alias.meaning
        if meaning.field is field and meaning.target == Name(None, name.name):
            led = replace(meaning, target=name)
            remember(connection, instance, led, alias.decided_by, alias.decided_at)
