"""Make names in Paperless, each once: the intent is stored before the deed, the fact after it."""

import asyncio

from core.changes import Change, name_given_by
from core.clock import Clock
from core.errors import PaperclerkError
from core.fields import Name
from core.jobs import Job
from core.messages import message
from core.names import NameOwner, NameReservation, WantedName
from paperless_client import (
    NamedObject,
    PaperlessClient,
    PaperlessRefused,
    PermissionMissing,
)
from processor.analysis.name_matching import spelling_key
from processor.names.catalogue import NAME_KINDS, Catalogue
from store import Store

_PAUSE = 0.25
_TRIES = 120
"""Half a minute: by then whoever is at it has made the name, or counts as dead."""


class NameBusy(PaperclerkError):
    """Another worker is making the same name, and does not come to an end."""

    code = "name_busy"
    user_message = "This name is being created for another document."
    hint = "It will be retried automatically."


class NameCreator:
    """Makes the names of one Paperless."""

    def __init__(
        self,
        client: PaperlessClient,
        catalogue: Catalogue,
        *,
        owner: NameOwner,
        store: Store,
        clock: Clock,
        tries: int = _TRIES,
    ) -> None:
        self._client = client
        self._catalogue = catalogue
        self._owner = owner
        self._store = store.names
        self._clock = clock
        self._tries = tries
        self._one_at_a_time = asyncio.Lock()

    async def create(self, change: Change, job: Job) -> Name:
        """Make the name that a change needs, or return the one that someone made meanwhile.

        To Paperless "Telekom" and "TELEKOM" are two names: so nobody looks whether one is there
        but who has the right to make it.
        """
        wanted = _wanted(change)
        async with self._one_at_a_time:
            intent = await self._intend(wanted, job)
            self._catalogue.invalidate(wanted.field)
            there = (await self._catalogue.names()).match(wanted.field, wanted.name)
            if there.id is None:
                return await self._create_in_paperless(wanted, intent)
            await self._settle(wanted, intent)
            return there

    async def _intend(self, wanted: WantedName, job: Job) -> NameReservation:
        for _ in range(self._tries):
            intent = await self._store.reserve_name(wanted, job, now=self._clock())
            if intent is not None:
                return intent
            await asyncio.sleep(_PAUSE)
        raise NameBusy(message('another job is creating "{name}"', name=wanted.name))

    async def _create_in_paperless(self, wanted: WantedName, intent: NameReservation) -> Name:
        try:
            owner = await self._owner_id()
            made = await self._client.create_name(
                NAME_KINDS[wanted.field], wanted.name, owner=owner
            )
        except (PaperlessRefused, PermissionMissing):
            # It was certainly not made. After any other error that is open, and so is the intent.
            await self._store.release_reservation(intent)
            raise
        self._catalogue.invalidate(wanted.field)
        name = Name(made.id, made.name)
        if made.document_count is None:
            await self._store.mark_created(intent, name, now=self._clock())
        else:
            # Not told by who has just created it: someone else was quicker.
            await self._store.release_reservation(intent)
        return name

    async def _settle(self, wanted: WantedName, intent: NameReservation) -> None:
        """Find out whether a name that is there was made by an attempt that did not live on."""
        found = await self._client.find_name(NAME_KINDS[wanted.field], wanted.name)
        if intent.is_inherited and found and looks_created_by_us(found, wanted.name):
            await self._store.mark_created(intent, Name(found.id, found.name), now=self._clock())
        else:
            await self._store.release_reservation(intent)

    async def _owner_id(self) -> int | None:
        return (await self._client.fetch_user()).id if self._owner is NameOwner.ME else None


def looks_created_by_us(found: NamedObject, name: str) -> bool:
    """Tell whether a name has this very spelling, and matches nothing by itself, as ours do."""
    return found.name == name and found.matching_algorithm == 0


def _wanted(change: Change) -> WantedName:
    given = name_given_by(change)
    assert given is not None
    field, new = given
    return WantedName(field, spelling_key(new.name), new.name, change.id)
