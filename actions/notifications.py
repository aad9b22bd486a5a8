"""List notifications, and mark them as read; they concern all instances."""

from actions.caller import Caller
from actions.errors import AllInstancesRequired
from core.notifications import Notification


async def list_notifications(
    caller: Caller, *, limit: int, before_id: int | None = None, only_unread: bool = False
) -> tuple[Notification, ...]:
    """List notifications, newest first; raise AllInstancesRequired."""
    _require_all_instances(caller)
    return await caller.store.notifications.list(
        limit=limit, before_id=before_id, only_unread=only_unread
    )


async def mark_read(caller: Caller, notification: int) -> int:
    """Mark one as read and return 1, or 0 if it was read before.

    Raise NotificationNotFound or AllInstancesRequired.
    """
    _require_all_instances(caller)
    return await caller.store.notifications.mark_read(notification, now=caller.now())


async def mark_all_read(caller: Caller, until_id: int | None = None) -> int:
    """Mark all as read and return how many were unread; raise AllInstancesRequired.

    With `until_id`, newer ones stay unread: the person has not seen them.
    """
    _require_all_instances(caller)
    return await caller.store.notifications.mark_all_read(until_id, now=caller.now())


def _require_all_instances(caller: Caller) -> None:
    if caller.only is not None:
        raise AllInstancesRequired
