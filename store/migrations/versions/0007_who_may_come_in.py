"""Who may come in: the password, sessions, API tokens, one-time links and tries to log in."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, Json, UtcTime

revision = "0007"
down_revision = "0006"

_VALID = sa.text("revoked_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("name", CleanText(), nullable=False),
        sa.Column("password_hash", CleanText(), nullable=False),
        sa.Column("changed_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "one_time_links",
        sa.Column("token_hash", CleanText(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.Column("used_at", UtcTime()),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    _sessions()
    _api_tokens()
    _login_attempts()


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", BigId, nullable=False),
        sa.Column("account", CleanText(), nullable=False),
        sa.Column("token_hash", CleanText(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("seen_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.Column("user_agent", CleanText(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("uq_sessions_hash", "sessions", ["token_hash"], unique=True)


def _api_tokens() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("id", BigId, nullable=False),
        sa.Column("name", CleanText(), nullable=False),
        sa.Column("token_hash", CleanText(), nullable=False),
        sa.Column("right", CleanText(), nullable=False),
        sa.Column("instances", Json()),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("used_at", UtcTime()),
        sa.Column("revoked_at", UtcTime()),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("uq_api_tokens_hash", "api_tokens", ["token_hash"], unique=True)
    op.create_index(
        "uq_api_tokens_valid",
        "api_tokens",
        ["name"],
        unique=True,
        sqlite_where=_VALID,
        postgresql_where=_VALID,
    )


def _login_attempts() -> None:
    op.create_table(
        "login_attempts",
        sa.Column("id", BigId, nullable=False),
        sa.Column("address", CleanText(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_login_attempts_at", "login_attempts", ["at"])
