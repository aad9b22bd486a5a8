"""Blocks of a prompt that show what is in the archive: names, and documents as they were filed.

Whatever comes from the archive is on a line of its own and has no angle brackets: it cannot end the
block it stands in, nor begin another.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from string import Template

from core.analysis import Chunk
from core.custom_fields import DataType, Definition
from core.fields import CustomField, Field, FieldName
from core.messages import message
from core.text import clean_line, fold
from processor.analysis.answer import answer_key, answer_schema
from processor.analysis.budget import drop_middle_to_fit, estimate_tokens
from processor.analysis.custom_values import TEXT_LENGTH
from processor.analysis.errors import PromptTooLong
from processor.analysis.prompt_blocks import (
    Example,
    NameEntry,
    build_example_blocks,
    format_name_blocks,
)
from processor.analysis.shortlist import NameSelection, select_names

_MOST_OPTIONS = 100
"""A longer list would leave no room for the document."""
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


def format_custom_field(definition: Definition) -> str:
    """Say what is asked for: its key in the answer, the owner's name for it, what it may be."""
    name = json.dumps(clean_line(definition.field.name), ensure_ascii=False)
    return f"- {answer_key(definition.field)}: what the archive calls {name}: {_wanted(definition)}"


def _wanted(definition: Definition) -> str:
    if definition.data_type is not DataType.SELECT:
        return _WANTED[definition.data_type]
    labels = [clean_line(option.label) for option in definition.options[:_MOST_OPTIONS]]
    return f"one of these and nothing else: {json.dumps(labels, ensure_ascii=False)}"


ANSWER_TOKENS = 1024
"""Room for the answer: five fields with quotes take about 400 tokens."""
_CUSTOM_TOKENS = 100
"""Further room for each custom field."""
_LEAST_ROOM = 200
"""Tokens: from less of a document than this nothing can be told, only made up."""
_STEP = 256
_NAMES_SHARE = (0.3, 0.4)
"""At most these parts of the context, and of what the instructions leave of it, go to names."""
_EXAMPLES_SHARE = (0.1, 0.15)
"""The same for similar documents."""

_ASKED = {
    FieldName.TITLE: "a short, telling title of at most 80 characters, without the file name",
    FieldName.CORRESPONDENT: "who sent the document: the company, office or person, not the one "
    "it is addressed to",
    FieldName.DOCUMENT_TYPE: "what kind of document it is",
    FieldName.TAGS: "a list of tags that fit the document's subject, the best first, at most "
    "$max_tags",
    FieldName.DATE: "the date of the document itself as YYYY-MM-DD: when it was written or "
    "issued, not when something is due, was delivered, or someone was born",
}
_NOTES_LINE = (
    "What stands after a name and # is the owner's explanation of it and no part of the name.\n"
)
_LANGUAGES = {"de": "German", "en": "English", "fr": "French", "nl": "Dutch", "it": "Italian"}


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """What the owner of an instance wants to be asked, and how."""

    fields: tuple[FieldName, ...]
    context: int = 8192
    """Tokens that the model reads at once, the answer included."""
    language: str = "document"
    instructions: str = ""
    owner_names: tuple[str, ...] = ()
    """The owner's own names and companies: never a correspondent."""
    max_tags: int = 5
    examples: int = 3
    """So many similar documents are shown, if there are any."""
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """What the owner says about names, by name."""
    max_passes: int = 200
    """In at most so many parts a long document is read."""
    custom_fields: tuple[Definition, ...] = ()

    @property
    def asked_fields(self) -> tuple[Field, ...]:
        """Return every field that is asked for, custom ones last."""
        return (*self.fields, *(definition.field for definition in self.custom_fields))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question, ready to be sent."""

    system: str
    user: str
    fields: tuple[Field, ...]
    schema: Mapping[str, object]
    left_out: int
    """How many characters of the document are missing from it."""
    examples: tuple[int, ...] = ()
    """The documents that it shows as examples."""

    @property
    def characters(self) -> int:
        return len(self.system) + len(self.user)

    @property
    def answer_tokens(self) -> int:
        return answer_tokens(self.fields)


def answer_tokens(fields: Iterable[Field]) -> int:
    """Return how many tokens an answer about `fields` may take."""
    custom = sum(isinstance(field, CustomField) for field in fields)
    return ANSWER_TOKENS + custom * _CUSTOM_TOKENS


def build_prompt(
    text: str,
    *,
    names: Mapping[FieldName, Sequence[str]],
    brief: PromptSettings,
    mark: str,
    examples: Sequence[Example] = (),
    place: Chunk | None = None,
) -> Prompt:
    """Ask about `text`, or about a pass of it. What stays the same between documents stands first.

    Raise PromptTooLong if the context has no room for it.
    """
    offer = _offer(text, names, brief)
    shown = build_example_blocks(examples, brief.fields, room=_part(_EXAMPLES_SHARE, brief))
    system = _system(brief, format_name_blocks(offer.always) or _no_names(offer))
    frame = Template(_load_prompt_file("user.md"))
    before = _chosen_lines(offer) + _example_lines(shown) + _pass_line(place)
    asked = system + frame.substitute(before=before, mark=mark, text="")
    room = brief.context - answer_tokens(brief.asked_fields) - estimate_tokens(asked)
    if room < min(_LEAST_ROOM, estimate_tokens(text)):
        raise PromptTooLong(
            message("a context of {n} tokens has no room for the document", n=brief.context)
        )
    excerpt = drop_middle_to_fit(text, room)
    return Prompt(
        system=system,
        user=frame.substitute(before=before, mark=mark, text=excerpt.text),
        fields=brief.asked_fields,
        schema=answer_schema(brief.asked_fields),
        left_out=excerpt.left_out,
        examples=tuple(shown),
    )


def count_text_tokens_left(brief: PromptSettings, names: Mapping[FieldName, Sequence[str]]) -> int:
    """Return the tokens of a text that surely fit beside names, whatever the text.

    In large steps: a name more or less must not move the borders of passes that are read already.
    """
    empty = build_prompt("", names=names, brief=brief, mark="0" * 16, place=Chunk(9999, 9999))
    # Names that are picked for a text may take up to their room, and take a little less.
    more = _offer("", names, brief).left
    taken = estimate_tokens(empty.system + empty.user) + more + empty.answer_tokens
    return max(0, (brief.context - taken) // _STEP * _STEP)


def prompt_version(brief: PromptSettings) -> str:
    """Name the words of the prompt: other words or other instructions give another version.

    The archive's names and examples are none of them; what the owner says about names is.
    """
    words = [
        _system(brief, ""),
        *map(_load_prompt_file, ("user.md", "chosen.md", "examples.md", "pass.md")),
    ]
    told = [brief.context, brief.examples, brief.max_passes, *sorted(brief.descriptions.items())]
    return hashlib.sha256("".join(map(str, words + told)).encode()).hexdigest()[:12]


def find_unknown_names(descriptions: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that the owner describes and nobody uses."""
    known = {fold(name) for name in names}
    return tuple(name for name in descriptions if fold(name) not in known)


