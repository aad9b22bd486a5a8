"""The documents of the evaluation, and the correct values of each."""

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from pydantic import TypeAdapter

from core.fields import CustomField, Field, FieldName, Money, Name, Value
from sandbox import documents as sandbox_documents
from sandbox.paperless import World, load_world
from sandbox.paperless.records import Kind

DOCUMENTS = Path(__file__).parent / "documents"
"""In the format of the sandbox: index.toml, truth.toml, and a text file for each document."""
HELD_OUT = tuple(Path(__file__).parent / f"held_out_{number}" for number in range(1, 15))
"""More documents, by authors who did not know the checks. Each set was scored before being read."""

NUMBER, TOTAL, DUE = "invoice number", "total", "due date"
"""The custom fields of the evaluation's Paperless."""
CURRENCY = "EUR"
"""The default currency of `total`."""
_DATA_TYPES = {NUMBER: "string", TOTAL: "monetary", DUE: "date"}
_KINDS = {
    "correspondent": Kind.CORRESPONDENT,
    "document_type": Kind.DOCUMENT_TYPE,
    "tags": Kind.TAG,
    # Judged as soon as there is a field of this name.
    "storage_path": Kind.STORAGE_PATH,
}
_AMOUNT = re.compile(r"(?P<currency>[A-Z]{3})(?P<amount>-?\d+\.\d{2})")

NameFinder = Callable[[str, str], Name]
"""Returns the name of a field, such as a tag, with its id."""


class Truth(sandbox_documents.Truth):
    """What a careful person would file; None means that the document does not say.

    A quote is the line that shows a value. Without one, the careless model's code finds it.
    """

    correspondent_quote: str | None = None
    invoice_number_quote: str | None = None
    amount_quote: str | None = None
    due_quote: str | None = None
    storage_path: str | None = None

    @property
    def total(self) -> Money | None:
        """The amount with its currency; raise ValueError if it is not like EUR12.50."""
        if self.amount is None:
            return None
        match = _AMOUNT.fullmatch(self.amount)
        if match is None:
            raise ValueError(f"not an amount: {self.amount}")
        return Money(Decimal(match["amount"]), match["currency"])

    @property
    def due_date(self) -> dt.date | None:
        return None if self.due is None else dt.date.fromisoformat(self.due)


@dataclass(frozen=True, slots=True)
class SampleDocument:
    """One document: its id in Paperless, its text, and the truth about it."""

    id: int
    file: str
    text: str
    truth: Truth


def load_documents(folder: Path = DOCUMENTS) -> tuple[SampleDocument, ...]:
    """Load the documents in the order of the index, which is how Paperless numbers them."""
    index = tomllib.loads((folder / "index.toml").read_text(encoding="utf-8"))
    files = [str(entry["file"]) for entry in index["documents"]]
    truth = load_truth(folder)
    return tuple(
        SampleDocument(id_, file, (folder / file).read_text(encoding="utf-8"), truth[file])
        for id_, file in enumerate(files, start=1)
    )


def load_truth(folder: Path = DOCUMENTS) -> Mapping[str, Truth]:
    """Load the right answers, by file name."""
    text = (folder / "truth.toml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, Truth]).validate_python(tomllib.loads(text))


def load_archive(folder: Path = DOCUMENTS) -> World:
    """Load a fake Paperless with the documents, not filed yet, and the custom fields."""
    world = load_world(folder)
    existing = {field.name for field in world.custom_fields.values()}
    for name, data_type in _DATA_TYPES.items():
        if name not in existing:
            currency = CURRENCY if name == TOTAL else None
            world.add_custom_field(name, data_type, currency=currency)
    return world


def spread(documents: tuple[SampleDocument, ...], count: int) -> tuple[SampleDocument, ...]:
    """Return `count` documents, evenly spread over all of them."""
    step = max(1.0, len(documents) / count)
    return tuple(documents[int(number * step)] for number in range(min(count, len(documents))))


def name_finder(world: World) -> NameFinder:
    """Return a function that looks a name up in that Paperless; one it lacks has no id."""
    ids = {
        field: {name.name: name.id for name in world.names[kind].values()}
        for field, kind in _KINDS.items()
    }

    def find(field: str, name: str) -> Name:
        return Name(ids[field].get(name), name)

    return find


def label_of(field: Field) -> str:
    """Return the name of a field in reports."""
    return field.name if isinstance(field, CustomField) else str(field)


LABELS = (*map(str, FieldName), *_DATA_TYPES)
"""Every field that is judged, as reports call it."""


def right_values(label: str, truth: Truth, find: NameFinder) -> tuple[Value, ...]:
    """Return what is right for a field: several values for tags, none if there is nothing."""
    match label:
        case FieldName.TAGS:
            return tuple(find(FieldName.TAGS, tag) for tag in sorted(truth.tags))
        case FieldName.TITLE:
            value: Value = truth.title
        case FieldName.DATE:
            value = truth.date
        case "invoice number":
            value = truth.invoice_number
        case "total":
            value = truth.total
        case "due date":
            value = truth.due_date
        case _:
            name: str | None = getattr(truth, label)
            value = None if name is None else find(label, name)
    return () if value is None else (value,)
