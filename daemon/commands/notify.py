"""`notify`: see whether messages arrive."""

from core.clock import utc_now
from daemon.cli.exits import Exit, UsageError, list_choices
from daemon.cli.options import Options
from daemon.cli.output import console
from daemon.context import load, zone_of
from daemon.notify.notifier import build_message_format, send_test
from daemon.notify.sender import Sender


async def test(options: Options, which: str | None) -> Exit:
    """Send a message that says that it is a test, to all addresses or to those that are meant."""
    settings = load(options)
    if not settings.daemon.notify.urls:
        raise UsageError("no messages are sent: there are no notify.urls in daemon.toml")
    sender = _chosen(Sender(settings.daemon.notify.urls), which)
    sender.require_all()
    await send_test(
        sender, build_message_format(settings.daemon, zone=zone_of(settings), now=utc_now())
    )
    console().print(f"sent to {', '.join(sender.names)}")
    return Exit.OK


def _chosen(sender: Sender, which: str | None) -> Sender:
    if which is None:
        return sender
    chosen = sender.select(which)
    if not chosen.names and not chosen.wrong:
        there = list_choices(sender.numbered or ["none that can be used"])
        raise UsageError(f'there is no address "{which}" in notify.urls; {there}')
    return chosen
