"""`names`: new names that wait for a person, and what the person says about them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from actions import names
from actions.names import NamesDecided, StillWaits
from actions.new_names import NewName, waiting_names
from core.names import Where
from daemon.cli.decisions import see_through
from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console, plural, print_json, print_table
from daemon.context import open_memory
from daemon.services import Clerk, open_clerk
from i18n.labels import FIELDS, reason_words
from store import Opening


async def list_new(options: Options, *, name: str | None, as_json: bool) -> Exit:
    """Show the new names that wait."""
    async with _clerk(options, name, Opening.LOOK) as clerk:
        found = await waiting_names(clerk.caller)
    if as_json:
        print_json(found)
    elif not found:
        console().print("no new names wait for you")
    else:
        print_table(("name", "kind", "instance", "documents", "similar"), map(_row, found))
    return Exit.OK


async def create(options: Options, wanted: Sequence[str], where: Where) -> Exit:
    """Have names created with the documents that wait with them."""
    async with _clerk(options, where.instance) as clerk:
        return await _see_through(clerk, await names.create(clerk.caller, wanted, where))


async def use(options: Options, new: str, existing: str, where: Where) -> Exit:
    """Have a name mean one that exists, for the documents that wait and from now on."""
    async with _clerk(options, where.instance) as clerk:
        return await _see_through(clerk, await names.use(clerk.caller, new, existing, where))


async def never(options: Options, unwanted: Sequence[str], where: Where) -> Exit:
    """Never have names suggested again, and reject what waits with them."""
    async with _clerk(options, where.instance) as clerk:
        return await _see_through(clerk, await names.never(clerk.caller, unwanted, where))


@asynccontextmanager
async def _clerk(
    options: Options, name: str | None, opening: Opening = Opening.WORK
) -> AsyncIterator[Clerk]:
    async with (
        open_memory(options, opening=opening) as memory,
        open_clerk(memory, memory.chosen(name)) as clerk,
    ):
        yield clerk


async def _see_through(clerk: Clerk, said: NamesDecided) -> Exit:
    for one in said.still_wait:
        console().print(_still(one))
    return await see_through(clerk, said.decided)


def _still(one: StillWaits) -> str:
    why = reason_words(one.revised.reasons) or "someone set another value meanwhile"
    return f'{one.document} still waits, with "{one.revised.after}": {why}'


def _row(one: NewName) -> tuple[str, ...]:
    count = plural(len(one.documents), "document")
    return one.name, str(FIELDS[one.field]), one.instance, count, ", ".join(one.similar)
