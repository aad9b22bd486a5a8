"""Decide whether a name that a person typed in review may be created in Paperless."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from actions.caller import Caller
from actions.errors import InvalidRequest
from core.changes import Change, Decision
from core.documents import DocumentRef
from core.fields import FieldName, Name, NewNamePolicy
from core.messages import Message, listed, message
from core.text import clean_line
from i18n.labels import FIELDS
from processor.analysis.name_similarity import find_similar_names
from processor.names.catalogue import NamesInUse

_SETTINGS: Mapping[FieldName, str] = {
    FieldName.TAGS: "names.tags",
    FieldName.CORRESPONDENT: "names.correspondents",
    FieldName.DOCUMENT_TYPE: "names.document_types",
}


class TypedNames(Enum):
    """What to do with typed names that do not exist, if new names go to review."""

    ASK = auto()
    """Raise NewNamesUnconfirmed."""
    CREATE = auto()
    """The person has confirmed them."""


@dataclass(frozen=True, slots=True)
class TypedName:
    """A name that a person typed in review and that Paperless does not have yet."""

    field: FieldName
    name: str
    similar: tuple[str, ...]
    """Similar existing names, one of which may be meant."""

    def describe(self) -> Message:
        """Return the message that the name is missing, with similar existing names."""
        field, name = FIELDS[self.field], clean_line(self.name)
        if not self.similar:
            return message('There is no {field} "{name}" in Paperless', field=field, name=name)
        return message(
            'There is no {field} "{name}" in Paperless (similar: {similar})',
            field=field,
            name=name,
            similar=", ".join(f'"{clean_line(similar)}"' for similar in self.similar),
        )


class NewNameNotAllowed(InvalidRequest):
    """A person typed a name that does not exist, and the settings do not allow new ones."""

    code = "new_name_not_allowed"
    user_message = "This name does not exist in Paperless, and the settings do not allow new ones."

    def __init__(self, name: TypedName) -> None:
        super().__init__(
            message(
                '{missing}, and the settings do not allow new names ({setting} = "never")',
                missing=name.describe(),
                setting=_SETTINGS[name.field],
            )
        )


class NewNamesUnconfirmed(InvalidRequest):
    """A person typed names that do not exist, and must confirm that they should be created."""

    code = "new_names_unconfirmed"
    user_message = "Confirm that these names should be created in Paperless."

    def __init__(self, names: Iterable[TypedName]) -> None:
        self.names = tuple(names)
        super().__init__(listed(name.describe() for name in self.names))


async def require_typed_names(
    caller: Caller,
    ref: DocumentRef,
    waiting: Iterable[Change],
    decision: Decision,
    typed: TypedNames,
) -> None:
    """Raise NewNameNotAllowed or NewNamesUnconfirmed if a decision must not create its names.

    Suggested names need no confirmation: the person saw that they are new.
    """
    new = [(field, name) for field, name in _own_names(waiting, decision) if name.id is None]
    if not new:
        return
    instance = caller.get_instance(ref.instance)
    in_use = await instance.catalogue.names()
    policies = instance.policy.new_names
    missing = [_build(field, name, in_use) for field, name in new]
    for name in missing:
        if policies[name.field] is NewNamePolicy.NEVER:
            raise NewNameNotAllowed(name)
    unconfirmed = [name for name in missing if policies[name.field] is NewNamePolicy.REVIEW]
    if unconfirmed and typed is TypedNames.ASK:
        raise NewNamesUnconfirmed(unconfirmed)


def _own_names(waiting: Iterable[Change], decision: Decision) -> Iterator[tuple[FieldName, Name]]:
    """Yield the names among the person's own values, with their fields."""
    fields = {change.id: change.field for change in waiting}
    edited = [accepted for accepted in decision.accept if accepted.is_edited]
    values = [(fields[accepted.change_id], accepted.after) for accepted in edited]
    values += [(planned.field, planned.after) for planned in decision.add]
    for field, value in values:
        if isinstance(field, FieldName) and isinstance(value, Name):
            yield field, value


def _build(field: FieldName, name: Name, in_use: NamesInUse) -> TypedName:
    similar = find_similar_names(field, name.name, in_use.by_field[field])
    return TypedName(field, name.name, tuple(found.name for found in similar))
