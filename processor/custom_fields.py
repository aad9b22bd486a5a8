"""The custom fields of one Paperless."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from decimal import Decimal

from pydantic import JsonValue

from core.custom_fields import DataType, Definition, require_fillable
from core.fields import CustomField, Field, Money, Name, Option, Value
from paperless_client import CustomField as ToldField
from paperless_client import CustomFieldValue, NameLists

_CURRENCY = re.compile("[A-Z]{3}")


class CustomFields:
    """The custom fields of one Paperless that can be filled."""

    def __init__(self, lists: NameLists) -> None:
        self._list = lists.custom_fields

    async def all(self) -> tuple[Definition, ...]:
        """Return every custom field that can be filled, at most five minutes old."""
        types, fetched = set(DataType), await self._list.get_entries()
        return tuple(_definition(field) for field in fetched if field.data_type in types)

    async def get_by_name(self, names: Collection[str]) -> tuple[Definition, ...]:
        """Return the fields of these names, in their order.

        Raise CustomFieldMissing or CustomFieldNotFillable.
        """
        types = {field.name: field.data_type for field in await self._list.get_entries()}
        require_fillable(names, types)
        by_name = {known.field.name: known for known in await self.all()}
        return tuple(by_name[name] for name in names)

    def invalidate(self) -> None:
        """Discard the custom fields, so that they are fetched when next needed."""
        self._list.invalidate()


def _definition(told: ToldField) -> Definition:
    currency = told.default_currency or ""
    return Definition(
        CustomField(told.id, told.name),
        DataType(told.data_type),
        tuple(Option(option.id, option.label) for option in told.options),
        currency if _CURRENCY.fullmatch(currency) else "",
    )


_MONEY = re.compile(r"(?P<currency>[A-Z]{3})?(?P<amount>-?\d+(?:\.\d{1,2})?)")


def parse_custom_values(
    told: Iterable[CustomFieldValue], definitions: Iterable[Definition]
) -> Mapping[Field, Value]:
    """Return a document's value of every field that is known; None where it does not have it."""
    by_id = {one.field: one.value for one in told}
    return {
        known.field: _value(by_id[known.field.id], known) if known.field.id in by_id else None
        for known in definitions
    }


def serialize_custom_value(value: Value) -> JsonValue:
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
