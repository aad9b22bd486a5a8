"""The SQL of the claim, as `claim.sql` shows it."""

import re
from pathlib import Path

from sqlalchemy.dialects import sqlite

from core.jobs import EVERYTHING
from store.queue import claims

OURS = {"claimant", "new_trace", "now"}
"""Parameters that keep their names; the others are constants."""


def test_the_file_of_the_claim_shows_its_sql() -> None:
    text = Path(claims.__file__).with_name("claim.sql").read_text()
    shown = re.search(r"^UPDATE jobs.*RETURNING \*", text, re.DOTALL | re.MULTILINE)

    assert shown is not None
    assert normalized(shown.group()) == normalized(compiled_claim())


def test_the_claim_is_built_once_for_each_shape_of_scope() -> None:
    key = claims.statement_key(EVERYTHING)

    assert claims._build_claim(*key) is claims._build_claim(*key)


def compiled_claim() -> str:
    """Return the claim's SQL with constants in place of their parameters."""
    claim = claims._build_claim(*claims.statement_key(EVERYTHING))
    compiled = claim.compile(dialect=sqlite.dialect(paramstyle="named"))
    sql = str(compiled)
    for name, value in compiled.params.items():
        if name not in OURS:
            sql = re.sub(rf":{name}\b", "NULL" if value is None else str(value), sql)
    every_column = ", ".join(column.name for column in claim.table.columns)
    return sql.replace(f"RETURNING {every_column}", "RETURNING *")


def normalized(sql: str) -> str:
    """Return SQL without line breaks, indents, and blanks inside of brackets."""
    return re.sub(r"(?<=\() | (?=\))", "", " ".join(sql.split()))
