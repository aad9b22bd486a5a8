"""Names: what people decided about them."""

from datetime import datetime

from core.fields import FieldName
from core.names import Alias, Meaning
from store import aliases
from store.database import Database


class Names:
    """What is remembered of names. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def remember(self, instance: str, meaning: Meaning, *, by: str, now: datetime) -> None:
        """Let a spelling mean a name, or nothing for good, whatever it meant before."""
        await self._write(aliases.remember, instance, meaning, by, now)

    async def forget(self, instance: str, field: FieldName, key: str) -> bool:
        """Take that back; tell whether there was anything to take back."""
        return await self._write(aliases.forget, instance, field, key)

    async def aliases(self, instance: str | None = None) -> tuple[Alias, ...]:
        """List what people decided that spellings mean."""
        return await self._read(aliases.listed, instance)
