"""Column types that mean the same on SQLite and PostgreSQL."""

import unicodedata
from datetime import UTC, datetime
from decimal import Decimal

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, Text
from sqlalchemy.types import TypeDecorator

BigId = BigInteger().with_variant(Integer(), "sqlite")
"""Only INTEGER is SQLite's own row number; PostgreSQL wants room to grow."""

_BILLION = 1_000_000_000


class UtcTime(TypeDecorator[datetime]):
    """A moment: aware and UTC on both sides, to the microsecond."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a stored time must be aware, got {value.isoformat()}")
        utc = value.astimezone(UTC)
        # SQLite keeps text, and text of equal shape sorts as the moments do.
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class CleanText(TypeDecorator[str]):
    """Text from outside, without what a database cannot hold."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else clean(value)


class Money(TypeDecorator[Decimal]):
    """An amount, exact to the billionth: whole numbers add up alike on both engines."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> int | None:
        return None if value is None else round(value * _BILLION)

    def process_result_value(self, value: int | None, dialect: Dialect) -> Decimal | None:
        return None if value is None else Decimal(value) / _BILLION


class Json(TypeDecorator[object]):
    """Plain JSON; None is SQL's NULL."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> object:
        return _clean_json(value)


def clean(text: str) -> str:
    """Drop NUL, which PostgreSQL refuses, and replace lone surrogates, which no UTF-8 has."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def folded(text: str) -> str:
    """Make small letters and large ones the same, umlauts included, in the same way everywhere."""
    return unicodedata.normalize("NFC", clean(text).casefold())


def _clean_json(value: object) -> object:
    match value:
        case str():
            return clean(value)
        case dict():
            return {clean(str(key)): _clean_json(item) for key, item in value.items()}
        case list() | tuple():
            return [_clean_json(item) for item in value]
    return value
