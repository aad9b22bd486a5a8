"""Access to dashboard and API: password, links to set it, login attempts, sessions, tokens.

Only hashes of passwords, tokens and links are stored.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    Connection,
    Index,
    RowMapping,
    and_,
    delete,
    exists,
    insert,
    select,
    update,
)
from sqlmodel import Field, SQLModel

from core.access import ADMIN, ApiToken, LoginLimits, NewToken, Permission, Session, Visitor
from core.changes import is_system_actor
from store.columns import BigId, CleanText, Json, UtcTime
from store.database import Database
from store.engine import insert_into
from store.errors import TokenNameReserved, TokenNameTaken, TokenNotFound
from store.tables import table_of, unique_partial

DEVICE_FORGOTTEN_AFTER = timedelta(days=365)
MAX_DEVICES = 100
"""Maximum number of known devices: a program that logs in each time would fill the table."""

MAX_USER_AGENT_LENGTH = 120

VALID = "revoked_at IS NULL"


class AccountRow(SQLModel, table=True):
    """An account that logs in with a password."""

    __tablename__ = "accounts"

    name: str = Field(primary_key=True, sa_type=CleanText)
    password_hash: str = Field(sa_type=CleanText)
    changed_at: datetime = Field(sa_type=UtcTime)


class SessionRow(SQLModel, table=True):
    """A session of a browser."""

    __tablename__ = "sessions"
    __table_args__ = (Index("uq_sessions_hash", "token_hash", unique=True),)

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    account: str = Field(sa_type=CleanText)
    token_hash: str = Field(sa_type=CleanText)
    created_at: datetime = Field(sa_type=UtcTime)
    seen_at: datetime = Field(sa_type=UtcTime)
    expires_at: datetime = Field(sa_type=UtcTime)
    user_agent: str = Field(sa_type=CleanText)


class ApiTokenRow(SQLModel, table=True):
    """An API token; a revoked one is kept, so that its name can still be shown."""

    __tablename__ = "api_tokens"
    __table_args__ = (
        Index("uq_api_tokens_hash", "token_hash", unique=True),
        unique_partial("uq_api_tokens_valid", "name", where=VALID),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    name: str = Field(sa_type=CleanText)
    token_hash: str = Field(sa_type=CleanText)
    right: str = Field(sa_type=CleanText)
    instances: list[str] | None = Field(default=None, sa_type=Json, nullable=True)
    created_at: datetime = Field(sa_type=UtcTime)
    used_at: datetime | None = Field(default=None, sa_type=UtcTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcTime)


class OneTimeLinkRow(SQLModel, table=True):
    """A link that sets the password once."""

    __tablename__ = "one_time_links"

    token_hash: str = Field(primary_key=True, sa_type=CleanText)
    expires_at: datetime = Field(sa_type=UtcTime)
    used_at: datetime | None = Field(default=None, sa_type=UtcTime)


class LoginAttemptRow(SQLModel, table=True):
    """A login attempt, deleted after success or after some time."""

    __tablename__ = "login_attempts"
    __table_args__ = (Index("ix_login_attempts_at", "at"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    address: str = Field(sa_type=CleanText)
    at: datetime = Field(sa_type=UtcTime)
    device: str | None = Field(default=None, sa_type=CleanText)
    """Set for an attempt from a device that has logged in before; counted by device only."""


class LoginDeviceRow(SQLModel, table=True):
    """A browser that has logged in with the current password."""

    __tablename__ = "login_devices"

    token_hash: str = Field(primary_key=True, sa_type=CleanText)
    seen_at: datetime = Field(sa_type=UtcTime)


accounts = table_of(AccountRow)
sessions = table_of(SessionRow)
api_tokens = table_of(ApiTokenRow)
one_time_links = table_of(OneTimeLinkRow)
login_attempts = table_of(LoginAttemptRow)
login_devices = table_of(LoginDeviceRow)


class Access:
    """Password, links and login attempts, all secrets as hashes. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self.sessions = Sessions(database)
        self.tokens = ApiTokens(database)
        write, read = database.as_write, database.as_read
        self.get_password_hash = read(get_password_hash)
        self.set_password = write(set_password)
        self.rehash = write(rehash)
        self.issue_link = write(issue_link)
        self.issue_link_unless_valid = write(issue_link_unless_valid)
        self.is_link_valid = read(is_link_valid)
        self.redeem_link = write(redeem_link)
        self.record_attempt = write(record_attempt)
        self.clear_attempts = write(clear_attempts)
        self.remember_device = write(remember_device)


