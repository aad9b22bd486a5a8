"""Find names that we created and nothing uses any more, and remove them on request."""

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
    """What may need a name although no document has it."""

    settings: frozenset[str]
    """Names in the settings."""
    parents: frozenset[int]
    """Tags with other tags beneath them."""
    aliases: frozenset[tuple[FieldName, int]]
    """Targets of aliases."""
    changes: frozenset[tuple[FieldName, str]]
    """Names of changes that are not written yet, by key."""


@dataclass(frozen=True, slots=True)
class InspectedName:
    """A name that we created, as Paperless has it."""

    made: CreatedName
    found: NamedObject
    kept: KeepReason | None
    """Why it is kept; None if it can be removed."""


def reason_to_keep(
    made: CreatedName, found: NamedObject, references: NameReferences
) -> KeepReason | None:
    """Return why a name must be kept; None if it can be removed."""
    field = made.field
    reasons = {
        KeepReason.IN_USE: found.document_count != 0,
        # A name that someone renamed or gave a matching rule is wanted.
        KeepReason.RENAMED: found.name != made.name,
        KeepReason.HAS_RULES: found.matching_algorithm != 0 or found.is_inbox_tag,
        KeepReason.IS_PARENT: field is FieldName.TAGS and found.id in references.parents,
        KeepReason.IN_SETTINGS: found.name in references.settings,
        KeepReason.HAS_ALIAS: (field, found.id) in references.aliases,
        KeepReason.WAITS: (field, spelling_key(found.name)) in references.changes,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def collect_references(
    settings: Iterable[str],
    tags: Iterable[NamedObject],
    aliases: Iterable[Alias],
    unsettled: Iterable[Change],
) -> NameReferences:
    """Collect what may need a name."""
    targets = ((alias.meaning.field, alias.meaning.target) for alias in aliases)
    wanted = (given for change in unsettled if (given := name_given_by(change)))
    return NameReferences(
        settings=frozenset(settings),
        parents=frozenset(tag.parent for tag in tags if tag.parent is not None),
        aliases=frozenset((field, to.id) for field, to in targets if to and to.id is not None),
        changes=frozenset((field, spelling_key(name.name)) for field, name in wanted),
    )


async def inspect_name(
    client: PaperlessClient, made: CreatedName, references: NameReferences
) -> InspectedName | None:
    """Fetch a name and check whether it can be removed; return None if it is gone."""
    kind = NAME_KINDS[made.field]
    if made.name_id is not None:
        found = await client.names.fetch(kind, made.name_id)
    else:
        # An attempt died while creating it: a name that looks created by us is ours.
        found = await client.names.find(kind, made.name)
        found = found if found and looks_created_by_us(found, made.name) else None
    if found is None:
        return None
    return InspectedName(made, found, reason_to_keep(made, found, references))


async def remove_name(
    client: PaperlessClient,
    store: Store,
    inspected: InspectedName,
    references: NameReferences,
    *,
    now: datetime,
) -> KeepReason | None:
    """Delete a name; return why it was kept, if it is needed by now."""
    again = await inspect_name(client, inspected.made, references)
    if again is not None and again.kept is not None:
        return again.kept
    if again is not None:
        await client.names.delete(NAME_KINDS[inspected.made.field], again.found.id)
    await store.names.mark_removed(inspected.made, now=now)
    return None
