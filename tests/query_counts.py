"""Count the transactions and statements of the store."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, event


@contextmanager
def count_queries() -> Iterator[Counter[str]]:
    """Yield a counter of `transactions` and `statements`, updated while the context is open."""
    counted: Counter[str] = Counter()

    def on_statement(*_: object) -> None:
        counted["statements"] += 1

    def on_commit(_: Connection) -> None:
        counted["transactions"] += 1

    event.listen(Engine, "before_cursor_execute", on_statement)
    event.listen(Engine, "commit", on_commit)
    try:
        yield counted
    finally:
        event.remove(Engine, "before_cursor_execute", on_statement)
        event.remove(Engine, "commit", on_commit)