class Sessions:
    """Sessions of browsers. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.begin = write(begin_session)
        self.get = read(get_session)
        self.extend = write(extend_session)
        self.list_for_account = read(list_sessions)
        self.end = write(end_session)
        self.end_all = write(end_all)


class ApiTokens:
    """API tokens. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.create = write(create_token)
        self.get = read(get_token)
        self.mark_used = write(mark_token_used)
        self.list = read(list_tokens)
        self.revoke = write(revoke_token)


def get_password_hash(connection: Connection) -> str | None:
    """Return the hash of the password; None if no password is set yet."""
    return connection.scalar(select(accounts.c.password_hash).where(accounts.c.name == ADMIN))


def set_password(connection: Connection, password_hash: str, *, now: datetime) -> None:
    """Set the password and end all sessions that used the previous one.

    Known devices are forgotten, too: someone with the old password could have added many.
    """
    new = {"password_hash": password_hash, "changed_at": now}
    statement = insert_into(connection, accounts).values(name=ADMIN, **new)
    connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=new))
    end_all(connection, ADMIN)
    forget_devices(connection)


def rehash(connection: Connection, before: str, after: str) -> None:
    """Store a better hash of the same password, unless the password was changed in the meantime."""
    unchanged = (accounts.c.name == ADMIN, accounts.c.password_hash == before)
    connection.execute(update(accounts).where(*unchanged).values(password_hash=after))


def redeem_link(
    connection: Connection, token_hash: str, password_hash: str, *, now: datetime
) -> bool:
    """Use a link to set the password; return whether the link was valid."""
    is_valid = use_link(connection, token_hash, now)
    if is_valid:
        set_password(connection, password_hash, now=now)
    return is_valid


def issue_link(connection: Connection, token_hash: str, *, expires_at: datetime) -> None:
    """Store a link for setting the password once; all earlier links become invalid."""
    connection.execute(delete(one_time_links))
    new = {"token_hash": token_hash, "expires_at": expires_at}
    connection.execute(one_time_links.insert().values(new))


def issue_link_unless_valid(
    connection: Connection, token_hash: str, *, expires_at: datetime, now: datetime
) -> datetime | None:
    """Issue a link unless an unused one is still valid; return the expiry of that one."""
    is_valid = (one_time_links.c.expires_at > now, one_time_links.c.used_at.is_(None))
    until: datetime | None = connection.scalar(select(one_time_links.c.expires_at).where(*is_valid))
    if until is None:
        issue_link(connection, token_hash, expires_at=expires_at)
    return until


def is_link_valid(connection: Connection, token_hash: str, *, now: datetime) -> bool:
    """Return whether a link is valid."""
    return bool(connection.scalar(select(exists().where(_is_valid_link(token_hash, now)))))


def use_link(connection: Connection, token_hash: str, now: datetime) -> bool:
    """Mark a link as used; return whether it was valid."""
    used = update(one_time_links).where(_is_valid_link(token_hash, now)).values(used_at=now)
    return connection.execute(used).rowcount == 1


