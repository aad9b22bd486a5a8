"""The custom fields of one Paperless, and their values as Paperless sends and takes them."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from decimal import Decimal

from pydantic import JsonValue

from core.custom_fields import DataType, Definition, require_fillable
from core.fields import CustomField, Field, Money, Name, Option, Value
from paperless_client import CustomField as FetchedField
from paperless_client import CustomFieldValue, NameLists

_CURRENCY = re.compile("[A-Z]{3}")
_MONEY = re.compile(r"(?P<currency>[A-Z]{3})?(?P<amount>-?\d+(?:\.\d{1,2})?)")


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


def _definition(fetched: FetchedField) -> Definition:
    currency = fetched.default_currency or ""
    return Definition(
        CustomField(fetched.id, fetched.name),
        DataType(fetched.data_type),
        tuple(Option(option.id, option.label) for option in fetched.options),
        currency if _CURRENCY.fullmatch(currency) else "",
    )


def parse_custom_values(
    values: Iterable[CustomFieldValue], definitions: Iterable[Definition]
) -> Mapping[Field, Value]:
    """Return a document's value of every defined field; None if the document does not have it."""
    by_id = {value.field: value.value for value in values}
    return {
        known.field: _parse_value(by_id[known.field.id], known) if known.field.id in by_id else None
        for known in definitions
    }


def serialize_custom_value(value: Value) -> JsonValue:
    """Return a value as Paperless takes it; "" stands for a field without a value."""
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


def _parse_value(raw: JsonValue, definition: Definition) -> Value:
    """Parse a value by its type; one of the wrong type, which Paperless 2 allows, stays text."""
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
            return _parse_text(raw, definition)
    return str(raw)


def _parse_text(raw: str, definition: Definition) -> Value:
    match definition.data_type:
        case DataType.DATE:
            return _parse_date(raw)
        case DataType.MONETARY:
            return _parse_money(raw, definition)
        case DataType.SELECT:
            known = (option for option in definition.options if option.id == raw)
            return next(known, Option(raw, f"#{raw}"))
        case _:
            return raw


def _parse_date(raw: str) -> date | str:
    try:
        return date.fromisoformat(raw)
    except ValueError:
        return raw


def _parse_money(raw: str, definition: Definition) -> Money | str:
    """Parse an amount; without a currency, the field's default currency applies."""
    match = _MONEY.fullmatch(raw)
    if match is None:
        return raw
    return Money(Decimal(match["amount"]), match["currency"] or definition.currency)
