"""Who owns a name that is created, and who may see and change it."""

from dataclasses import dataclass

from core.errors import PermanentError
from core.messages import message
from core.names import NameOwner
from paperless_client import PaperlessClient, Parties, Rights, Shares


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
    return _share_with(template, us, view, change)


async def find_groups(names: frozenset[str], client: PaperlessClient) -> dict[str, int]:
    """Return the ids of groups by name; raise GroupMissing, or PermissionMissing."""
    if not names:
        return {}
    found = {group.name: group.id async for group in client.list_groups()}
    if missing := sorted(names - found.keys()):
        listed = ", ".join(missing)
        raise GroupMissing(message("Paperless has no group {names}", names=listed))
    return {name: found[name] for name in names}


def _share_with(template: Rights, us: int, view: set[int], change: set[int]) -> Rights:
    """Return the owner and the groups of the template, shared with us and with further groups."""
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
