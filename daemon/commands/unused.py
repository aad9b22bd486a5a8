"""`names unused`: names that Paperclerk made and nothing uses any more."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime

from core.changes import WAITING, Change, ChangeState
from core.fields import FieldName
from core.names import KeepReason
from core.settings import InstanceSettings
from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console, format_local, print_json, print_table
from daemon.context import open_context
from daemon.services import Services, open_services
from i18n.labels import FIELDS, KEPT
from paperless_client import NameKind
from processor.instance import Instance
from processor.names.unused import (
    InspectedName,
    NameReferences,
    collect_references,
    inspect_name,
    remove_name,
)
from store import HistoryFilter, Store

_PAGE = 1000
_UNSETTLED = WAITING | {ChangeState.INTENDED}


@dataclass(frozen=True, slots=True)
class Unused:
    """A name that no document has, as `--json` gives it."""

    instance: str
    field: FieldName
    name: str
    id: int
    made_at: datetime | None
    document: str
    """The one that it was made for."""
    kept: KeepReason | None
    """Why it is not to be removed all the same."""


async def show(options: Options, *, name: str | None, as_json: bool) -> Exit:
    """Show the names that could be removed, and those that could not; remove nothing."""
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(name)) as services,
    ):
        found = [
            _summarize(one)
            for instance in services.instances.values()
            async for one, _ in _unused(services, instance)
        ]
        if as_json:
            print_json(found)
        elif not found:
            console().print("nothing that Paperclerk made is unused")
        else:
            rows = (_row(one, format_local(one.made_at, memory.zone)) for one in found)
            print_table(("name", "kind", "instance", "made", "for", "state"), rows)
            console().print("counted by what the token's user sees; `--remove` removes them")
        return Exit.OK


async def remove_all(options: Options, *, name: str | None) -> Exit:
    """Remove the names that nothing uses, each looked at once more right before."""
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(name)) as services,
    ):
        count = 0
        for instance in services.instances.values():
            async for one, ties in _unused(services, instance):
                count += await _remove(services, instance, one, ties)
        console().print(f"{count} removed")
        return Exit.OK


async def _remove(
    services: Services, instance: Instance, one: InspectedName, ties: NameReferences
) -> int:
    now = services.context.clock()
    kept = one.kept or await remove_name(instance.paperless, services.store, one, ties, now=now)
    called = f'{FIELDS[one.made.field]} "{one.found.name}" in {instance.name}'
    console().print(f"kept: {called}: {KEPT[kept]}" if kept else f"removed: {called}")
    return 0 if kept else 1


async def _unused(
    services: Services, instance: Instance
) -> AsyncIterator[tuple[InspectedName, NameReferences]]:
    """Yield what we made and no document has, as Paperless tells it at this moment."""
    names = await services.store.names.list_created_names(instance.name)
    if not names:
        return
    ties = await _ties(services, instance)
    for name in names:
        one = await inspect_name(instance.paperless, name, ties)
        if one is not None and one.kept is not KeepReason.IN_USE:
            yield one, ties


async def _ties(services: Services, instance: Instance) -> NameReferences:
    settings = services.context.settings.instances[instance.name]
    return collect_references(
        _mentioned(settings),
        [tag async for tag in instance.paperless.list_names(NameKind.TAG)],
        await services.store.names.list_aliases(instance.name),
        [change async for change in _unsettled(services.store, instance.name)],
    )


def _mentioned(settings: InstanceSettings) -> Iterator[str]:
    scan = settings.scan
    yield from (*scan.include_tags, *scan.exclude_tags, *scan.remove_tags, scan.done_tag)
    yield from settings.names.descriptions


async def _unsettled(store: Store, instance: str) -> AsyncIterator[Change]:
    """Yield what waits for a person, or is about to be written."""
    before = None
    while True:
        wanted = HistoryFilter(instance, before_id=before, states=_UNSETTLED)
        page = await store.changes.list_history(wanted, _PAGE)
        for change in page:
            yield change
        if len(page) < _PAGE:
            return
        before = page[-1].id


def _summarize(one: InspectedName) -> Unused:
    made = one.made
    return Unused(
        made.document.instance,
        made.field,
        one.found.name,
        one.found.id,
        made.made_at,
        str(made.document),
        one.kept,
    )


def _row(one: Unused, made_at: str) -> tuple[str, ...]:
    said = f"kept: {KEPT[one.kept]}" if one.kept else "can be removed"
    return one.name, str(FIELDS[one.field]), one.instance, made_at, one.document, said
