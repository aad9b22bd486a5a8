"""The built-in fields: what the prompt asks for, where Paperless keeps each, when it is empty."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath

from core.fields import FieldName, Name, Value
from paperless_client import DocumentFields, NameKind

_TITLE_LENGTHS = (128, 127)
"""Maximum length of a title, and the length to which Paperless cuts a file name."""


def _has_file_name_as_title(document: DocumentFields) -> bool:
    if document.original_file_name is None:
        return False
    stem = PurePath(document.original_file_name).stem
    return document.title in {stem[:length] for length in _TITLE_LENGTHS}


def _was_added_on_its_date(document: DocumentFields) -> bool:
    # Without a date in the text, Paperless sets the day on which the document was added, in the
    # time zone of `added`.
    return document.created == document.added.date()


@dataclass(frozen=True, slots=True)
class FieldDefinition:
    """Everything about a built-in field that is not the same for all of them."""

    question: str
    """What the prompt asks for."""
    key: str
    """Its attribute of `DocumentFields` and of `DocumentPatch`."""
    kind: NameKind | None = None
    """The kind of its names; None if its value is not a name."""
    value_type: type[str] | type[date] = str
    """The type of a value that is not a name."""
    is_preset: Callable[[DocumentFields], bool] | None = None
    """Whether only Paperless has set the value; such a field counts as empty."""

    def to_paperless(self, value: Value) -> str | date | int | None:
        """Return a value as a PATCH sends it; raise TypeError if the field cannot have it."""
        match value:
            case Name(id=id_) | (None as id_) if self.kind:
                return id_
            case str() | date() if not self.kind and isinstance(value, self.value_type):
                return value
        raise TypeError(f"{self.key} cannot be set to {type(value).__name__}")


BUILT_IN_FIELDS: Mapping[FieldName, FieldDefinition] = {
    FieldName.TITLE: FieldDefinition(
        question="a short, telling title of at most 80 characters, without the file name",
        key="title",
        is_preset=_has_file_name_as_title,
    ),
    FieldName.CORRESPONDENT: FieldDefinition(
        question=(
            "who sent the document: the company, office or person, not the one it is addressed to"
        ),
        key="correspondent",
        kind=NameKind.CORRESPONDENT,
    ),
    FieldName.DOCUMENT_TYPE: FieldDefinition(
        question="what kind of document it is", key="document_type", kind=NameKind.DOCUMENT_TYPE
    ),
    FieldName.TAGS: FieldDefinition(
        question=(
            "a list of tags that fit the document's subject, the best first, at most $max_tags"
        ),
        key="tags",
        kind=NameKind.TAG,
    ),
    FieldName.DATE: FieldDefinition(
        question=(
            "the date of the document itself as YYYY-MM-DD: when it was written or issued, not "
            "when something is due, was delivered, or someone was born"
        ),
        key="created",
        value_type=date,
        is_preset=_was_added_on_its_date,
    ),
    FieldName.STORAGE_PATH: FieldDefinition(
        question=(
            "which of the listed storage paths the file belongs to, never another name; the "
            "explanation of each shows the folders and file names that it makes"
        ),
        key="storage_path",
        kind=NameKind.STORAGE_PATH,
    ),
}
