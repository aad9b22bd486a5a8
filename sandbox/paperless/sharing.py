"""Owner and shares of documents and names, as requests contain them."""

from sandbox.paperless.records import Shares
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


def read_shares(value: object) -> Shares:
    """Parse `set_permissions`; groups are accepted and ignored."""
    if not isinstance(value, dict):
        raise Invalid("Expected a dictionary.")
    return Shares(view=_users(value.get("view")), change=_users(value.get("change")))


def _users(value: object) -> set[int]:
    users = value.get("users") if isinstance(value, dict) else None
    return {read_key(user) for user in users or []}
