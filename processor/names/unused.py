"""Names that we made and nothing uses any more: find them, and remove them when asked to."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from core.changes import Change, name_given_by
from core.fields import FieldName
from core.names import Alias, CreatedName, KeepReason
from paperless_client import NamedObject, PaperlessClient
from processor.analysis.name_matching import spelling_key
from processor.names.catalogue import NAME_KINDS
from processor.names.create import looks_created_by_us
from store import Store


@dataclass(frozen=True, slots=True)
class NameReferences:
    """What may hold a name though no document has it."""

    settings: frozenset[str]
    """Names that the settings mention."""
    parents: frozenset[int]
    """Tags with others beneath them."""
    aliases: frozenset[tuple[FieldName, int]]
    """Names that an alias leads to."""
    changes: frozenset[tuple[FieldName, str]]
    """Names, by key, that something waits to be written with."""


@dataclass(frozen=True, slots=True)
class InspectedName:
    """A name that we made, as it is in Paperless."""

    made: CreatedName
    found: NamedObject
    kept: KeepReason | None
    """None: it can be removed."""


def reason_to_keep(
    made: CreatedName, found: NamedObject, ties: NameReferences
) -> KeepReason | None:
    """Say why a name is not to be removed; None if nothing speaks against it."""
    field = made.field
    reasons = {
        KeepReason.IN_USE: found.document_count != 0,
        # Whoever gave it another name, or had Paperless give it to documents, wants it.
        KeepReason.RENAMED: found.name != made.name,
        KeepReason.HAS_RULES: found.matching_algorithm != 0 or found.is_inbox_tag,
        KeepReason.IS_PARENT: field is FieldName.TAGS and found.id in ties.parents,
        KeepReason.IN_SETTINGS: found.name in ties.settings,
        KeepReason.HAS_ALIAS: (field, found.id) in ties.aliases,
        KeepReason.WAITS: (field, spelling_key(found.name)) in ties.changes,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def collect_references(
    settings: Iterable[str],
    tags: Iterable[NamedObject],
    aliases: Iterable[Alias],
    unsettled: Iterable[Change],
) -> NameReferences:
    """Put together what may hold a name."""
    targets = ((one.meaning.field, one.meaning.target) for one in aliases)
    wanted = (given for one in unsettled if (given := name_given_by(one)))
    return NameReferences(
        settings=frozenset(settings),
        parents=frozenset(tag.parent for tag in tags if tag.parent is not None),
        aliases=frozenset((field, to.id) for field, to in targets if to and to.id is not None),
        changes=frozenset((field, spelling_key(name.name)) for field, name in wanted),
    )


async def inspect_name(
    client: PaperlessClient, made: CreatedName, ties: NameReferences
) -> InspectedName | None:
    """Read a name afresh, and say whether it can be removed; None if it is gone."""
    found = await _found(client, made)
    return None if found is None else InspectedName(made, found, reason_to_keep(made, found, ties))


async def remove_name(
    client: PaperlessClient,
    store: Store,
    one: InspectedName,
    ties: NameReferences,
    *,
    now: datetime,
) -> KeepReason | None:
    """Delete a name, or say what has come to speak against it since it was looked at."""
    again = await inspect_name(client, one.made, ties)
    if again is not None and again.kept is not None:
        return again.kept
    if again is not None:
        await client.delete_name(NAME_KINDS[one.made.field], again.found.id)
    await store.names.mark_removed(one.made, now=now)
    return None


async def _found(client: PaperlessClient, made: CreatedName) -> NamedObject | None:
    kind = NAME_KINDS[made.field]
    if made.name_id is not None:
        return await client.fetch_name(kind, made.name_id)
    # An attempt died over it: whatever has its name and looks like ours is ours.
    found = await client.find_name(kind, made.name)
    return found if found and looks_created_by_us(found, made.name) else None
