"""The tables of access. Passwords, tokens and links are stored as hashes only."""

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from store.columns import BigId, CleanText, Json, UtcTime
from store.tables import table_of, unique_partial

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


class WebhookRow(SQLModel, table=True):
    """The webhook of an instance."""

    __tablename__ = "webhooks"

    instance: str = Field(primary_key=True, sa_type=CleanText)
    secret_hash: str = Field(sa_type=CleanText)
    workflow: int | None = Field(default=None, sa_type=BigId)
    installed_at: datetime = Field(sa_type=UtcTime)
    received_at: datetime | None = Field(default=None, sa_type=UtcTime)


accounts = table_of(AccountRow)
sessions = table_of(SessionRow)
api_tokens = table_of(ApiTokenRow)
one_time_links = table_of(OneTimeLinkRow)
login_attempts = table_of(LoginAttemptRow)
login_devices = table_of(LoginDeviceRow)
webhooks = table_of(WebhookRow)
