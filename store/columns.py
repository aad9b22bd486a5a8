"""Column types with the same meaning on SQLite and PostgreSQL."""

import unicodedata
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

BigId = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite uses its row number only for INTEGER; PostgreSQL needs a larger type."""

_BILLION = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class UtcTime(TypeDecorator[datetime]):
    """A time: aware and in UTC on both sides, with microseconds."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a stored time must be aware, got {value.isoformat()}")
        utc = value.astimezone(UTC)
        # SQLite stores text; with a fixed format it sorts like the times.
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class CompactTime(UtcTime):
    """A compact time: on SQLite, the number of microseconds since 1970."""

    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        kind = Integer() if dialect.name == "sqlite" else DateTime(timezone=True)
        return dialect.type_descriptor(kind)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return super().process_bind_param(value, dialect)
        return (value - _EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None or dialect.name != "sqlite":
            return super().process_result_value(value, dialect)
        return _EPOCH + timedelta(microseconds=value)


class CleanText(TypeDecorator[str]):
    """Text from outside, without characters that a database cannot store."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else clean(value)


class Money(TypeDecorator[Decimal]):
    """An amount with nine decimal places, stored as an integer, so that sums are exact."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> int | None:
        return None if value is None else round(value * _BILLION)

    def process_result_value(self, value: int | None, dialect: Dialect) -> Decimal | None:
        return None if value is None else Decimal(value) / _BILLION


class Json(TypeDecorator[object]):
    """JSON; None is NULL."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> object:
        return _clean_json(value)


def clean(text: str) -> str:
    """Remove NUL, which PostgreSQL refuses, and lone surrogates, which UTF-8 cannot encode."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def folded(text: str) -> str:
    """Fold case, umlauts included, in the same way on both engines."""
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
