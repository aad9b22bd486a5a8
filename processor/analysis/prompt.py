"""Put the question to the model into words."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from core.fields import FieldName
from processor.analysis.budget import estimate_tokens, fit
from processor.analysis.errors import PromptTooLong
from processor.analysis.schema import answer_schema
from processor.text import tidy

ANSWER_TOKENS = 1024
"""Room for the answer: five fields with quotes take about 400 tokens."""
_LEAST_ROOM = 200
"""Tokens: from less of a document than this nothing can be told, only made up."""
_NAMES_SHARE = 0.3
"""At most this part of the context is spent on names in use."""

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
_LANGUAGES = {"de": "German", "en": "English", "fr": "French", "nl": "Dutch", "it": "Italian"}


@dataclass(frozen=True, slots=True)
class Brief:
    """What the owner of an instance wants to be asked, and how."""

    fields: tuple[FieldName, ...]
    context: int = 8192
    """Tokens that the model reads at once, the answer included."""
    language: str = "document"
    instructions: str = ""
    owner_names: tuple[str, ...] = ()
    """The owner's own names and companies: never a correspondent."""
    max_tags: int = 5


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question, ready to be sent."""

    system: str
    user: str
    fields: tuple[FieldName, ...]
    schema: Mapping[str, object]
    left_out: int
    """How many characters of the document are missing from it."""

    @property
    def characters(self) -> int:
        return len(self.system) + len(self.user)


def build_prompt(
    text: str, *, names: Mapping[FieldName, Sequence[str]], brief: Brief, mark: str
) -> Prompt:
    """Ask about `text`. The part that stays the same between documents stands first.

    Raise PromptTooLong if the context has no room for it.
    """
    system = _system(brief, names)
    frame = Template(_words("user.md"))
    asked = system + frame.substitute(mark=mark, text="")
    room = brief.context - ANSWER_TOKENS - estimate_tokens(asked)
    if room < min(_LEAST_ROOM, estimate_tokens(text)):
        raise PromptTooLong(f"a context of {brief.context} tokens has no room for the document")
    excerpt = fit(text, room)
    return Prompt(
        system=system,
        user=frame.substitute(mark=mark, text=excerpt.text),
        fields=brief.fields,
        schema=answer_schema(brief.fields),
        left_out=excerpt.left_out,
    )


def prompt_version(brief: Brief) -> str:
    """Name the words of the prompt: other words or other instructions give another version."""
    spoken = _system(brief, {}) + _words("user.md") + str(brief.context)
    return hashlib.sha256(spoken.encode()).hexdigest()[:12]


def most_used_within(names: Iterable[str], room: int) -> list[str]:
    """Take names, most used first, as long as they fit into `room` tokens."""
    taken: list[str] = []
    for name in names:
        room -= estimate_tokens(name) + 1
        if room < 0:
            break
        taken.append(name)
    return taken


def _system(brief: Brief, names: Mapping[FieldName, Sequence[str]]) -> str:
    return Template(_words("system.md")).substitute(
        fields=_field_lines(brief),
        language=_language_line(brief.language),
        owner=_owner_line(brief.owner_names),
        instructions=_instruction_lines(brief.instructions),
        names=_name_blocks(brief, names),
        schema=json.dumps(answer_schema(brief.fields)),
    )


def _field_lines(brief: Brief) -> str:
    lines = [f"- {field}: {_ASKED[field]}" for field in brief.fields]
    return Template("\n".join(lines)).safe_substitute(max_tags=brief.max_tags)


def _language_line(language: str) -> str:
    if language == "document":
        return "Write the title in the language of the document."
    return f"Write the title in {_LANGUAGES.get(language, language)}."


def _owner_line(names: Sequence[str]) -> str:
    if not names:
        return ""
    listed = "; ".join(tidy(name) for name in names)
    return f"The archive belongs to {listed}: never give these as the correspondent.\n"


def _instruction_lines(instructions: str) -> str:
    said = instructions.strip()
    return f"The owner of the archive adds:\n{said}\n" if said else ""


def _name_blocks(brief: Brief, names: Mapping[FieldName, Sequence[str]]) -> str:
    listed = [field for field in brief.fields if names.get(field)]
    if not listed:
        return "(none yet)"
    room = int(brief.context * _NAMES_SHARE / len(listed))
    return "\n".join(_name_block(field, most_used_within(names[field], room)) for field in listed)


def _name_block(field: FieldName, names: Sequence[str]) -> str:
    kind = "tag" if field is FieldName.TAGS else field
    lines = "\n".join(tidy(name) for name in names)
    return f'<names kind="{kind}">\n{lines}\n</names>'


@cache
def _words(name: str) -> str:
    return (files("processor.analysis") / "prompts" / name).read_text(encoding="utf-8")
