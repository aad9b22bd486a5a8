"""The documents for review by field, and the form in which a person decides."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from starlette.datastructures import FormData

from actions.decisions import Edits, needs_individual_review
from actions.review import MAX_REASON_LENGTH
from core.changes import Change, ChangeState, has_no_suggestion
from core.documents import DocumentRef
from core.fields import NAMED_FIELDS, CustomField, Field, FieldName, Value
from dashboard.errors import BadRequest
from i18n.labels import value_label

_AROUND = 90
_LONGEST_QUOTE = 300
_NUMBER = re.compile("[1-9][0-9]{0,14}")
_VALUE = "value:"
"""Prefix of the form's inputs with a field's value."""


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
    def fields(self) -> "list[ReviewField]":
        """Return the changes by field; all tags are one field."""
        ordered = sorted(self.changes, key=lambda change: _sort_key(change.field))
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
    def is_named(self) -> bool:
        return self.field in NAMED_FIELDS

    @property
    def is_date(self) -> bool:
        return isinstance(self.changes[0].after, date)


@dataclass(frozen=True, slots=True)
class ReviewForm:
    """A person's decision about a document, as the form sends it."""

    seen: tuple[int, ...] | None
    """Ids of the changes that were shown; None if the form does not send them."""
    ticked: frozenset[str]
    only: frozenset[str] | None
    """The field whose own button was pressed; None: the whole document."""
    values: Mapping[str, str]
    """The typed value of each field."""
    why: str
    following: str
    """The document to open next."""
    chosen: str
    """The instance to which the list is limited; "" for all."""

    @classmethod
    def parse(cls, form: FormData) -> "ReviewForm":
        """Parse a form; raise BadRequest if a number is malformed."""
        return cls(
            seen=tuple(_parse_id(str(text)) for text in form.getlist("seen")) or None,
            ticked=frozenset(map(str, form.getlist("take"))),
            only=frozenset(map(str, form.getlist("only"))) or None,
            values={
                key.removeprefix(_VALUE): str(value)
                for key, value in form.items()
                if key.startswith(_VALUE)
            },
            why=str(form.get("why", ""))[:MAX_REASON_LENGTH],
            following=str(form.get("next", "")),
            chosen=str(form.get("instance", "")),
        )

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


@dataclass(frozen=True, slots=True)
class Passage:
    """A quote with the text around it."""

    before: str
    quote: str
    after: str


def group_by_document(changes: Iterable[Change]) -> list[ReviewItem]:
    """Group changes that are sorted by document."""
    grouped = groupby(changes, key=lambda change: change.document)
    return [ReviewItem(ref, tuple(own)) for ref, own in grouped]


def field_key(field: Field) -> str:
    return f"custom_field:{field.id}" if isinstance(field, CustomField) else field.value


def parse_ticked(form: FormData) -> Mapping[DocumentRef, tuple[int, ...]]:
    """Parse the ticked documents of a list, each with the ids of the changes that were shown."""
    ticked: dict[DocumentRef, tuple[int, ...]] = {}
    for document in map(str, form.getlist("document")):
        seen = tuple(map(_parse_id, str(form.get(f"seen:{document}", "")).split()))
        if not seen:
            raise BadRequest(f"the form does not say what was shown of {document}")
        try:
            ticked[DocumentRef.parse(document)] = seen
        except ValueError as error:
            raise BadRequest(str(error)) from error
    return ticked


def find_passage(text: str, quote: str) -> Passage | None:
    """Find a quote in a text, ignoring case and spacing; None if it is not there."""
    words = quote[:_LONGEST_QUOTE].split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)
    if found is None:
        return None
    begin, end = found.span()
    before, after = text[max(0, begin - _AROUND) : begin], text[end : end + _AROUND]
    # Words that are cut in two are dropped.
    if begin > _AROUND:
        before = re.sub(r"^\S*", "", before)
    if end + _AROUND < len(text):
        after = re.sub(r"\S*$", "", after)
    return Passage(" ".join(before.split()), " ".join(found[0].split()), " ".join(after.split()))


def _parse_id(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise BadRequest("a change that was seen is named by its number")
    return int(text)


def _format(value: Value) -> str:
    return "" if value is None else value_label(value)


def _sort_key(field: Field) -> tuple[int, str]:
    order = list(FieldName)
    return (len(order), field.name) if isinstance(field, CustomField) else (order.index(field), "")