def _offer(
    text: str, names: Mapping[FieldName, Sequence[str]], brief: PromptSettings
) -> NameSelection:
    return select_names(_entries(brief, names), text, room=_part(_NAMES_SHARE, brief))


def _part(shares: tuple[float, float], brief: PromptSettings) -> int:
    of_all, of_free = shares
    taken = estimate_tokens(_system(brief, "") + _load_prompt_file("user.md"))
    free = brief.context - answer_tokens(brief.asked_fields) - taken
    return int(min(brief.context * of_all, free * of_free))


def _entries(
    brief: PromptSettings, names: Mapping[FieldName, Sequence[str]]
) -> dict[FieldName, list[NameEntry]]:
    listed = [field for field in brief.fields if names.get(field)]
    notes = {fold(name): said for name, said in brief.descriptions.items()}
    return {
        field: [
            NameEntry(name, notes.get(fold(name), "") if notes else "") for name in names[field]
        ]
        for field in listed
    }


def _system(brief: PromptSettings, names: str) -> str:
    return Template(_load_prompt_file("system.md")).substitute(
        fields=_field_lines(brief),
        language=_language_line(brief.language),
        owner=_owner_line(brief.owner_names),
        instructions=_instruction_lines(brief.instructions),
        notes=_NOTES_LINE if brief.descriptions else "",
        names=names,
        schema=json.dumps(answer_schema(brief.asked_fields)),
    )


def _no_names(offer: NameSelection) -> str:
    return "(listed with the document)" if offer.chosen else "(none yet)"


def _chosen_lines(offer: NameSelection) -> str:
    if not offer.chosen:
        return ""
    return Template(_load_prompt_file("chosen.md")).substitute(
        names=format_name_blocks(offer.chosen)
    )


def _example_lines(shown: Mapping[int, str]) -> str:
    if not shown:
        return ""
    return Template(_load_prompt_file("examples.md")).substitute(examples="\n".join(shown.values()))


def _pass_line(place: Chunk | None) -> str:
    if place is None:
        return ""
    return Template(_load_prompt_file("pass.md")).substitute(number=place.number, of=place.of)


def _field_lines(brief: PromptSettings) -> str:
    asked = {field: Template(_ASKED[field]) for field in brief.fields}
    lines = [f"- {f}: {t.safe_substitute(max_tags=brief.max_tags)}" for f, t in asked.items()]
    return "\n".join([*lines, *map(format_custom_field, brief.custom_fields)])


def _language_line(language: str) -> str:
    if language == "document":
        return "Write the title in the language of the document."
    return f"Write the title in {_LANGUAGES.get(language, language)}."


def _owner_line(names: Sequence[str]) -> str:
    if not names:
        return ""
    listed = "; ".join(clean_line(name) for name in names)
    return f"The archive belongs to {listed}: never give these as the correspondent.\n"


def _instruction_lines(instructions: str) -> str:
    said = instructions.strip()
    return f"The owner of the archive adds:\n{said}\n" if said else ""


@cache
def _load_prompt_file(name: str) -> str:
    return (files("processor.analysis") / "prompts" / name).read_text(encoding="utf-8")
