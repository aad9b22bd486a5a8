"""Carry changes of one document out in Paperless: compare, write, read back."""

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from core.changes import Change
from core.fields import CustomField, FieldName, Name, Value, same
from core.jobs import Job
from core.names import NAMED_FIELDS
from paperless_client import DocumentPatch, PaperlessClient, PaperlessError, PaperlessRefused
from processor.catalogue import Catalogue
from processor.current import Current, current_of
from processor.custom_fields import CustomFields
from processor.custom_json import custom_value_to_send
from processor.making import Maker
from processor.reconcile import Compared, Standing, place_of, reconcile, value_at, wanted

T = TypeVar("T")

_LAST_PATIENCE = timedelta(seconds=1.5)
"""How long a write may still take after the cancel."""


class Ending(StrEnum):
    """How a change ended when it was to be carried out."""

    DONE = "done"
    """Paperless has the value, as read back."""
    DIFFERED = "differed"
    """Someone had set another value: nothing was written."""
    OVERRIDDEN = "overridden"
    """It was written, and Paperless has another value all the same."""
    UNWRITTEN = "unwritten"
    """The write failed and left no trace: it can be tried again."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A change, with the ids of the names it uses, and how it ended."""

    change: Change
    ending: Ending
    found: Value


@dataclass(frozen=True, slots=True)
class Written:
    """What became of all changes, and the error that came in between, if any."""

    ended: tuple[Ended, ...]
    trouble: PaperlessError | None = None


class Pen:
    """Writes to the documents of one Paperless."""

    def __init__(
        self,
        client: PaperlessClient,
        catalogue: Catalogue,
        custom_fields: CustomFields,
        maker: Maker,
    ) -> None:
        self._client = client
        self._catalogue = catalogue
        self._custom_fields = custom_fields
        self._maker = maker

    async def current(self, document: int, changes: Iterable[Change] = ()) -> Current:
        """Read a document's fields as they are now; the custom ones if `changes` are about one."""
        is_custom = any(isinstance(change.field, CustomField) for change in changes)
        known = await self._custom_fields.all() if is_custom else ()
        read = await self._client.fields(document)
        return current_of(read, await self._catalogue.names(), known)

    async def compare(self, document: int, changes: Iterable[Change]) -> tuple[Compared, ...]:
        """Say how changes stand against what Paperless has; write nothing."""
        known = [await self._with_known_names(change) for change in changes]
        return reconcile(known, await self.current(document, known))

    async def carry_out(self, job: Job, changes: Iterable[Change]) -> Written:
        """Write what is open and read it back; what someone else set meanwhile stays."""
        compared = await self.compare(job.document.id, changes)
        if not wanted(compared):
            return Written(tuple(_unwritten(one) for one in compared))
        # Once the write is under way it is read back, whoever asks to stop meanwhile.
        return await uninterrupted(self._write_and_read(job, compared))

    async def _write_and_read(self, job: Job, compared: tuple[Compared, ...]) -> Written:
        document = job.document.id
        made = {p: await self._with_made_names(one, job) for p, one in wanted(compared).items()}
        trouble = await self._write(document, made.values())
        after = await self.current(document, made.values())
        ended = [
            _judge(one, made[place_of(one.change)], after, trouble)
            if one.standing is Standing.OPEN
            else _unwritten(one)
            for one in compared
        ]
        return Written(tuple(ended), trouble)

    async def _write(self, document: int, changes: Iterable[Change]) -> PaperlessError | None:
        """Send the changes; an error is returned, since Paperless may have written all the same."""
        changes = tuple(changes)
        try:
            if (patch := _patch(changes)) is not None:
                await self._client.patch(document, patch)
            await self._write_tags(document, changes)
            await self._write_custom_fields(document, changes)
        except PaperlessError as error:
            if isinstance(error, PaperlessRefused):
                # Perhaps a name or a field was deleted since we read them.
                self._catalogue.forget()
                self._custom_fields.forget()
            return error
        return None

    async def _write_tags(self, document: int, changes: Iterable[Change]) -> None:
        changes = tuple(changes)
        add = [tag for change in changes if (tag := _tag_id(change, change.after))]
        remove = [tag for change in changes if (tag := _tag_id(change, change.before))]
        await self._client.modify_tags([document], add=add, remove=remove)

    async def _write_custom_fields(self, document: int, changes: Iterable[Change]) -> None:
        """Set and take off single fields: a PATCH would wipe out all that it does not name."""
        after = {c.field.id: c.after for c in changes if isinstance(c.field, CustomField)}
        await self._client.modify_custom_fields(
            [document],
            add={id_: custom_value_to_send(v) for id_, v in after.items() if v is not None},
            remove=[id_ for id_, value in after.items() if value is None],
        )

    async def _with_known_names(self, change: Change) -> Change:
        """Give a name its id if Paperless has it by now."""
        if (new := _new_name(change)) is None:
            return change
        names = await self._catalogue.names()
        return replace(change, after=names.match(*new))

    async def _with_made_names(self, change: Change, job: Job) -> Change:
        """Create the name that a change uses; by now it is known that it will be used."""
        if _new_name(change) is None:
            return change
        return replace(change, after=await self._maker.make(change, job))


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end even if we are cancelled meanwhile; then pass the cancel on.

    An end that does not come is not waited for: the next attempt reads before it writes.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task}, timeout=_LAST_PATIENCE.total_seconds())
        task.cancel()
        # Looked at, so that asyncio does not complain that nobody did.
        await asyncio.gather(task, return_exceptions=True)
        raise


def _patch(changes: Iterable[Change]) -> DocumentPatch | None:
    patch = DocumentPatch()
    for change in changes:
        if isinstance(change.field, FieldName) and not _is_tag(change):
            patch = _patched(patch, change.field, change.after)
    return patch if patch != DocumentPatch() else None


def _patched(patch: DocumentPatch, field: FieldName, value: Value) -> DocumentPatch:
    match field, value:
        case FieldName.TITLE, str():
            return replace(patch, title=value)
        case FieldName.DATE, date():
            return replace(patch, created=value)
        case FieldName.CORRESPONDENT, Name(id=id_) | (None as id_):
            return replace(patch, correspondent=id_)
        case FieldName.DOCUMENT_TYPE, Name(id=id_) | (None as id_):
            return replace(patch, document_type=id_)
    raise TypeError(f"{field} cannot be set to {type(value).__name__}")


def _judge(one: Compared, made: Change, after: Current, trouble: PaperlessError | None) -> Ended:
    """Say how a written change ended, by what Paperless has where `made` was written last."""
    found = value_at(made, after)
    change = made if made.id == one.change.id else one.change
    if same(found, made.after):
        return Ended(change, Ending.DONE, found)
    if trouble is not None and same(found, one.found):
        return Ended(change, Ending.UNWRITTEN, found)
    return Ended(change, Ending.OVERRIDDEN, found)


def _unwritten(one: Compared) -> Ended:
    ending = Ending.DONE if one.standing is Standing.THERE else Ending.DIFFERED
    return Ended(one.change, ending, one.found)


def _is_tag(change: Change) -> bool:
    return change.field is FieldName.TAGS


def _new_name(change: Change) -> tuple[FieldName, str] | None:
    """Return the field and the name that a change needs, if the name has no id yet."""
    if not isinstance(change.field, FieldName) or change.field not in NAMED_FIELDS:
        return None
    is_new = isinstance(change.after, Name) and change.after.id is None
    return (change.field, str(change.after)) if is_new else None


def _tag_id(change: Change, value: Value) -> int | None:
    return value.id if _is_tag(change) and isinstance(value, Name) else None
