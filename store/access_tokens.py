"""API tokens: what programs come in with, known by their hashes."""

from datetime import datetime

from sqlalchemy import Connection, RowMapping, select, update

from core.access import ApiToken, NewToken, Right
from core.changes import is_no_person
from store.access_tables import api_tokens
from store.database import Database
from store.engine import insert_into
from store.errors import TokenNameReserved, TokenNameTaken, TokenNotFound


class ApiTokens:
    """Programs that may come in. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def create(self, new: NewToken, token_hash: str, *, now: datetime) -> ApiToken:
        """Let a program in.

        Raise TokenNameTaken if a token of that name is valid, or TokenNameReserved.
        """
        return await self._write(_create, new, token_hash, now)

    async def get(self, token_hash: str) -> ApiToken | None:
        """Return a token that is not revoked."""
        return await self._read(_get, token_hash)

    async def used(self, token: ApiToken, *, now: datetime) -> None:
        """Remember when a token was used last."""
        await self._write(_used, token.id, now)

    async def list(self) -> tuple[ApiToken, ...]:
        """List all tokens, also those revoked, in the order they were made."""
        return await self._read(_list)

    async def revoke(self, name: str, *, now: datetime) -> ApiToken:
        """Let a program in no longer. Raise TokenNotFound if no token of that name is valid."""
        return await self._write(_revoke, name, now)


def _create(connection: Connection, new: NewToken, token_hash: str, now: datetime) -> ApiToken:
    if is_no_person(new.name):
        raise TokenNameReserved(new.name)
    values = {
        "name": new.name,
        "token_hash": token_hash,
        "right": new.right.name.lower(),
        "instances": None if new.instances is None else sorted(new.instances),
        "created_at": now,
    }
    made = insert_into(connection, api_tokens).values(values).on_conflict_do_nothing()
    row = connection.execute(made.returning(api_tokens)).mappings().first()
    if row is None:
        raise TokenNameTaken(new.name)
    return _token_of(row)


def _get(connection: Connection, token_hash: str) -> ApiToken | None:
    valid = (api_tokens.c.token_hash == token_hash, api_tokens.c.revoked_at.is_(None))
    row = connection.execute(select(api_tokens).where(*valid)).mappings().first()
    return None if row is None else _token_of(row)


def _used(connection: Connection, id_: int, now: datetime) -> None:
    connection.execute(update(api_tokens).where(api_tokens.c.id == id_).values(used_at=now))


def _list(connection: Connection) -> tuple[ApiToken, ...]:
    rows = connection.execute(select(api_tokens).order_by(api_tokens.c.id)).mappings()
    return tuple(_token_of(row) for row in rows)


def _revoke(connection: Connection, name: str, now: datetime) -> ApiToken:
    valid = (api_tokens.c.name == name, api_tokens.c.revoked_at.is_(None))
    revoked = update(api_tokens).where(*valid).values(revoked_at=now).returning(api_tokens)
    row = connection.execute(revoked).mappings().first()
    if row is None:
        raise TokenNotFound(name)
    return _token_of(row)


def _token_of(row: RowMapping) -> ApiToken:
    instances = row["instances"]
    return ApiToken(
        id=row["id"],
        name=row["name"],
        right=Right[row["right"].upper()],
        instances=None if instances is None else frozenset(instances),
        created_at=row["created_at"],
        used_at=row["used_at"],
        revoked_at=row["revoked_at"],
    )
