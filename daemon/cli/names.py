"""Commands about names: new ones that wait, aliases, and those that nothing uses any more."""

from functools import partial
from typing import Annotated

import typer

from core.names import NameFilter
from daemon.cli import parsing
from daemon.cli.app import names
from daemon.cli.arguments import FLAG, AsJson, Field, Instance, Of
from daemon.cli.exits import run

NewNames = Annotated[
    list[str], typer.Argument(metavar="NAME", help="Names that wait, as `names` lists them.")
]


@names.callback()
def list_by_default(ctx: typer.Context) -> None:
    """Without another word: the list."""
    from daemon.commands import names

    if ctx.invoked_subcommand is None:
        run(lambda: names.list_new(ctx.obj, name=None, as_json=False))


@names.command("list")
def names_list(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> None:
    """Show the new names that wait, how many documents want each, and what they are like."""
    from daemon.commands import names

    run(lambda: names.list_new(ctx.obj, name=name, as_json=as_json))


@names.command("create")
def names_create(
    ctx: typer.Context, wanted: NewNames, field: Field = "", instance: Of = None
) -> None:
    """Have new names created, together with the documents that wait with them."""
    from daemon.commands import names

    run(lambda: names.create(ctx.obj, wanted, _where(field, instance)))


@names.command("use")
def names_use(
    ctx: typer.Context,
    new: Annotated[str, typer.Argument(metavar="NEW", help="The name that was suggested.")],
    existing: Annotated[
        str, typer.Argument(metavar="EXISTING", help="The name in Paperless that it means.")
    ],
    field: Field = "",
    instance: Of = None,
) -> None:
    """Have a new name mean one that exists, from now on and for the documents that wait."""
    from daemon.commands import names

    run(lambda: names.use(ctx.obj, new, existing, _where(field, instance)))


@names.command("never")
def names_never(
    ctx: typer.Context, unwanted: NewNames, field: Field = "", instance: Of = None
) -> None:
    """Never have names suggested again; what waits with them is rejected."""
    from daemon.commands import names

    run(lambda: names.never(ctx.obj, unwanted, _where(field, instance)))


@names.command("aliases")
def names_aliases(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> None:
    """Show which names mean others by your word, and which are never suggested."""
    from daemon.commands import aliases

    run(lambda: aliases.list_all(ctx.obj, name=name, as_json=as_json))


@names.command("forget")
def names_forget(
    ctx: typer.Context,
    spellings: Annotated[
        list[str], typer.Argument(metavar="NAME", help="Names, as `names aliases` lists them.")
    ],
    field: Field = "",
    instance: Of = None,
) -> None:
    """Take back what names mean by your word; what was written stays."""
    from daemon.commands import aliases

    run(lambda: aliases.forget(ctx.obj, spellings, _where(field, instance)))


@names.command("unused")
def names_unused(
    ctx: typer.Context,
    name: Instance = None,
    remove: Annotated[
        bool,
        typer.Option(
            "--remove", metavar=FLAG, help="Remove them from Paperless; that cannot be undone."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the names that Paperclerk made and no document has any more, or remove them."""
    from daemon.commands import unused

    if remove and as_json:
        raise typer.BadParameter("goes with the list alone", param_hint="--json")
    show = partial(unused.show, ctx.obj, name=name, as_json=as_json)
    run(partial(unused.remove_all, ctx.obj, name=name) if remove else show)


def _where(field: str, instance: str | None) -> NameFilter:
    return NameFilter(instance, parsing.named_field(field))
