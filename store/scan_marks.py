"""The mark of each instance: how far it was scanned."""

from sqlalchemy import Connection, delete, select

from core.scans import ScanMark
from store.engine import insert_into
from store.rows import scan_mark_of
from store.tables import scan_marks


def get(connection: Connection, instance: str) -> ScanMark | None:
    """Return how far an instance was scanned; None if it never was."""
    its_mark = select(scan_marks).where(scan_marks.c.instance == instance)
    row = connection.execute(its_mark).mappings().first()
    return None if row is None else scan_mark_of(row)


def save_mark(connection: Connection, instance: str, mark: ScanMark) -> None:
    values = {
        "modified": mark.modified,
        "rules": mark.rules,
        "around": mark.around,
        "whole_at": mark.whole_at,
        "passed_at": mark.passed_at,
        "documents": mark.documents,
        "newest_id": mark.newest_id,
    }
    new = insert_into(connection, scan_marks).values(instance=instance, **values)
    connection.execute(new.on_conflict_do_update(index_elements=["instance"], set_=values))


def forget(connection: Connection, instance: str) -> None:
    """Delete the mark, so that the next scan reads the whole list."""
    connection.execute(delete(scan_marks).where(scan_marks.c.instance == instance))
