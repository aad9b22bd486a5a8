"""Search the archive index, and decide which documents enter it."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from actions.caller import Caller
from core.archive import (
    ArchiveHit,
    ArchiveHits,
    ArchiveSearch,
    IndexChoice,
    IndexMode,
    choose_index_mode,
)
from core.scans import KnownInstance


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One page of results, and what could not be searched."""

    found: ArchiveHits
    not_ready: tuple[str, ...]
    """Instances that are not searched yet: their index is new, or excluded tags have changed."""
    is_on: bool
    """Whether any of the instances has an index."""


async def search_archive(
    caller: Caller, wanted: ArchiveSearch, instances: Collection[str] | None = None
) -> SearchResult:
    """Search the instances that the caller may see, or some of them.

    An instance whose excluded tags have changed is left out until the documents with these tags
    are removed from the index. Raise InstanceUnknown.
    """
    names = caller.settings if instances is None else instances
    settings = {name: caller.require_instance(name) for name in names}
    on = {name: found for name, found in settings.items() if found.index.enabled is not False}
    checked = await caller.store.index.list_excluded_tags()
    ready = frozenset(
        name
        for name, found in on.items()
        if checked.get(name) == frozenset(found.scan.exclude_tags)
    )
    found = await caller.store.index.search(replace(wanted, instances=ready))
    found = replace(found, hits=await _with_newest_titles(caller, found.hits))
    return SearchResult(found, tuple(sorted(on.keys() - ready)), is_on=bool(on))


async def list_undecided(caller: Caller) -> tuple[str, ...]:
    """Return the instances whose owner has not decided yet whether all documents are indexed."""
    known = {instance.name: instance for instance in await caller.store.instances.list_all()}
    return tuple(
        name
        for name in caller.settings
        if name in known and get_index_mode(caller, known[name]) is IndexMode.ASK
    )


def get_index_mode(caller: Caller, known: KnownInstance) -> IndexMode:
    """Return which documents of an instance enter the index."""
    settings = caller.require_instance(known.name)
    return choose_index_mode(
        enabled=settings.index.enabled,
        limits_reading=bool(settings.scan.include_tags),
        choice=known.index_choice,
    )


async def decide_index(caller: Caller, instance: str, choice: IndexChoice) -> None:
    """Store whether all documents of an instance are indexed. Raise InstanceUnknown."""
    caller.require_instance(instance)
    await caller.store.instances.choose_index(instance, choice)


async def _with_newest_titles(
    caller: Caller, hits: tuple[ArchiveHit, ...]
) -> tuple[ArchiveHit, ...]:
    """Return the hits with titles that were read or written since the documents were indexed."""
    refs = [hit.fields.ref for hit in hits]
    known = await caller.store.documents.get_many_by_ref(refs) if refs else {}
    return tuple(
        replace(hit, fields=replace(hit.fields, title=document.title))
        if (document := known.get(hit.fields.ref))
        and document.title
        and document.updated_at > hit.fields.modified
        else hit
        for hit in hits
    )
