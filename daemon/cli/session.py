"""Open settings, store and services for a command.

They are imported on first use, so that `--help` and `version` load neither of them.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from core.documents import DocumentRef
from daemon.cli.arguments import Options

if TYPE_CHECKING:
    from daemon.context import Context
    from daemon.services import Services


def open_context(options: Options) -> "AbstractAsyncContextManager[Context]":
    """Load the settings and open the store; create or migrate the database if necessary."""
    from daemon.context import open_context

    return open_context(options)


def open_context_for_reading(options: Options) -> "AbstractAsyncContextManager[Context]":
    """Load the settings and open the store; never create or migrate the database."""
    from daemon.context import open_context
    from store import OpenMode

    return open_context(options, opening=OpenMode.LOOK)


@asynccontextmanager
async def open_services(options: Options, name: str | None) -> "AsyncIterator[Services]":
    """Yield the services of one instance, or of all if `name` is None."""
    from daemon.services import open_services

    async with (
        open_context(options) as context,
        open_services(context, context.select_instances(name)) as services,
    ):
        yield services


@asynccontextmanager
async def open_services_for_reading(
    options: Options, name: str | None
) -> "AsyncIterator[Services]":
    """Yield services as `open_services` does, without creating or migrating the database."""
    from daemon.services import open_services

    async with (
        open_context_for_reading(options) as context,
        open_services(context, context.select_instances(name)) as services,
    ):
        yield services


@asynccontextmanager
async def open_services_for_documents(
    options: Options, refs: Iterable[DocumentRef]
) -> "AsyncIterator[Services]":
    """Yield the services of the instances that the documents belong to."""
    from daemon.services import open_services

    async with open_context(options) as context:
        names = {name for ref in refs for name in context.select_instances(ref.instance)}
        async with open_services(context, names) as services:
            yield services
