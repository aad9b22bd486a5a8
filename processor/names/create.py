"""Create names in Paperless, each once: the reservation is stored before, the result after.

The settings decide who owns a created name, and who may see and change it.
"""

import asyncio
from dataclasses import dataclass

from core.calendar import Clock
from core.changes import Change, name_given_by
from core.errors import PaperclerkError, PermanentError
from core.fields import Name
from core.jobs import Job
from core.messages import message
from core.names import NameOwner, NameReservation, WantedName
from paperless_client import (
    NamedObject,
    PaperlessClient,
    PaperlessRefused,
    Parties,
    PermissionMissing,
    Rights,
    Shares,
)
from processor.analysis.name_matching import spelling_key
from processor.names.catalogue import NAME_KINDS, Catalogue
from store import Store

_PAUSE = 0.25
_TRIES = 120
"""Half a minute: by then the other worker has created the name, or counts as dead."""


class NameBusy(PaperclerkError):
    """Another worker is creating the same name, and does not finish in time."""

    code = "name_busy"
    user_message = "This name is being created for another document."
    hint = "It will be retried automatically."


class GroupMissing(PermanentError):
    """A group in the settings does not exist in Paperless."""

    code = "group_missing"
    user_message = "A group in the settings does not exist in Paperless."
    hint = "Correct `names.view_groups` or `names.change_groups`, then retry the job."


@dataclass(frozen=True, slots=True)
class RightsPolicy:
    """The owner's choice for names that are created."""

    owner: NameOwner = NameOwner.NOBODY
    view_groups: tuple[str, ...] = ()
    change_groups: tuple[str, ...] = ()

    @property
    def groups(self) -> frozenset[str]:
        return frozenset({*self.view_groups, *self.change_groups})


class NameCreator:
    """Creates names in one Paperless."""

    def __init__(
        self,
        client: PaperlessClient,
        catalogue: Catalogue,
        *,
        rights: RightsPolicy,
        store: Store,
        clock: Clock,
        tries: int = _TRIES,
    ) -> None:
        self._client = client
        self._catalogue = catalogue
        self._rights = rights
        self._store = store.names
        self._clock = clock
        self._tries = tries
        self._one_at_a_time = asyncio.Lock()

    async def create(self, change: Change, job: Job) -> Name:
        """Create the name that a change needs, or return the one that exists by now.

        For Paperless "Telekom" and "TELEKOM" are two names. So a name is reserved first, and only
        the holder of the reservation checks whether it exists.
        """
        given = name_given_by(change)
        assert given is not None
        field, new = given
        wanted = WantedName(field, spelling_key(new.name), new.name, change.id)
        async with self._one_at_a_time:
            reservation = await self._reserve(wanted, job)
            self._catalogue.invalidate(wanted.field)
            there = (await self._catalogue.names()).match(wanted.field, wanted.name)
            if there.id is None:
                return await self._create_in_paperless(wanted, reservation, job.document.id)
            await self._settle(wanted, reservation)
            return there

    async def _reserve(self, wanted: WantedName, job: Job) -> NameReservation:
        for _ in range(self._tries):
            reservation = await self._store.reserve_name(wanted, job, now=self._clock())
            if reservation is not None:
                return reservation
            await asyncio.sleep(_PAUSE)
        raise NameBusy(message('another job is creating "{name}"', name=wanted.name))

    async def _create_in_paperless(
        self, wanted: WantedName, reservation: NameReservation, document: int
    ) -> Name:
        try:
            rights = await choose_rights(self._rights, self._client, document)
            made = await self._client.names.create(NAME_KINDS[wanted.field], wanted.name, rights)
        except (PaperlessRefused, PermissionMissing, GroupMissing):
            # It was not created. After any other error that is unknown: the reservation stays.
            await self._store.release_reservation(reservation)
            raise
        self._catalogue.invalidate(wanted.field)
        name = Name(made.id, made.name)
        if made.document_count is None:
            await self._store.mark_created(reservation, name, now=self._clock())
        else:
            # A response to a creation has no count: someone else created it first.
            await self._store.release_reservation(reservation)
        return name

    async def _settle(self, wanted: WantedName, reservation: NameReservation) -> None:
        """Record an existing name as created by us if an earlier attempt died after creating it."""
        found = await self._client.names.find(NAME_KINDS[wanted.field], wanted.name)
        if reservation.is_inherited and found and looks_created_by_us(found, wanted.name):
            await self._store.mark_created(
                reservation, Name(found.id, found.name), now=self._clock()
            )
        else:
            await self._store.release_reservation(reservation)


async def choose_rights(policy: RightsPolicy, client: PaperlessClient, document: int) -> Rights:
    """Return the rights of a name that is created for a document. Raise GroupMissing.

    Our own user always sees the name and may change it: a name that we cannot see would be created
    a second time.
    """
    if policy.owner is NameOwner.NOBODY:
        return Rights()
    us = (await client.fetch_user()).id
    template = Rights(owner=us)
    if policy.owner is NameOwner.DOCUMENT:
        template = await client.fetch_rights(document)
    ids = await find_groups(policy.groups, client)
    view = {ids[name] for name in policy.view_groups}
    change = {ids[name] for name in policy.change_groups}
    if template.owner is None:
        return Rights()
    shared = template.permissions
    return Rights(
        owner=template.owner,
        permissions=Shares(
            view=Parties(users=frozenset({us}), groups=shared.view.groups | view | change),
            change=Parties(users=frozenset({us}), groups=shared.change.groups | change),
        ),
    )


async def find_groups(names: frozenset[str], client: PaperlessClient) -> dict[str, int]:
    """Return the ids of groups by name; raise GroupMissing, or PermissionMissing."""
    if not names:
        return {}
    found = {group.name: group.id async for group in client.list_groups()}
    if missing := sorted(names - found.keys()):
        listed = ", ".join(missing)
        raise GroupMissing(message("Paperless has no group {names}", names=listed))
    return {name: found[name] for name in names}


def looks_created_by_us(found: NamedObject, name: str) -> bool:
    """Return whether a name has exactly this spelling and no matching rule, as ours have."""
    return found.name == name and found.matching_algorithm == 0
