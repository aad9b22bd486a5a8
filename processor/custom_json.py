"""Values of custom fields as Paperless has them, and as it takes them."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal

from pydantic import JsonValue

from core.custom_fields import DataType, Definition
from core.fields import Field, Money, Name, Option, Value
from paperless_client import CustomFieldValue

_MONEY = re.compile(r"(?P<currency>[A-Z]{3})?(?P<amount>-?\d+(?:\.\d{1,2})?)")


def custom_values_of(
    told: Iterable[CustomFieldValue], definitions: Iterable[Definition]
) -> Mapping[Field, Value]:
    """Return a document's value of every field that is known; None where it does not have it."""
    by_id = {one.field: one.value for one in told}
    return {
        known.field: _value(by_id[known.field.id], known) if known.field.id in by_id else None
        for known in definitions
    }


def custom_value_to_send(value: Value) -> JsonValue:
    """Turn a value into what Paperless takes; "" stands for a field that is there, but empty."""
    match value:
        case Money():
            return f"{value.currency}{value.amount:.2f}"
        case Option():
            return value.id
        case date():
            return value.isoformat()
        case None | "":
            return None
        case Name():
            raise TypeError("no custom field holds a name")
        case _:
            return value


def _value(raw: JsonValue, definition: Definition) -> Value:
    """Read a value by its type; what does not fit, as Paperless 2 lets in, stays a text."""
    match definition.data_type, raw:
        case _, None | "":
            return ""
        case DataType.BOOLEAN, bool():
            return raw
        case DataType.INTEGER, int():
            return raw
        case DataType.FLOAT, int() | float():
            return float(raw)
        case _, str():
            return _value_of_text(raw, definition)
    return str(raw)


def _value_of_text(raw: str, definition: Definition) -> Value:
    match definition.data_type:
        case DataType.DATE:
            return _date(raw)
        case DataType.MONETARY:
            return _money(raw, definition)
        case DataType.SELECT:
            known = (option for option in definition.options if option.id == raw)
            return next(known, Option(raw, f"#{raw}"))
        case _:
            return raw


def _date(raw: str) -> date | str:
    try:
        return date.fromisoformat(raw)
    except ValueError:
        return raw


def _money(raw: str, definition: Definition) -> Money | str:
    """Read an amount; without a currency it is in the field's own, as Paperless shows it."""
    told = _MONEY.fullmatch(raw)
    if told is None:
        return raw
    return Money(Decimal(told["amount"]), told["currency"] or definition.currency)
