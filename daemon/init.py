"""Check an instance before its settings are written."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from core.clock import utc_now
from core.messages import Message, message
from core.settings import InstanceSettings, Settings
from daemon.context import Context
from daemon.permissions import all_permissions
from daemon.services import Services, open_services
from paperless_client import User
from store import OpenMode, open_store


@asynccontextmanager
async def open_draft(settings: Settings) -> AsyncIterator[Services]:
    """Connect instances whose settings are not written yet, with a temporary database."""
    with TemporaryDirectory(prefix="paperclerk-init-") as folder:
        data = Path(folder)
        async with open_store(None, data, opening=OpenMode.WORK, clock=utc_now) as store:
            context = Context(settings, store, data, store.clock)
            async with open_services(context, tuple(settings.instances)) as services:
                yield services


def advise_on_user(user: User, settings: InstanceSettings) -> Message | None:
    """Return advice if the token's user may do more than necessary."""
    if not user.is_superuser:
        return None
    return message(
        'The token belongs to the superuser "{user}", who may do everything. It works; a user of '
        "its own is safer. Create one in Paperless (Users & Groups) with these permissions: "
        "{permissions}",
        user=user.username,
        permissions=", ".join(all_permissions(settings)),
    )
