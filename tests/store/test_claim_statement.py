"""The SQL of the claim, as `claim.sql` shows it."""

import re
from pathlib import Path

from psycopg._queries import MAX_CACHED_STATEMENT_LENGTH
from sqlalchemy import make_url
from sqlalchemy.dialects import sqlite

from core.jobs import EVERYTHING, Scope
from store import engine
from store.queue import claims, events
from tests.builders import NOW

OURS = {"claimant", "new_trace", "now"}
"""Parameters that keep their names; the others are constants."""


def test_the_file_of_the_claim_shows_its_sql() -> None:
    text = Path(claims.__file__).with_name("claim.sql").read_text()
    shown = re.search(r"^UPDATE jobs.*AND jobs.status = 'pending'$", text, re.DOTALL | re.MULTILINE)

    assert shown is not None
    assert normalized(shown.group()) == normalized(compiled_claim())


def test_the_claim_is_built_once_for_each_shape_of_scope() -> None:
    key = claims.statement_key(EVERYTHING)

    assert claims._build_claim(*key) is claims._build_claim(*key)


def test_the_claim_is_short_enough_for_psycopg_to_cache_it() -> None:
    claim = claims._build_claim(*claims.statement_key(Scope(instances=("home",))))
    columns = claims._columns_to_read(tuple(claims._claimed_values("worker", "trace", NOW)))

    with_event = engine._move_with_event(claim, columns, events._build_claim_insert)

    dialect = make_url("postgresql+psycopg://").get_dialect()()
    sql = str(with_event.compile(dialect=dialect))
    assert len(sql) <= MAX_CACHED_STATEMENT_LENGTH


def compiled_claim() -> str:
    """Return the claim's SQL with constants in place of their parameters."""
    claim = claims._build_claim(*claims.statement_key(EVERYTHING))
    compiled = claim.compile(dialect=sqlite.dialect(paramstyle="named"))
    sql = str(compiled)
    for name, value in compiled.params.items():
        if name not in OURS:
            sql = re.sub(rf":{name}\b", "NULL" if value is None else str(value), sql)
    return sql


def normalized(sql: str) -> str:
    """Return SQL without line breaks, indents, and blanks inside of brackets."""
    return re.sub(r"(?<=\() | (?=\))", "", " ".join(sql.split()))
