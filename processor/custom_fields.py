"""The custom fields of one Paperless."""

import re
from collections.abc import Collection
from datetime import datetime, timedelta

from core.clock import Clock
from core.custom_fields import DataType, Definition, require_fillable
from core.fields import CustomField, Option
from paperless_client import CustomField as ToldField
from paperless_client import PaperlessClient

_FRESH_FOR = timedelta(minutes=5)
_CURRENCY = re.compile("[A-Z]{3}")


class CustomFields:
    """Reads the custom fields of one Paperless, and reads them again when they have grown old."""

    def __init__(self, client: PaperlessClient, *, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._told: tuple[ToldField, ...] = ()
        self._read_at: datetime | None = None

    async def all(self) -> tuple[Definition, ...]:
        """Return every custom field that can be filled, at most a few minutes old."""
        types = set(DataType)
        return tuple(_definition(one) for one in await self._fetched() if one.data_type in types)

    async def named(self, names: Collection[str]) -> tuple[Definition, ...]:
        """Return the fields of these names, in their order.

        Raise CustomFieldMissing or CustomFieldNotFillable.
        """
        types = {one.name: one.data_type for one in await self._fetched()}
        require_fillable(names, types)
        by_name = {known.field.name: known for known in await self.all()}
        return tuple(by_name[name] for name in names)

    def forget(self) -> None:
        """Have the fields read again at the next question."""
        self._read_at = None

    async def _fetched(self) -> tuple[ToldField, ...]:
        now = self._clock()
        if self._read_at is None or now - self._read_at > _FRESH_FOR:
            self._told = tuple([one async for one in self._client.custom_fields()])
            self._read_at = now
        return self._told


def _definition(told: ToldField) -> Definition:
    currency = told.default_currency or ""
    return Definition(
        CustomField(told.id, told.name),
        DataType(told.data_type),
        tuple(Option(option.id, option.label) for option in told.options),
        currency if _CURRENCY.fullmatch(currency) else "",
    )
