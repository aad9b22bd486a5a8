"""The filter of the review list, its documents and fields, and the form for decisions."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ValidationError
from pydantic import Field as Within
from starlette.datastructures import FormData

from actions.decisions import Edits, fingerprint, needs_individual_review
from actions.own_values import OwnValue, TypedNames
from actions.review import MAX_REASON_LENGTH, FieldDecisions, ShownChanges
from core.changes import Change, ChangeState, has_no_suggestion
from core.documents import DocumentRef
from core.fields import CustomField, Field, FieldName, Value
from dashboard.errors import BadRequest
from i18n.labels import typed_label, value_label
from store import ReviewFilter, ReviewNeed, ReviewOrder

CREATE_NAMES = "create_names"
"""The input that confirms that typed names should be created."""
_NUMBER = re.compile("[1-9][0-9]{0,14}")
_VALUE = "value:"
"""Prefix of the form's inputs with a field's value."""
_NOW = "now:"
"""Prefix of the inputs with the value that a field without a suggestion had on the page."""

_Text = Annotated[str, Within(max_length=200)]


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


class ReviewQuery(BaseModel):
    """Which documents for review to list; "" means any."""

    instance: _Text = ""
    field: _Text = ""
    reason: _Text = ""
    need: Annotated[ReviewNeed | None, BeforeValidator(_none_if_empty)] = None
    correspondent: _Text = ""
    below: Annotated[
        Annotated[int, Within(ge=0, le=100)] | None, BeforeValidator(_none_if_empty)
    ] = None
    """The confidence in percent."""
    q: _Text = ""
    sort: Annotated[ReviewOrder, BeforeValidator(lambda text: text or ReviewOrder.OLDEST)] = (
        ReviewOrder.OLDEST
    )

    @classmethod
    def parse(cls, form: FormData) -> "ReviewQuery":
        """Parse the filter that a form carries; raise BadRequest."""
        given = {name: str(form[name]) for name in cls.model_fields if name in form}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise BadRequest("the form carries no valid filter of the list") from error

    @property
    def given(self) -> dict[str, str]:
        """Return what is set, for addresses and forms."""
        return {
            name: str(value)
            for name, value in self.model_dump(exclude_defaults=True).items()
            if value not in {None, ""}
        }

    @property
    def filters(self) -> dict[str, str]:
        """Return the filters that are set, without instance and order."""
        return {name: text for name, text in self.given.items() if name not in {"instance", "sort"}}

    def to_filter(self, instances: tuple[str, ...]) -> ReviewFilter:
        return ReviewFilter(
            instances,
            field=self.field,
            reason=self.reason,
            need=self.need,
            correspondent=self.correspondent,
            below=None if self.below is None else self.below / 100,
            words=self.q.strip(),
            order=self.sort,
        )


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A document with its changes for review."""

    ref: DocumentRef
    changes: tuple[Change, ...]

    @property
    def is_clear(self) -> bool:
        """Return whether all of it may be accepted from the list, without opening the document."""
        return not any(needs_individual_review(change) for change in self.changes)

    @property
    def fingerprint(self) -> str:
        """Return a hash of what is shown of it."""
        return fingerprint(self.changes)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why it needs a closer look, each reason once; a conflict is one of them."""
        codes = [reason for change in self.changes for reason in change.reasons]
        codes += ["conflict" for change in self.changes if change.state is ChangeState.CONFLICT]
        return tuple(dict.fromkeys(codes))

    @property
    def percent(self) -> int | None:
        """Return the confidence of the least confident suggestion; None without a suggestion."""
        suggested = [change for change in self.changes if not has_no_suggestion(change)]
        return round(min(change.confidence for change in suggested) * 100) if suggested else None

    @property
    def fields(self) -> "list[ReviewField]":
        """Return the changes by field; all tags are one field."""
        ordered = sorted(self.changes, key=lambda change: sort_key(change.field))
        grouped = groupby(ordered, key=lambda change: field_key(change.field))
        return [ReviewField(key, tuple(changes)) for key, changes in grouped]


@dataclass(frozen=True, slots=True)
class ReviewField:
    """A field for review; each tag is a change of its own."""

    key: str
    """The field's name in the form."""
    changes: tuple[Change, ...]

    @property
    def field(self) -> Field:
        return self.changes[0].field

    @property
    def suggested(self) -> str:
        """Return the suggestion as a person would type it."""
        return ", ".join(_format(change.after) for change in self.changes)

    def with_name(self, change: Change, name: str) -> str:
        """Return the text of the field with another name in the place of a suggested one."""
        return ", ".join(
            name if suggested is change else _format(suggested.after) for suggested in self.changes
        )

    @property
    def now(self) -> Value:
        """Return the value in Paperless, as far as known."""
        first = self.changes[0]
        return first.found if first.state is ChangeState.CONFLICT else first.before

    @property
    def is_conflict(self) -> bool:
        return any(change.state is ChangeState.CONFLICT for change in self.changes)

    @property
    def has_no_suggestion(self) -> bool:
        return any(has_no_suggestion(change) for change in self.changes)

    @property
    def typed(self) -> str:
        """Return the suggestion as an input for dates takes it."""
        return typed_label(self.changes[0].after)


