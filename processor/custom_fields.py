"""The custom fields of one Paperless."""

import re
from collections.abc import Collection

from core.custom_fields import DataType, Definition, require_fillable
from core.fields import CustomField, Option
from paperless_client import CustomField as ToldField
from paperless_client import NameLists

_CURRENCY = re.compile("[A-Z]{3}")


class CustomFields:
    """The custom fields of one Paperless that can be filled."""

    def __init__(self, lists: NameLists) -> None:
        self._list = lists.custom_fields

    async def all(self) -> tuple[Definition, ...]:
        """Return every custom field that can be filled, at most five minutes old."""
        types, fetched = set(DataType), await self._list.entries()
        return tuple(_definition(field) for field in fetched if field.data_type in types)

    async def named(self, names: Collection[str]) -> tuple[Definition, ...]:
        """Return the fields of these names, in their order.

        Raise CustomFieldMissing or CustomFieldNotFillable.
        """
        types = {field.name: field.data_type for field in await self._list.entries()}
        require_fillable(names, types)
        by_name = {known.field.name: known for known in await self.all()}
        return tuple(by_name[name] for name in names)

    def forget(self) -> None:
        """Discard the custom fields, so that they are fetched when next needed."""
        self._list.forget()


def _definition(told: ToldField) -> Definition:
    currency = told.default_currency or ""
    return Definition(
        CustomField(told.id, told.name),
        DataType(told.data_type),
        tuple(Option(option.id, option.label) for option in told.options),
        currency if _CURRENCY.fullmatch(currency) else "",
    )
