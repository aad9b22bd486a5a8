"""What strict servers require of a request, and how they refuse others."""

from collections.abc import Callable, Iterator, Mapping

from sandbox.model.behaviour import Demand, Mode
from sandbox.model.chat import Chat
from sandbox.model.refusals import Refusal, gemini_error, openai_error

_COMMON = frozenset(
    {"max_tokens", "max_completion_tokens", "temperature", "stream", "stream_options"}
)


def find_unmet_demand(chat: Chat, demands: frozenset[Demand]) -> Refusal | None:
    """Return the refusal of a request that misses a requirement; None if it meets all."""
    refusals = (_REFUSALS[demand] for demand in Demand if demand in demands)
    return next((said for refuse in refusals if (said := refuse(chat)) is not None), None)


def _developer(chat: Chat) -> Refusal | None:
    if all(message.role != "developer" for message in chat.messages):
        return None
    return openai_error(500, "Input tag 'developer' found using 'role' does not match.")


def _unions(chat: Chat) -> Refusal | None:
    if not any(_is_union(part) for part in _parts(_schema(chat))):
        return None
    return gemini_error("Invalid value at 'generation_config.response_schema': type is a list.")


def _strict(chat: Chat) -> Refusal | None:
    if chat.mode is not Mode.JSON_SCHEMA or _format(chat).get("strict") is True:
        return None
    return openai_error(400, "response_format.json_schema.strict: must be true")


def _closed(chat: Chat) -> Refusal | None:
    if all(_is_closed(part) for part in _parts(_schema(chat))):
        return None
    message = "Invalid schema for response_format: 'required' must include every key in properties"
    return openai_error(400, f"{message}, and 'additionalProperties' must be false.")


def _word_json(chat: Chat) -> Refusal | None:
    if chat.mode is not Mode.JSON_OBJECT or "json" in chat.prompt.lower():
        return None
    return openai_error(400, "The prompt must contain the word 'json' to use 'json_object'.")


def _parameters(chat: Chat) -> Refusal | None:
    unknown = sorted(chat.parameters.keys() - _COMMON)
    said = f'Invalid JSON payload received. Unknown name "{unknown[0]}"' if unknown else ""
    return gemini_error(said) if unknown else None


_REFUSALS: Mapping[Demand, Callable[[Chat], Refusal | None]] = {
    Demand.NO_DEVELOPER: _developer,
    Demand.NO_UNIONS: _unions,
    Demand.STRICT: _strict,
    Demand.CLOSED: _closed,
    Demand.WORD_JSON: _word_json,
    Demand.KNOWN_PARAMETERS: _parameters,
}


def _format(chat: Chat) -> Mapping[str, object]:
    match chat.response_format:
        case {"json_schema": dict(schema)}:
            return schema
    return {}


def _schema(chat: Chat) -> object:
    return _format(chat).get("schema")


def _parts(schema: object) -> Iterator[Mapping[str, object]]:
    """Yield a schema and every schema within it."""
    match schema:
        case dict():
            yield schema
            for part in schema.values():
                yield from _parts(part)
        case list():
            for part in schema:
                yield from _parts(part)


def _is_union(part: Mapping[str, object]) -> bool:
    return isinstance(part.get("type"), list) or bool(part.keys() & {"anyOf", "oneOf", "allOf"})


def _is_closed(part: Mapping[str, object]) -> bool:
    properties = part.get("properties")
    if part.get("type") != "object" or not isinstance(properties, dict):
        return True
    return part.get("required") == list(properties) and part.get("additionalProperties") is False
