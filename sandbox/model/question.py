"""Parse a prompt: its document, the offered names, and the requested fields."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Schema: TypeAlias = Mapping[str, object]

FIELDS = ("title", "correspondent", "document_type", "tags", "date", "storage_path")

_CUSTOM = re.compile(
    r"^- (?P<key>custom_field_\d+): what the archive calls "
    r'(?P<name>"(?:[^"\\]|\\.)*"): (?P<wanted>.*)$',
    re.MULTILINE,
)
_NAMES = re.compile(r'<names kind="(?P<kind>\w+)">\n(?P<names>.*?)</names>', re.DOTALL)
_FENCED = re.compile(
    r'<document mark="(?P<mark>\w+)">\n?(?P<text>.*)</document mark="(?P=mark)">', re.DOTALL
)
_OPENED = re.compile(r'<document mark="\w+">\n?(?P<text>.*)', re.DOTALL)
_CLOSED = re.compile(r'(?P<text>.*)</document mark="\w+">', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class CustomQuestion:
    """A requested custom field: its key, its name, and the type of its value."""

    key: str
    name: str
    wanted: str


@dataclass(frozen=True, slots=True)
class Question:
    """The parsed prompt; it contains nothing that the prompt does not show."""

    text: str | None
    """The document; None if there is none in the prompt."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    schema: Schema | None = None
    fields: tuple[str, ...] = FIELDS
    custom: tuple[CustomQuestion, ...] = ()


def read_messages(data: object) -> tuple[Message, ...]:
    """Parse the `messages` of a request; raise ValueError if they are invalid."""
    if not isinstance(data, list) or not data:
        raise ValueError("'messages' must be a list with at least one message")
    return tuple(_message(item) for item in data)


def read_question(messages: Sequence[Message], response_format: object) -> Question:
    system = _joined(messages, {"system", "developer"})
    user = _joined(messages, {"user"})
    schema = _schema_of_format(response_format) or _schema_in_text(system)
    return Question(
        text=_document(user),
        names=_names(system + user),
        schema=schema,
        fields=_fields(schema),
        custom=tuple(
            CustomQuestion(line["key"], json.loads(line["name"]), line["wanted"])
            for line in _CUSTOM.finditer(system)
        ),
    )


def _message(item: object) -> Message:
    match item:
        case {"role": str(role), "content": str(content)}:
            return Message(role, content)
        case {"role": str(role), "content": list(parts)}:
            texts = [part["text"] for part in parts if isinstance(part, dict) and "text" in part]
            return Message(role, "\n".join(str(text) for text in texts))
    raise ValueError("a message needs a 'role' and a 'content'")


def _joined(messages: Sequence[Message], roles: set[str]) -> str:
    return "\n".join(message.content for message in messages if message.role in roles)


def _document(user: str) -> str | None:
    # A server that truncates the prompt may have removed one of the markers.
    for pattern in (_FENCED, _OPENED, _CLOSED):
        if match := pattern.search(user):
            return match["text"]
    return None


def _names(text: str) -> dict[str, tuple[str, ...]]:
    # The document comes last; a list of names inside it is not an offer.
    offered = text.split("<document mark=", 1)[0]
    blocks = {match["kind"]: match["names"] for match in _NAMES.finditer(offered)}
    return {kind: tuple(filter(None, _without_notes(names))) for kind, names in blocks.items()}


def _without_notes(names: str) -> Iterator[str]:
    """Yield the names without their descriptions, which follow two spaces and #."""
    return (line.split("  # ", 1)[0] for line in names.split("\n"))


def _schema_of_format(response_format: object) -> Schema | None:
    match response_format:
        case {"type": "json_schema", "json_schema": {"schema": dict(schema)}}:
            return schema
        case {"type": "json_object", "schema": dict(schema)}:
            return schema
    return None


def _schema_in_text(text: str) -> Schema | None:
    return next((data for data in _json_objects(text) if "properties" in data), None)


def _json_objects(text: str) -> Iterator[dict[str, object]]:
    decoder, start = json.JSONDecoder(), text.find("{")
    while start >= 0:
        try:
            data, end = decoder.raw_decode(text, start)
        except ValueError:
            end = start + 1
        else:
            yield data
        start = text.find("{", end)


def _fields(schema: Schema | None) -> tuple[str, ...]:
    properties = schema.get("properties") if schema else None
    if not isinstance(properties, dict):
        return FIELDS
    return tuple(name for name in properties if name in FIELDS)