def record_attempt(
    connection: Connection, visitor: Visitor, patience: LoginLimits, *, now: datetime
) -> datetime | None:
    """Count a login attempt before the password is checked; return until when login is locked.

    None means that the attempt may be made. Counting first prevents guesses in parallel.
    """
    connection.execute(delete(login_attempts).where(login_attempts.c.at <= now - patience.span))
    device = visitor.device if _is_known(connection, visitor.device) else None
    own = _list_attempts(connection, _is_counted_with(visitor.address, device))
    all_unknown = () if device else _list_attempts(connection, login_attempts.c.device.is_(None))
    until = patience.locked_until(own, all_unknown, now=now)
    if until is None:
        new = {"address": visitor.address, "device": device, "at": now}
        connection.execute(insert(login_attempts).values(new))
    return until


def clear_attempts(connection: Connection, visitor: Visitor) -> None:
    """Delete the attempts of a visitor after a correct password."""
    device = visitor.device if _is_known(connection, visitor.device) else None
    counted = _is_counted_with(visitor.address, device)
    connection.execute(delete(login_attempts).where(counted))


def remember_device(
    connection: Connection, token_hash: str, *, before: str = "", now: datetime
) -> None:
    """Count the attempts of a device separately from now on; `before` is its previous hash.

    The oldest devices are deleted.
    """
    gone = (login_devices.c.token_hash == before) | (
        login_devices.c.seen_at <= now - DEVICE_FORGOTTEN_AFTER
    )
    connection.execute(delete(login_devices).where(gone))
    latest = select(login_devices.c.token_hash).order_by(login_devices.c.seen_at.desc())
    kept = connection.scalars(latest.limit(MAX_DEVICES - 1)).all()
    connection.execute(delete(login_devices).where(login_devices.c.token_hash.not_in(kept)))
    connection.execute(insert(login_devices).values(token_hash=token_hash, seen_at=now))


def forget_devices(connection: Connection) -> None:
    """Forget all devices, so that their attempts are counted by address again."""
    connection.execute(delete(login_devices))


def end_all(connection: Connection, account: str) -> int:
    """End all sessions of an account; return their number."""
    return connection.execute(delete(sessions).where(sessions.c.account == account)).rowcount


def end_every_session(connection: Connection, tables: Collection[str]) -> int:
    """End all sessions, also those of links and known devices; return the number of sessions.

    `tables` are those that the database has, which may be an old one.
    """
    for table in (one_time_links, login_devices):
        if table.name in tables:
            connection.execute(delete(table))
    return connection.execute(delete(sessions)).rowcount if sessions.name in tables else 0


def begin_session(
    connection: Connection,
    token_hash: str,
    account: str,
    *,
    user_agent: str,
    now: datetime,
    until: datetime,
) -> Session:
    """Store a new session and delete expired ones."""
    connection.execute(delete(sessions).where(sessions.c.expires_at <= now))
    new = insert(sessions).values(
        account=account,
        token_hash=token_hash,
        created_at=now,
        seen_at=now,
        expires_at=until,
        user_agent=user_agent[:MAX_USER_AGENT_LENGTH],
    )
    return _session_of(connection.execute(new.returning(sessions)).mappings().one())


def get_session(connection: Connection, token_hash: str, *, now: datetime) -> Session | None:
    """Return a session that has not expired; None if there is none."""
    wanted = select(sessions).where(
        sessions.c.token_hash == token_hash, sessions.c.expires_at > now
    )
    row = connection.execute(wanted).mappings().first()
    return None if row is None else _session_of(row)


def extend_session(
    connection: Connection, session: Session, *, now: datetime, until: datetime
) -> None:
    """Extend a session that is in use."""
    its_row = update(sessions).where(sessions.c.id == session.id)
    connection.execute(its_row.values(seen_at=now, expires_at=until))


def list_sessions(connection: Connection, account: str, *, now: datetime) -> tuple[Session, ...]:
    """List the sessions of an account that have not expired, the last used first."""
    theirs = select(sessions).where(sessions.c.account == account, sessions.c.expires_at > now)
    rows = connection.execute(theirs.order_by(sessions.c.seen_at.desc(), sessions.c.id.desc()))
    return tuple(_session_of(row) for row in rows.mappings())


