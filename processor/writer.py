"""Write the changes of one document to Paperless: names, fresh read, one PATCH, read-back.

Everything is sent in one PATCH, because each bulk edit keeps Paperless's only worker busy for
seconds. A PATCH replaces the whole list of tags and of custom fields, so both are built from the
raw response of a read just before it. Changes that someone makes between the two are lost.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, TypeVar

from pydantic import JsonValue

from core.changes import Change, ChangeOutcome, ChangeState
from core.fields import NAMED_FIELDS, CustomField, FieldName, Name, is_same_value
from core.jobs import Job
from paperless_client import (
    UNSET,
    DocumentPatch,
    FreshFields,
    OutcomeUnknown,
    PaperlessClient,
    PaperlessError,
    PaperlessRefused,
    PermissionMissing,
)
from processor.fields import BUILT_IN_FIELDS, CustomFields, serialize_custom_value
from processor.names.catalogue import Catalogue, NamesInUse
from processor.names.create import NameCreator
from processor.reconcile import (
    ComparedChange,
    Comparison,
    CurrentValues,
    current_value_for,
    read_current_values,
    reconcile,
    tag_of,
    write_target_of,
)

T = TypeVar("T")

_CANCEL_GRACE = timedelta(seconds=1.5)
"""How long a write may still take after a cancel."""


@dataclass(frozen=True, slots=True)
class DocumentSnapshot:
    """A document as just read: as our values, and with its lists as received."""

    current: CurrentValues
    names: NamesInUse
    raw: FreshFields


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The result of a write, by what Paperless has afterwards."""

    outcomes: tuple[ChangeOutcome, ...]
    """Applied, overridden, or still intended if the write had no effect.

    Changes that Paperless may still write are missing: their write stays begun.
    """
    error: PaperlessError | None = None
    is_complete: bool = True
    """Whether the effect on every change is known, and none of them is left to write."""

    def raise_if_unwritten(self) -> None:
        """Raise the error of the write if any change was not written because of it."""
        if self.error is not None and not self.is_complete:
            raise self.error


class DocumentWriter:
    """Writes to the documents of one Paperless."""

    def __init__(
        self,
        client: PaperlessClient,
        catalogue: Catalogue,
        custom_fields: CustomFields,
        name_creator: NameCreator,
    ) -> None:
        self._client = client
        self._catalogue = catalogue
        self._custom_fields = custom_fields
        self._name_creator = name_creator

    async def create_names(self, job: Job, changes: Iterable[Change]) -> tuple[Change, ...]:
        """Return the changes with an id for every name; create names that do not exist yet.

        The name of a change that already conflicts with Paperless is not created: nothing would use
        it. The document is read here only if there are new names.
        """
        changes = tuple(changes)
        if not any(map(needs_new_name, changes)):
            return changes
        names = await self._catalogue.names()
        known = [
            replace(change, after=names.match(*new)) if (new := _new_name(change)) else change
            for change in changes
        ]
        if not any(map(needs_new_name, known)):
            return tuple(known)
        created = []
        for compared in await self.compare(job.document.id, known):
            change = compared.change
            if needs_new_name(change) and compared.comparison is Comparison.OPEN:
                change = replace(change, after=await self._name_creator.create(change, job))
            created.append(change)
        return tuple(created)

    async def read(self, document: int, changes: Iterable[Change]) -> DocumentSnapshot:
        """Read a document; convert its custom fields only if `changes` contain one.

        The document is read last, so that nothing else delays the write that follows.
        """
        is_custom = any(isinstance(change.field, CustomField) for change in changes)
        known = await self._custom_fields.all() if is_custom else ()
        names = await self._catalogue.names()
        raw = await self._client.fetch_fresh_fields(document)
        return DocumentSnapshot(read_current_values(raw.fields, names, known), names, raw)

    async def compare(self, document: int, changes: Sequence[Change]) -> tuple[ComparedChange, ...]:
        """Compare changes with what Paperless has; write nothing."""
        return reconcile(changes, (await self.read(document, changes)).current)

    async def write(
        self, document: int, changes: Sequence[Change], reading: DocumentSnapshot
    ) -> WriteResult:
        """Send the changes that are open according to `reading`, and read back the result.

        The response to the PATCH is not used: Paperless runs workflows after it was built.
        """
        wanted = {write_target_of(change): change for change in changes}
        error = await self._send(document, build_patch(wanted.values(), reading.raw), changes)
        after = (await self.read(document, changes)).current
        unwritten = reading.current if error else None
        outcomes = [
            _judge(change, wanted[write_target_of(change)], after, unwritten) for change in changes
        ]
        if isinstance(error, OutcomeUnknown) and error.may_still_happen:
            outcomes = [outcome for outcome in outcomes if outcome.state is ChangeState.APPLIED]
        known = [outcome for outcome in outcomes if outcome.state is not ChangeState.INTENDED]
        return WriteResult(tuple(outcomes), error, is_complete=len(known) == len(changes))

    async def _send(
        self, document: int, patch: DocumentPatch, changes: Iterable[Change]
    ) -> PaperlessError | None:
        """Send the PATCH; return its error, if any: Paperless may still have written."""
        try:
            await self._send_whole(document, patch, changes)
        except PaperlessError as error:
            if isinstance(error, PaperlessRefused):
                # A name or field may have been deleted since we read them.
                self._catalogue.invalidate()
                self._custom_fields.invalidate()
            return error
        return None

    async def _send_whole(
        self, document: int, patch: DocumentPatch, changes: Iterable[Change]
    ) -> None:
        try:
            if patch != DocumentPatch():
                await self._client.patch(document, patch)
        except (PaperlessRefused, PermissionMissing):
            if patch.custom_fields is UNSET:
                raise
            await self._send_apart(document, patch, changes)

    async def _send_apart(
        self, document: int, patch: DocumentPatch, changes: Iterable[Change]
    ) -> None:
        """Send a refused PATCH without its custom fields, and our custom fields by a bulk edit.

        A PATCH must also contain unchanged custom fields, and Paperless validates them all. One old
        value that is no longer valid makes it refuse the whole request.
        """
        rest = replace(patch, custom_fields=UNSET)
        if rest != DocumentPatch():
            await self._client.patch(document, rest)
        ours = {c.field.id: c.after for c in changes if isinstance(c.field, CustomField)}
        await self._client.modify_custom_fields(
            document,
            add={id_: serialize_custom_value(v) for id_, v in ours.items() if v is not None},
            remove=[id_ for id_, value in ours.items() if value is None],
        )


