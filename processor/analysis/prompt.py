"""Build the prompt about a document, and its version.

The text is in `prompts/*.md` and in this module. Any change of it changes the version.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import chain
from string import Template

from core.analysis import Chunk
from core.calendar import DateOrder
from core.fields import CustomField, DataType, Definition, Field, FieldName
from core.messages import message
from core.text import clean_line, fold
from processor.analysis.answer import answer_key, answer_schema
from processor.analysis.custom_values import TEXT_LENGTH
from processor.analysis.errors import PromptTooLong
from processor.analysis.prompt_blocks import (
    Example,
    NameEntry,
    NameSelection,
    OfferedNames,
    build_example_blocks,
    drop_middle_to_fit,
    estimate_tokens,
    format_name_blocks,
    select_names,
)
from processor.fields import BUILT_IN_FIELDS

_MAX_OPTIONS = 100
"""Maximum options listed for a field; more would leave no room for the document."""
_WANTED: Mapping[DataType, str] = {
    DataType.STRING: f"text, at most {TEXT_LENGTH} characters, as the document spells it",
    DataType.LONGTEXT: "text, in the document's own words",
    DataType.URL: "a web address that begins with http:// or https://",
    DataType.DATE: "a date as YYYY-MM-DD",
    DataType.BOOLEAN: '"yes" or "no", only if the document says so',
    DataType.INTEGER: "a whole number, digits only",
    DataType.FLOAT: "a number, with a point before the decimals and no other signs",
    DataType.MONETARY: "an amount of money with its currency, as in EUR 1234.50",
}
ANSWER_TOKENS = 1024
"""Output limit; an answer about five fields with evidence has about 400 tokens."""
_CUSTOM_TOKENS = 100
"""Added to the limit for each custom field."""
_MIN_ROOM = 200
"""Minimum tokens for the text; with less of a document, a model only guesses."""
_STEP = 256
_NAMES_SHARE = (0.3, 0.4)
"""Maximum share of names: of the context, and of what the instructions leave free."""
_EXAMPLES_SHARE = (0.1, 0.15)
"""Maximum share of similar documents, in the same way."""

_LISTED = (
    FieldName.STORAGE_PATH,
    FieldName.DOCUMENT_TYPE,
    FieldName.TAGS,
    FieldName.CORRESPONDENT,
)
"""Order of the lists of names. Those that grow fastest come last: a new name changes only what
follows it, and servers cache the rest."""
_NOTES_LINE = "What stands after a name and # explains it and is no part of the name.\n"
_DATE_ORDERS: Mapping[DateOrder, str] = {
    DateOrder.DOCUMENT: "the other dates of the document show which comes first",
    DateOrder.DAY_FIRST: "the day comes first unless other dates show the opposite",
    DateOrder.MONTH_FIRST: "the month comes first unless other dates show the opposite",
}
_DATE_ORDER = (
    "Where day and month of a date in figures could be swapped, {order}; in dates with dots the "
    "day comes first."
)
_VOM = (
    '"Rechnung Nr. ... vom ..." in the heading names the date of this document; "Ihr Schreiben '
    'vom ..." or "zur Rechnung vom ..." names that of another one.'
)
_AMOUNTS = (
    "Of several amounts, a total is the one to be paid in the end: with taxes, after discounts and "
    "rounding; not a net amount, a subtotal or a payment already made."
)
_CREDIT_NOTES = (
    "A credit note (Gutschrift, avoir, creditnota) is not an invoice: its own date, number and "
    "amount count, not those of the invoice that it corrects."
)
_LANGUAGES = {
    "document": "the language of the document",
    "de": "German",
    "en": "English",
    "fr": "French",
    "nl": "Dutch",
    "it": "Italian",
}


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """The settings of an instance that shape its prompts."""

    fields: tuple[FieldName, ...]
    context: int = 8192
    """Context size of the model in tokens, including the answer."""
    language: str = "document"
    instructions: str = ""
    type_instructions: Mapping[str, str] = field(default_factory=dict)
    """Instructions for documents of one type, by the type's name."""
    owner_names: tuple[str, ...] = ()
    """The owner's own names and companies: never a correspondent."""
    date_order: DateOrder = DateOrder.DOCUMENT
    max_tags: int = 5
    examples: int = 3
    """Maximum number of similar documents."""
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """The owner's descriptions of names, by name."""
    max_passes: int = 200
    """Maximum number of chunks for a long document."""
    custom_fields: tuple[Definition, ...] = ()

    @property
    def asked_fields(self) -> tuple[Field, ...]:
        """Return the fields that are asked for, custom fields last."""
        return (*self.fields, *(definition.field for definition in self.custom_fields))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that is ready to be sent to a server that enforces the schema."""

    system: str
    user: str
    fields: tuple[Field, ...]
    schema: Mapping[str, object]
    left_out: int
    """Characters of the document that were left out."""
    examples: tuple[int, ...] = ()
    """Ids of the documents shown as examples."""
    system_with_schema: str = ""
    """The first message with the schema as text; "" if it is not needed."""

    def with_schema_text(self) -> "Prompt":
        """Return the prompt for a server that does not enforce the schema."""
        return replace(self, system=self.system_with_schema or self.system)

    @property
    def characters(self) -> int:
        return len(self.system) + len(self.user)

    @property
    def answer_tokens(self) -> int:
        return answer_tokens(self.fields)


def answer_tokens(fields: Iterable[Field]) -> int:
    """Return the output limit for an answer about `fields`."""
    custom = sum(isinstance(field, CustomField) for field in fields)
    return ANSWER_TOKENS + custom * _CUSTOM_TOKENS


def build_prompt(
    text: str,
    *,
    names: OfferedNames,
    settings: PromptSettings,
    mark: str,
    examples: Sequence[Example] = (),
    place: Chunk | None = None,
) -> Prompt:
    """Build the prompt about a document's text, or about the chunk at `place`.

    What is the same for all documents comes first, so that servers can cache it. Raise
    PromptTooLong if the text does not fit into the context.
    """
    entries = _list_entries(names, settings)
    listed = select_names(entries, text, room=_room_for(_NAMES_SHARE, settings))
    shown = build_example_blocks(
        examples, settings.fields, room=_room_for(_EXAMPLES_SHARE, settings)
    )
    name_lines = _name_lines(entries, listed)
    with_schema = _build_system(settings, schema_lines(settings.asked_fields), name_lines)
    frame = Template(_load_prompt_file("user.md"))
    before = _lines_before_document(listed, shown, place)
    # The longer form must fit: it is sent if the server turns out not to enforce the schema.
    asked = with_schema + frame.substitute(before=before, mark=mark, text="")
    room = settings.context - answer_tokens(settings.asked_fields) - estimate_tokens(asked)
    if room < min(_MIN_ROOM, estimate_tokens(text)):
        raise PromptTooLong(
            message("a context of {n} tokens is too small for the document", n=settings.context)
        )
    excerpt = drop_middle_to_fit(text, room)
    return Prompt(
        system=_build_system(settings, form_line(settings.asked_fields), name_lines),
        user=frame.substitute(before=before, mark=mark, text=excerpt.text),
        fields=settings.asked_fields,
        schema=answer_schema(settings.asked_fields),
        left_out=excerpt.left_out,
        examples=tuple(shown),
        system_with_schema=with_schema,
    )


def count_text_tokens_left(settings: PromptSettings, names: OfferedNames) -> int:
    """Return how many tokens of any text fit into a prompt with these names.

    Rounded down to large steps: a new name must not move the borders of chunks already analyzed.
    """
    mark, place = "0" * 16, Chunk(9999, 9999)
    empty = build_prompt("", names=names, settings=settings, mark=mark, place=place)
    # Names selected for another text may use all of their share.
    entries = _list_entries(names, settings)
    reserve = select_names(entries, "", room=_room_for(_NAMES_SHARE, settings)).left
    asked = estimate_tokens(empty.with_schema_text().system + empty.user)
    taken = asked + reserve + empty.answer_tokens
    return max(0, (settings.context - taken) // _STEP * _STEP)


def prompt_version(settings: PromptSettings) -> str:
    """Return the hash of the prompt's text, including the owner's instructions and descriptions.

    The names and examples of the archive are not included.
    """
    fields = settings.asked_fields
    texts = [
        _build_system(settings, form_line(fields) + schema_lines(fields), _NOTES_LINE),
        *map(_load_prompt_file, ("user.md", "chosen.md", "examples.md", "pass.md")),
    ]
    values = [
        settings.context,
        settings.examples,
        settings.max_passes,
        *sorted(settings.descriptions.items()),
    ]
    return hashlib.sha256("".join(map(str, texts + values)).encode()).hexdigest()[:12]


def format_custom_field(definition: Definition) -> str:
    """Return the prompt's line for a custom field: key, the owner's name for it, value format."""
    name = json.dumps(clean_line(definition.field.name), ensure_ascii=False)
    if definition.data_type is DataType.SELECT:
        labels = [clean_line(option.label) for option in definition.options[:_MAX_OPTIONS]]
        wanted = f"one of these and nothing else: {json.dumps(labels, ensure_ascii=False)}"
    else:
        wanted = _WANTED[definition.data_type]
    return f"- {answer_key(definition.field)}: what the archive calls {name}: {wanted}"


def hint_lines(
    fields: Collection[FieldName], types: Collection[DataType], date_order: DateOrder
) -> str:
    """Return a line on each frequent mistake that is possible with these fields."""
    has_date, has_amount = FieldName.DATE in fields, DataType.MONETARY in types
    hints = {
        _DATE_ORDER.format(order=_DATE_ORDERS[date_order]): has_date or DataType.DATE in types,
        _VOM: has_date,
        _AMOUNTS: has_amount,
        _CREDIT_NOTES: has_date or has_amount,
    }
    return "".join(f"{hint}\n" for hint, applies in hints.items() if applies)


def form_line(fields: Sequence[Field]) -> str:
    """Return the form of an answer by an example: the rest is enforced by the server."""
    item = {"value": "...", "evidence": "...", "confidence": 0.9}
    first = [answer_key(field) for field in fields if field is not FieldName.TAGS][:1]
    example: dict[str, object] = dict.fromkeys(first, item)
    if FieldName.TAGS in fields:
        example[answer_key(FieldName.TAGS)] = [item]
    return f"The form of the JSON object, with a key for each of them: {json.dumps(example)}"


def schema_lines(fields: Sequence[Field]) -> str:
    """Return the form of an answer as a JSON schema."""
    return f"The answer has this JSON schema:\n{json.dumps(answer_schema(fields))}"


def find_unknown_names(descriptions: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the described names that are not in use."""
    known = {fold(name) for name in names}
    return tuple(name for name in descriptions if fold(name) not in known)


