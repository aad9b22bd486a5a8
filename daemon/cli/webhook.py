"""`webhook install`: let Paperless announce new documents at once."""

from typing import TYPE_CHECKING, Annotated

import typer

from daemon.cli.app import webhook as group
from daemon.cli.exits import Exit, async_command
from daemon.cli.output import console
from daemon.cli.session import open_services

if TYPE_CHECKING:
    from actions.webhooks import InstalledWebhook


@group.command("install")
@async_command
async def install(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="An instance.")],
) -> Exit:
    """Create or update the workflow in Paperless, with a new secret."""
    from actions.webhooks import install_webhook

    async with open_services(ctx.obj, name) as services:
        url = services.context.settings.daemon.web.webhook_address(name)
        installed = await install_webhook(services.caller, name, url)
    if installed.refused is None:
        console().print(f'{name}: the workflow "{installed.workflow.name}" sends to {url}')
        console().print("    the previous secret is no longer valid")
        return Exit.OK
    console().print(f"{name}: {installed.refused}")
    _print_entries(installed)
    return Exit.LOOK


def _print_entries(installed: "InstalledWebhook") -> None:
    """Print what a person must enter in Paperless; the secret is shown once."""
    workflow, update = installed.workflow, installed.workflow.update_trigger
    rows = [
        ("name", workflow.name),
        ("trigger", "Document Added"),
        ("action", "Webhook"),
        ("webhook URL", workflow.url),
        ("parameters", "use parameters for the body, send as JSON, in this order:"),
        *((f"    {key}", value) for key, value in workflow.params.items()),
        *((f"header {key}", value) for key, value in workflow.headers.items()),
    ]
    if update is not None:
        with_tags, without_tags = _join(update.with_tags), _join(update.without_tags)
        rows.insert(
            2,
            (
                "2nd trigger",
                f"Document Updated, has all tags {with_tags}, does not have tags {without_tags}",
            ),
        )
    console().print("Enter this workflow in Paperless (Workflows, Add workflow):")
    for key, value in rows:
        console().print(f"    {key:<28} {value}")
    console().print("The secret is not shown again; the previous one is no longer valid.")


def _join(ids: frozenset[int]) -> str:
    return ", ".join(f"#{id_}" for id_ in sorted(ids))