def build_patch(changes: Iterable[Change], raw: FreshFields) -> DocumentPatch:
    """Build the PATCH for these changes; unchanged keys are left out."""
    changes = tuple(changes)
    values: dict[str, Any] = {}
    for change in changes:
        if isinstance(change.field, FieldName) and change.field is not FieldName.TAGS:
            definition = BUILT_IN_FIELDS[change.field]
            values[definition.key] = definition.to_paperless(change.after)
    changed = {tag.id: change.after for change in changes if (tag := tag_of(change))}
    kept = [tag for tag in raw.tags if changed.get(tag, tag) is not None]
    added = [tag for tag, after in changed.items() if tag and after and tag not in raw.tags]
    tags = (*kept, *added)
    custom_fields = _merge_custom_fields(raw.custom_fields, changes)
    if tags != raw.tags:
        values["tags"] = tags
    if custom_fields != raw.custom_fields:
        values["custom_fields"] = custom_fields
    return DocumentPatch(**values)


async def run_uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end even if it is cancelled; then re-raise the cancellation.

    After a timeout it is not awaited any longer: the next attempt reads before it writes.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task}, timeout=_CANCEL_GRACE.total_seconds())
        task.cancel()
        # Retrieved, so that asyncio does not log an unretrieved exception.
        await asyncio.gather(task, return_exceptions=True)
        raise


def needs_new_name(change: Change) -> bool:
    """Return whether a change uses a name that does not exist in Paperless."""
    return _new_name(change) is not None


def _merge_custom_fields(
    present: tuple[Mapping[str, JsonValue], ...], changes: Iterable[Change]
) -> tuple[Mapping[str, JsonValue], ...]:
    after = {c.field.id: c.after for c in changes if isinstance(c.field, CustomField)}
    merged: list[Mapping[str, JsonValue]] = []
    for item in present:
        field = item["field"]
        if not isinstance(field, int) or field not in after:
            merged.append(item)
        elif (value := after.pop(field)) is not None:
            merged.append({**item, "value": serialize_custom_value(value)})
    merged += [
        {"field": field, "value": serialize_custom_value(value)}
        for field, value in after.items()
        if value is not None
    ]
    return tuple(merged)


def _judge(
    change: Change, last: Change, after: CurrentValues, before: CurrentValues | None
) -> ChangeOutcome:
    """Return the state of a change by what Paperless has for `last`, the field's last change.

    `before` is given if the write failed: if the value is unchanged, nothing was written.
    """
    found = current_value_for(last, after)
    if is_same_value(found, last.after):
        return ChangeOutcome(change.id, ChangeState.APPLIED, after=change.after)
    if before is not None and is_same_value(found, current_value_for(last, before)):
        return ChangeOutcome(change.id, ChangeState.INTENDED)
    return ChangeOutcome(change.id, ChangeState.OVERRIDDEN, found=found, after=change.after)


def _new_name(change: Change) -> tuple[FieldName, str] | None:
    """Return the field and the name that a change needs, if the name has no id yet."""
    if not isinstance(change.field, FieldName) or change.field not in NAMED_FIELDS:
        return None
    is_new = isinstance(change.after, Name) and change.after.id is None
    return (change.field, str(change.after)) if is_new else None
