"""Compare written changes with the fields of a document that the caller has read."""

from collections.abc import Iterable, Sequence
from typing import Final

from core.changes import Change, Outcome, SeenChange
from core.fields import CustomField, Name
from core.names import NAMED_FIELDS
from paperless_client import DocumentFields
from processor.current import current_of
from processor.custom_fields import CustomFields
from processor.names.catalogue import Catalogue, NamesInUse
from processor.reconcile import Compared, Standing, outcome_of_begun, place_of, reconcile

_NO_NAMES: Final = NamesInUse(dict.fromkeys(NAMED_FIELDS, ()), {})
"""Enough for a comparison: names are compared by id."""


class Comparer:
    """Compares documents of one Paperless; fetches names only if it must show one."""

    def __init__(self, catalogue: Catalogue, custom_fields: CustomFields) -> None:
        self._catalogue = catalogue
        self._custom_fields = custom_fields

    async def seen(
        self, document: DocumentFields, changes: Sequence[Change], /
    ) -> tuple[SeenChange, ...]:
        """Return the values in Paperless for written changes; per field, the last change counts."""
        compared = await self._compare(document, newest_of_each(changes))
        return tuple(
            SeenChange(one.change.id, one.found, is_ours=one.standing is Standing.THERE)
            for one in compared
        )

    async def outcomes(
        self, document: DocumentFields, changes: Sequence[Change], /
    ) -> tuple[Outcome, ...]:
        """Return what became of unconfirmed changes."""
        compared = await self._compare(document, changes)
        return tuple(outcome_of_begun(one) for one in compared)

    async def _compare(
        self, document: DocumentFields, changes: Sequence[Change]
    ) -> tuple[Compared, ...]:
        is_custom = any(isinstance(change.field, CustomField) for change in changes)
        definitions = await self._custom_fields.all() if is_custom else ()
        compared = reconcile(changes, current_of(document, _NO_NAMES, definitions))
        if not any(_needs_name(one) for one in compared):
            return compared
        names = await self._catalogue.names()
        return reconcile(changes, current_of(document, names, definitions))


def newest_of_each(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the last change of each field or tag: it replaced the others."""
    return tuple({place_of(change): change for change in changes}.values())


def _needs_name(one: Compared) -> bool:
    return one.standing is not Standing.THERE and isinstance(one.found, Name)
