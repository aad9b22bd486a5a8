"""What waits for a person, field by field, and what the person says about it in a form."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from starlette.datastructures import FormData

from actions.decisions import needs_individual_review
from actions.review import MAX_REASON_LENGTH
from core.changes import Change, ChangeState, has_no_suggestion
from core.documents import DocumentRef
from core.fields import CustomField, Field, FieldName, Value
from core.names import NAMED_FIELDS
from dashboard.errors import BadRequest
from i18n.labels import value_label

_AROUND = 90
_LONGEST_QUOTE = 300
_NUMBER = re.compile("[1-9][0-9]{0,14}")


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A document with all that waits of it."""

    ref: DocumentRef
    changes: tuple[Change, ...]

    @property
    def is_clear(self) -> bool:
        """Whether nothing speaks against it: such may be accepted without a look at each."""
        return not any(needs_individual_review(change) for change in self.changes)

    @property
    def fields(self) -> "list[ReviewField]":
        """What waits, by field; all tags are one field."""
        ordered = sorted(self.changes, key=lambda change: _order(change.field))
        grouped = groupby(ordered, key=lambda change: field_key(change.field))
        return [ReviewField(key, tuple(changes)) for key, changes in grouped]


@dataclass(frozen=True, slots=True)
class ReviewField:
    """One field of a document; of tags each is a change of its own."""

    key: str
    """As the form calls it."""
    changes: tuple[Change, ...]

    @property
    def field(self) -> Field:
        return self.changes[0].field

    @property
    def suggested(self) -> str:
        """The suggestion as one would type it."""
        return ", ".join(_typed(change.after) for change in self.changes)

    def with_name(self, change: Change, name: str) -> str:
        """Give what to type to have another name in the place of a suggested one."""
        return ", ".join(name if one is change else _typed(one.after) for one in self.changes)

    @property
    def now(self) -> Value:
        """What Paperless has, as far as is known."""
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


def group_by_document(changes: Iterable[Change]) -> list[ReviewItem]:
    """Gather changes that stand document by document."""
    grouped = groupby(changes, key=lambda change: change.document)
    return [ReviewItem(ref, tuple(of_it)) for ref, of_it in grouped]


def field_key(field: Field) -> str:
    return f"custom_field:{field.id}" if isinstance(field, CustomField) else field.value


@dataclass(frozen=True, slots=True)
class ReviewChoices:
    """What a person said about a document: which fields to take, and their own values."""

    take: frozenset[str]
    leave: frozenset[str]
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ReviewForm:
    """What a review form says beside the values."""

    seen: tuple[int, ...] | None
    """Numbers of the changes that were shown; None if the form does not tell."""
    ticked: tuple[str, ...]
    only: frozenset[str] | None
    """The field that a button of its own is about; None: the whole document."""
    why: str
    following: str
    chosen: str
    """The instance whose list is gone through; "" for all."""

    @classmethod
    def parse(cls, form: FormData) -> "ReviewForm":
        """Read it; raise BadRequest if it is no form of ours."""
        seen = _numbers(map(str, form.getlist("seen")))
        only = frozenset(map(str, form.getlist("only")))
        return cls(
            seen or None,
            tuple(map(str, form.getlist("take"))),
            only or None,
            str(form.get("why", ""))[:MAX_REASON_LENGTH],
            str(form.get("next", "")),
            str(form.get("instance", "")),
        )


def parse_ticked(form: FormData) -> Mapping[DocumentRef, tuple[int, ...]]:
    """Read which documents of a list are ticked, with the changes of each that were shown."""
    return dict(_ticked(form, str(one)) for one in form.getlist("document"))


def _ticked(form: FormData, document: str) -> tuple[DocumentRef, tuple[int, ...]]:
    seen = _numbers(str(form.get(f"seen:{document}", "")).split())
    if not seen:
        raise BadRequest(f"the form does not say what was shown of {document}")
    try:
        return DocumentRef.parse(document), seen
    except ValueError as error:
        raise BadRequest(str(error)) from error


def _numbers(texts: Iterable[str]) -> tuple[int, ...]:
    return tuple(map(_number, texts))


def parse_choices(
    form: Mapping[str, str],
    waiting: ReviewItem,
    ticked: Iterable[str],
    only: frozenset[str] | None = None,
) -> ReviewChoices:
    """Read the form: what is ticked is taken, with what was typed where that differs.

    A button that is about one field takes that, and leaves nothing.
    """
    fields = {one.key: one for one in waiting.fields if only is None or one.key in only}
    take = frozenset(ticked if only is None else only) & fields.keys()
    typed = {key: form.get(f"value:{key}", one.suggested) for key, one in fields.items()}
    own = {key: typed[key] for key in take if typed[key].strip() != fields[key].suggested.strip()}
    return ReviewChoices(take, frozenset(fields.keys() - take), own)


@dataclass(frozen=True, slots=True)
class Passage:
    """A quote where it stands in the text."""

    before: str
    quote: str
    after: str


def find_passage(text: str, quote: str) -> Passage | None:
    """Find a quote in a text, however its words are spaced; None if it does not stand there."""
    words = quote[:_LONGEST_QUOTE].split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)
    if found is None:
        return None
    begin, end = found.span()
    before, after = text[max(0, begin - _AROUND) : begin], text[end : end + _AROUND]
    # A word that the passage would cut in two is left out.
    if begin > _AROUND:
        before = re.sub(r"^\S*", "", before)
    if end + _AROUND < len(text):
        after = re.sub(r"\S*$", "", after)
    return Passage(" ".join(before.split()), " ".join(found[0].split()), " ".join(after.split()))


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise BadRequest("a change that was seen is named by its number")
    return int(text)


def _typed(value: Value) -> str:
    return "" if value is None else value_label(value)


def _order(field: Field) -> tuple[int, str]:
    places = {name: place for place, name in enumerate(FieldName)}
    return (len(places), field.name) if isinstance(field, CustomField) else (places[field], "")
