"""Names: what people decided about them, and which ones we made."""

from datetime import datetime

from core.fields import FieldName, Name
from core.jobs import Job
from core.names import Alias, Intent, MadeName, Meaning, WantedName
from store import aliases, made_names
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

    async def intend(self, wanted: WantedName, job: Job, *, now: datetime) -> Intent | None:
        """Give a job the right to make a name; None while another job has it. Raise NotOurs."""
        return await self._write(made_names.intend, wanted, job, now)

    async def made(self, intent: Intent, name: Name, *, now: datetime) -> None:
        """Store that the name is in Paperless, and ours."""
        await self._write(made_names.made, intent, name, now)

    async def drop(self, intent: Intent) -> None:
        """Give the right back: the name was not made, or not by us."""
        await self._write(made_names.drop, intent)

    async def made_names(self, instance: str) -> tuple[MadeName, ...]:
        """List the names that we made, or may have made, and have not removed."""
        return await self._read(made_names.standing, instance)

    async def removed(self, made: MadeName, *, now: datetime) -> None:
        """Store that a name is gone."""
        await self._write(made_names.removed, made.id, now)