def _list_entries(
    names: OfferedNames, settings: PromptSettings
) -> dict[FieldName, Sequence[NameEntry]]:
    """Return the names of the requested fields, with the owner's descriptions."""
    notes = {fold(name): note for name, note in settings.descriptions.items()}
    return {
        field: [
            replace(entry, note=notes.get(fold(entry.name), entry.note)) for entry in names[field]
        ]
        if notes
        else names[field]
        for field in _LISTED
        if field in settings.fields and names.get(field)
    }


def _room_for(shares: tuple[float, float], settings: PromptSettings) -> int:
    of_all, of_free = shares
    system = _build_system(settings, schema_lines(settings.asked_fields), "")
    taken = estimate_tokens(system + _load_prompt_file("user.md"))
    free = settings.context - answer_tokens(settings.asked_fields) - taken
    return int(min(settings.context * of_all, free * of_free))


def _build_system(settings: PromptSettings, form: str, names: str) -> str:
    questions = {field: Template(BUILT_IN_FIELDS[field].question) for field in settings.fields}
    fields = [
        f"- {field}: {question.safe_substitute(max_tags=settings.max_tags)}"
        for field, question in questions.items()
    ]
    types = {definition.data_type for definition in settings.custom_fields}
    language = _LANGUAGES.get(settings.language, settings.language)
    owners = "; ".join(map(clean_line, settings.owner_names))
    return Template(_load_prompt_file("system.md")).substitute(
        fields="\n".join([*fields, *map(format_custom_field, settings.custom_fields)]),
        hints=hint_lines(settings.fields, types, settings.date_order),
        form=form,
        language=f"Write the title in {language}.",
        owner=f"The archive belongs to {owners}: never give these as the correspondent.\n"
        if settings.owner_names
        else "",
        instructions=_instruction_lines(settings),
        names=names,
    )