@dataclass(frozen=True, slots=True)
class ReviewForm:
    """A person's decision about a document, as the form sends it."""

    shown: ShownChanges
    ticked: frozenset[str]
    only: frozenset[str] | None
    """The field whose own button was pressed; None: the whole document."""
    values: Mapping[str, str]
    """The typed value of each field."""
    now: Mapping[str, str]
    """The value that each field without a suggestion had on the page."""
    why: str
    following: str
    """The document to open next."""
    typed_names: TypedNames
    query: ReviewQuery
    """The filter of the list from which the document was opened."""

    @classmethod
    def parse(cls, form: FormData) -> "ReviewForm":
        """Parse a form; raise BadRequest if a number is malformed."""
        return cls(
            shown=ShownChanges(
                tuple(_parse_id(str(text)) for text in form.getlist("seen")) or None,
                str(form.get("shown", "")),
            ),
            ticked=frozenset(map(str, form.getlist("take"))),
            only=frozenset(map(str, form.getlist("only"))) or None,
            values=_with_prefix(form, _VALUE),
            now=_with_prefix(form, _NOW),
            why=str(form.get("why", ""))[:MAX_REASON_LENGTH],
            following=str(form.get("next", "")),
            typed_names=TypedNames.CREATE if form.get(CREATE_NAMES) else TypedNames.ASK,
            query=ReviewQuery.parse(form),
        )

    def decisions(self, item: ReviewItem) -> FieldDecisions:
        """Return what was decided about each field."""
        return FieldDecisions(
            self.edits(item),
            self.rejected_fields(item),
            self.own_values(item),
            self.why,
            self.typed_names,
        )

    def own_values(self, item: ReviewItem) -> Mapping[str, OwnValue]:
        """Return the values that were typed into fields without a suggestion."""
        if self.only is not None:
            return {}
        reviewed = {field.key for field in item.fields}
        return {
            key: OwnValue(shown, self.values[key])
            for key, shown in self.now.items()
            if key not in reviewed and self.values.get(key, shown).strip() != shown.strip()
        }

    def edits(self, item: ReviewItem) -> Edits[str]:
        """Return the accepted fields, with the typed values that differ from the suggestions."""
        fields = self._fields(item)
        accepted = self._accepted(fields)
        suggested = {key: fields[key].suggested.strip() for key in accepted}
        typed = {key: self.values[key] for key in accepted if key in self.values}
        own = {key: text for key, text in typed.items() if text.strip() != suggested[key]}
        return Edits(own, accepted)

    def rejected_fields(self, item: ReviewItem) -> frozenset[str]:
        """Return the rejected fields: those that are not accepted."""
        fields = self._fields(item)
        return frozenset(fields.keys() - self._accepted(fields))

    def _fields(self, item: ReviewItem) -> dict[str, ReviewField]:
        """Return the fields that are decided, by key."""
        return {
            field.key: field for field in item.fields if self.only is None or field.key in self.only
        }

    def _accepted(self, fields: Mapping[str, ReviewField]) -> frozenset[str]:
        """Return the ticked fields; the button of a single field accepts that field alone."""
        return (self.ticked if self.only is None else self.only) & fields.keys()


def group_by_document(changes: Iterable[Change]) -> list[ReviewItem]:
    """Group changes that are sorted by document."""
    grouped = groupby(changes, key=lambda change: change.document)
    return [ReviewItem(ref, tuple(own)) for ref, own in grouped]


def field_key(field: Field) -> str:
    return f"custom_field:{field.id}" if isinstance(field, CustomField) else field.value


def field_anchor(field: Field) -> str:
    """Return the id of a field on a page."""
    return f"field-{field_key(field).replace(':', '-')}"


def parse_ticked(form: FormData) -> Mapping[DocumentRef, ShownChanges]:
    """Parse the ticked documents of a list, each with what was shown of its changes."""
    ticked: dict[DocumentRef, ShownChanges] = {}
    for document in map(str, form.getlist("document")):
        seen = tuple(map(_parse_id, str(form.get(f"seen:{document}", "")).split()))
        if not seen:
            raise BadRequest(f"the form does not say what was shown of {document}")
        shown = ShownChanges(seen, str(form.get(f"shown:{document}", "")))
        try:
            ticked[DocumentRef.parse(document)] = shown
        except ValueError as error:
            raise BadRequest(str(error)) from error
    return ticked


def _with_prefix(form: FormData, prefix: str) -> Mapping[str, str]:
    """Return the inputs whose names begin with a prefix, by the rest of their names."""
    return {
        key.removeprefix(prefix): str(value)
        for key, value in form.items()
        if key.startswith(prefix)
    }


def _parse_id(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise BadRequest("a change that was seen is named by its number")
    return int(text)


def _format(value: Value) -> str:
    return "" if value is None else value_label(value)


def sort_key(field: Field) -> tuple[int, str]:
    """Return the place of a field on pages: custom fields last, by name."""
    order = list(FieldName)
    return (len(order), field.name) if isinstance(field, CustomField) else (order.index(field), "")
