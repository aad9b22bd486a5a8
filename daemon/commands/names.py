"""`names`: new names that wait for a person, and what the person says about them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from actions import names
from actions.names import NameDecisionResult, StillWaiting
from actions.new_names import NewName, list_new_names
from core.names import NameFilter
from daemon.cli.decisions import process_decisions
from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console, plural, print_json, print_table
from daemon.context import open_context
from daemon.services import Services, open_services
from i18n.labels import FIELDS, reasons_label
from store import OpenMode


async def list_new(options: Options, *, name: str | None, as_json: bool) -> Exit:
    """Show the new names that wait."""
    async with _open_services(options, name, OpenMode.LOOK) as services:
        found = await list_new_names(services.caller)
    if as_json:
        print_json(found)
    elif not found:
        console().print("no new names wait for you")
    else:
        print_table(("name", "kind", "instance", "documents", "similar"), map(_row, found))
    return Exit.OK


async def create(options: Options, wanted: Sequence[str], where: NameFilter) -> Exit:
    """Have names created with the documents that wait with them."""
    async with _open_services(options, where.instance) as services:
        return await _see_through(
            services, await names.create_names(services.caller, wanted, where)
        )


async def use(options: Options, new: str, existing: str, where: NameFilter) -> Exit:
    """Have a name mean one that exists, for the documents that wait and from now on."""
    async with _open_services(options, where.instance) as services:
        return await _see_through(
            services, await names.use_existing(services.caller, new, existing, where)
        )


async def never(options: Options, unwanted: Sequence[str], where: NameFilter) -> Exit:
    """Never have names suggested again, and reject what waits with them."""
    async with _open_services(options, where.instance) as services:
        return await _see_through(
            services, await names.never_suggest(services.caller, unwanted, where)
        )


@asynccontextmanager
async def _open_services(
    options: Options, name: str | None, opening: OpenMode = OpenMode.WORK
) -> AsyncIterator[Services]:
    async with (
        open_context(options, opening=opening) as memory,
        open_services(memory, memory.select_instances(name)) as services,
    ):
        yield services


async def _see_through(services: Services, said: NameDecisionResult) -> Exit:
    for one in said.still_wait:
        console().print(_still(one))
    return await process_decisions(services, said.decided)


def _still(one: StillWaiting) -> str:
    why = reasons_label(one.revised.reasons) or "someone set another value meanwhile"
    return f'{one.document} still waits, with "{one.revised.after}": {why}'


def _row(one: NewName) -> tuple[str, ...]:
    count = plural(len(one.documents), "document")
    return one.name, str(FIELDS[one.field]), one.instance, count, ", ".join(one.similar)