def end_session(connection: Connection, token_hash: str) -> None:
    """End a session; harmless if it does not exist."""
    connection.execute(delete(sessions).where(sessions.c.token_hash == token_hash))


def create_token(
    connection: Connection, new: NewToken, token_hash: str, *, now: datetime
) -> ApiToken:
    """Store a token.

    Raise TokenNameTaken if a token of that name is valid, or TokenNameReserved.
    """
    if is_system_actor(new.name):
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


def get_token(connection: Connection, token_hash: str) -> ApiToken | None:
    """Return a token that is not revoked; None if there is none."""
    valid = (api_tokens.c.token_hash == token_hash, api_tokens.c.revoked_at.is_(None))
    row = connection.execute(select(api_tokens).where(*valid)).mappings().first()
    return None if row is None else _token_of(row)


def mark_token_used(connection: Connection, token: ApiToken, *, now: datetime) -> None:
    """Store when a token was last used."""
    connection.execute(update(api_tokens).where(api_tokens.c.id == token.id).values(used_at=now))


def list_tokens(connection: Connection) -> tuple[ApiToken, ...]:
    """List all tokens, including revoked ones, in the order of their creation."""
    rows = connection.execute(select(api_tokens).order_by(api_tokens.c.id)).mappings()
    return tuple(_token_of(row) for row in rows)


def revoke_token(connection: Connection, name: str, *, now: datetime) -> ApiToken:
    """Revoke a token. Raise TokenNotFound if no token of that name is valid."""
    valid = (api_tokens.c.name == name, api_tokens.c.revoked_at.is_(None))
    revoked = update(api_tokens).where(*valid).values(revoked_at=now).returning(api_tokens)
    row = connection.execute(revoked).mappings().first()
    if row is None:
        raise TokenNotFound(name)
    return _token_of(row)


def revoke_every_token(connection: Connection, tables: Collection[str], now: datetime) -> int:
    """Revoke all tokens that are valid; return their number.

    `tables` are those that the database has, which may be an old one.
    """
    if api_tokens.name not in tables:
        return 0
    valid = api_tokens.c.revoked_at.is_(None)
    return connection.execute(update(api_tokens).where(valid).values(revoked_at=now)).rowcount


def _is_valid_link(token_hash: str, now: datetime) -> ColumnElement[bool]:
    return and_(
        one_time_links.c.token_hash == token_hash,
        one_time_links.c.expires_at > now,
        one_time_links.c.used_at.is_(None),
    )


def _is_known(connection: Connection, device: str) -> bool:
    return bool(connection.scalar(select(exists().where(login_devices.c.token_hash == device))))


def _is_counted_with(address: str, device: str | None) -> ColumnElement[bool]:
    if device is not None:
        return login_attempts.c.device == device
    return and_(login_attempts.c.address == address, login_attempts.c.device.is_(None))


def _list_attempts(connection: Connection, which: ColumnElement[bool]) -> Sequence[datetime]:
    """List matching attempts, oldest first."""
    found = select(login_attempts.c.at).where(which).order_by(login_attempts.c.at)
    return connection.scalars(found).all()


def _session_of(row: RowMapping) -> Session:
    return Session(
        id=row["id"],
        account=row["account"],
        created_at=row["created_at"],
        seen_at=row["seen_at"],
        expires_at=row["expires_at"],
        user_agent=row["user_agent"],
    )


def _token_of(row: RowMapping) -> ApiToken:
    instances = row["instances"]
    return ApiToken(
        id=row["id"],
        name=row["name"],
        right=Permission[row["right"].upper()],
        instances=None if instances is None else frozenset(instances),
        created_at=row["created_at"],
        used_at=row["used_at"],
        revoked_at=row["revoked_at"],
    )
