"""Names that Paperclerk created and no document has any more: list them, and remove them."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from actions.caller import Caller
from core.changes import WAITING, Change, ChangeState
from core.names import KeepReason
from core.settings import InstanceSettings
from paperless_client import NameKind
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
class UnusedName:
    """A name that no document has, with what may need it."""

    instance: str
    inspected: InspectedName
    references: NameReferences


async def list_unused(caller: Caller, instance: str) -> AsyncIterator[UnusedName]:
    """Yield names that we created and that no document in Paperless has at this moment.

    Raise PaperlessError.
    """
    names = await caller.store.names.list_created_names(instance)
    if not names:
        return
    client = caller.get_instance(instance).paperless
    references = await _collect_references(caller, instance)
    for name in names:
        inspected = await inspect_name(client, name, references)
        if inspected is not None and inspected.kept is not KeepReason.IN_USE:
            yield UnusedName(instance, inspected, references)


async def remove_unused(caller: Caller, unused: UnusedName) -> KeepReason | None:
    """Delete a name from Paperless; return why it was kept, if it is needed by now."""
    return unused.inspected.kept or await remove_name(
        caller.get_instance(unused.instance).paperless,
        caller.store,
        unused.inspected,
        unused.references,
        now=caller.now(),
    )


async def _collect_references(caller: Caller, instance: str) -> NameReferences:
    client = caller.get_instance(instance).paperless
    return collect_references(
        _names_in_settings(caller.require_instance(instance)),
        [tag async for tag in client.names.list_all(NameKind.TAG)],
        await caller.store.names.list_aliases(instance),
        [change async for change in _list_unsettled(caller.store, instance)],
    )


def _names_in_settings(settings: InstanceSettings) -> Iterator[str]:
    scan = settings.scan
    yield from (*scan.include_tags, *scan.exclude_tags, *scan.remove_tags, scan.done_tag)
    yield from settings.names.descriptions
    yield from settings.ai.type_instructions


async def _list_unsettled(store: Store, instance: str) -> AsyncIterator[Change]:
    """Yield changes that are for review or about to be written."""
    before = None
    while True:
        wanted = HistoryFilter(instance, before_id=before, states=_UNSETTLED)
        page = await store.changes.list_history(wanted, _PAGE)
        for change in page:
            yield change
        if len(page) < _PAGE:
            return
        before = page[-1].id
