"""Owner and shares of documents and names, as requests contain them."""

from sandbox.paperless.records import Shares
from sandbox.paperless.replies import Crashed
from sandbox.paperless.values import Invalid, read_key, unknown_key
from sandbox.paperless.world import World


def read_owner(world: World, value: object) -> int | None:
    """Parse the id of a user; None means no owner."""
    if value in (None, ""):
        return None
    key = read_key(value)
    if all(user.id != key for user in world.users.values()):
        raise unknown_key(value)
    return key


def read_shares(world: World, value: object) -> Shares:
    """Parse `set_permissions`; who may change something may also see it."""
    if not isinstance(value, dict):
        raise Invalid("Expected a dictionary.")
    change, change_groups = _parties(world, value.get("change"))
    view, view_groups = _parties(world, value.get("view"))
    return Shares(view | change, change, view_groups | change_groups, change_groups)


def _parties(world: World, value: object) -> tuple[set[int], set[int]]:
    """Return the users and the groups of one permission, by their ids."""
    given = value if isinstance(value, dict) else {}
    groups = given.get("groups") or []
    if any(isinstance(group, str) for group in groups):
        # Paperless does not expect a name there.
        raise Crashed
    if any(group not in world.groups for group in groups):
        raise Invalid("Some groups in don't exist or were specified twice.")
    return {read_key(user) for user in given.get("users") or []}, set(groups)
