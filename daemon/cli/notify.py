"""`notify test`: send a test notification."""

from typing import TYPE_CHECKING, Annotated

import typer

from core.calendar import utc_now
from daemon.cli.app import notify
from daemon.cli.exits import Exit, UsageError, async_command, list_choices
from daemon.cli.output import console

if TYPE_CHECKING:
    from daemon.notify.sender import Sender


@notify.command("test")
@async_command
async def notify_test(
    ctx: typer.Context,
    which: Annotated[
        str | None,
        typer.Argument(metavar="ADDRESS", help="Number in the list, or service; default: all."),
    ] = None,
) -> Exit:
    """Send a test notification to every address of `notify.urls`, or to one of them."""
    from daemon.context import load, zone_of
    from daemon.notify.notifier import build_message_format, send_test
    from daemon.notify.sender import Sender

    settings = load(ctx.obj)
    if not settings.daemon.notify.urls:
        raise UsageError("notifications are off: daemon.toml contains no notify.urls")
    sender = _select_addresses(Sender(settings.daemon.notify.urls), which)
    sender.require_all()
    await send_test(
        sender, build_message_format(settings.daemon, zone=zone_of(settings), now=utc_now())
    )
    console().print(f"sent to {', '.join(sender.names)}")
    return Exit.OK


def _select_addresses(sender: "Sender", which: str | None) -> "Sender":
    if which is None:
        return sender
    selected = sender.select(which)
    if not selected.names and not selected.wrong:
        choices = list_choices(sender.channels or ["none that can be used"])
        raise UsageError(f'there is no address "{which}" in notify.urls; {choices}')
    return selected