def _name_lines(entries: OfferedNames, listed: NameSelection) -> str:
    # Of all names, also those that are not listed: the line is the same for every document.
    has_notes = any(entry.explanation for entry in chain(*entries.values()))
    no_names = "(listed with the document)" if listed.chosen else "(none yet)"
    return (_NOTES_LINE if has_notes else "") + (format_name_blocks(listed.always) or no_names)


def _lines_before_document(
    listed: NameSelection, shown: Mapping[int, str], place: Chunk | None
) -> str:
    """Return what belongs to one document: names chosen for it, examples, place of the chunk."""
    lines = ""
    if listed.chosen:
        names = format_name_blocks(listed.chosen)
        lines += Template(_load_prompt_file("chosen.md")).substitute(names=names)
    if shown:
        examples = "\n".join(shown.values())
        lines += Template(_load_prompt_file("examples.md")).substitute(examples=examples)
    if place is not None:
        frame = Template(_load_prompt_file("pass.md"))
        lines += frame.substitute(number=place.number, of=place.of)
    return lines


def _instruction_lines(settings: PromptSettings) -> str:
    text = settings.instructions.strip()
    for_all = f"The owner of the archive adds:\n{text}\n" if text else ""
    by_type = "".join(
        f"- {clean_line(name)}: {instructions.strip()}\n"
        for name, instructions in settings.type_instructions.items()
    )
    if not by_type:
        return for_all
    return f"{for_all}For documents of one type, the owner of the archive adds:\n{by_type}"


@cache
def _load_prompt_file(name: str) -> str:
    return (files("processor.analysis") / "prompts" / name).read_text(encoding="utf-8")
