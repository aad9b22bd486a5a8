"""Build the JSON schema of a model's answer, parse the answer and read its suggestions."""

import json
import re
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Annotated, Any

from json_repair import repair_json
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from core.changes import Suggestion
from core.fields import CustomField, Field, FieldName
from core.messages import message
from core.text import clean_line
from processor.analysis.errors import AnswerUnusable

_MAX_TAGS = 20
"""Maximum number of tags: a longer list is a runaway answer, and the rest is dropped."""
_MAX_TEXT_LENGTH = 1000
"""Maximum characters of a value or quote; a model may copy the whole document into one."""
_NOTHING = frozenset({"-", "n/a", "none", "null"})
"""Placeholders that models write although the prompt asks for an empty string."""

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THINKING_TAIL = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_JSON_BEGINS = re.compile(r'["{\[]')
_JSON = json.JSONDecoder(strict=False)
"""Not strict: models write line breaks inside strings."""
_MAX_SEARCHED = 40_000
"""Characters at the end of a response that are searched; a usual answer has about 2,000."""
_MAX_REPAIRED = 10_000
_MAX_BRACES = 100
"""The repair library's time grows with the square of both: 10,000 braces take a minute."""
_MAX_SECONDS = 0.3
"""Maximum CPU time of a repair; a usual one takes 10 ms."""
_CALLS = 5_000
"""Function calls between two checks of the clock: most calls are shorter than a check."""


def answer_key(field: Field) -> str:
    """Return the key of a field in an answer; custom fields go by id, as names hold any text."""
    return f"custom_field_{field.id}" if isinstance(field, CustomField) else str(field)


def answer_schema(fields: Sequence[Field]) -> dict[str, object]:
    """Return the JSON schema of an answer about `fields`, in the subset that every server supports.

    No unions and no bounds: an unknown value is "", and limits are applied when reading.
    """
    item = _object_schema(
        {
            "value": {"type": "string"},
            "evidence": {"type": "string"},
            "confidence": {"type": "number"},
        }
    )
    items = {"type": "array", "items": item}
    return _object_schema(
        {answer_key(field): items if field is FieldName.TAGS else item for field in fields}
    )


def read_suggestions(
    answer: Mapping[str, object], fields: Sequence[Field]
) -> tuple[Suggestion, ...]:
    """Return the suggestions for `fields`; other keys of the answer are ignored.

    Raise AnswerUnusable if the answer has none of the fields, or one in the wrong shape.
    """
    if not any(answer_key(field) in answer for field in fields):
        raise AnswerUnusable(message("the answer has none of the requested fields"))
    found = [
        Suggestion(field, item.value, item.evidence, item.confidence)
        for field in fields
        for item in _parse_items(field, answer.get(answer_key(field)))
        if item.value
    ]
    return tuple(found)


def read_object(text: str, keys: Collection[str]) -> dict[str, object]:
    """Return the JSON object in `text` that has at least one of `keys`.

    Reasoning, code fences and prose around it are ignored, and small errors are repaired. Of
    several objects the last one counts: models draft first and answer last. Raise AnswerUnusable
    if there is no such object.
    """
    answer = _THINKING_TAIL.sub("", _THINKING.sub("", text))[-_MAX_SEARCHED:]
    # The whole text is tried first: a valid object may contain the word <think> in a value.
    attempts = ((_decode_whole, text), (_find_objects, answer), (_repair_objects, answer))
    for decode, part in attempts:
        for found in reversed(decode(part)):
            if isinstance(found, dict) and found.keys() & set(keys):
                return found
    raise AnswerUnusable(message("the answer contains no JSON object of the requested form"))


def _object_schema(properties: dict[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _clean_text(raw: object) -> str:
    text = clean_line(raw[:_MAX_TEXT_LENGTH]) if isinstance(raw, str) else ""
    return "" if text.casefold() in _NOTHING else text


def _parse_confidence(raw: object) -> float:
    """Parse a confidence from 0 to 1; models also write 95, "95 %", "0,9" or nothing."""
    written = raw.rstrip("% ").replace(",", ".") if isinstance(raw, str) else raw
    try:
        number = float(written)  # type: ignore[arg-type]  # anything but a number raises
    except (TypeError, ValueError, OverflowError):
        return 0.0
    share = number / 100 if number > 1 else number
    return share if 0.0 <= share <= 1.0 else 0.0


class _Item(BaseModel):
    """One value with its evidence; small errors of form are repaired, not rejected."""

    model_config = ConfigDict(extra="ignore")

    value: Annotated[str, BeforeValidator(_clean_text)] = ""
    evidence: Annotated[str, BeforeValidator(_clean_text)] = ""
    confidence: Annotated[float, BeforeValidator(_parse_confidence)] = 0.0


def _parse_items(field: Field, raw: Any) -> list[_Item]:
    items = raw if isinstance(raw, list) else [raw]
    limit = _MAX_TAGS if field is FieldName.TAGS else 1
    given = [item for item in items[:limit] if item is not None]
    if isinstance(field, CustomField):
        given = [_spell_out_value(item) for item in given]
    try:
        return [
            _Item.model_validate({"value": item} if isinstance(item, str) else item)
            for item in given
        ]
    except ValidationError as error:
        raise AnswerUnusable(
            message("the answer's {field} has the wrong format", field=answer_key(field))
        ) from error


def _spell_out_value(raw: object) -> object:
    """Return an item with its value as text: models also answer with 12.5 or true."""
    if isinstance(raw, dict):
        return {
            key: _spell_out_value(item) if key == "value" else item for key, item in raw.items()
        }
    return json.dumps(raw) if isinstance(raw, bool | int | float) else raw


class _TookTooLong(BaseException):
    """A repair took too long. Not an Exception, so that the interrupted code cannot catch it."""


def _decode_whole(text: str) -> list[object]:
    try:
        return [_JSON.decode(text)]
    except (ValueError, RecursionError):
        return []


def _find_objects(text: str) -> list[object]:
    """Return every valid JSON object in `text`."""
    objects: list[object] = []
    start = text.find("{")
    while start >= 0:
        try:
            decoded, end = _JSON.raw_decode(text, start)
        except RecursionError:
            # No answer is nested so deeply; retrying at each of its braces would not finish.
            break
        except ValueError:
            end = start + 1
        else:
            objects.append(decoded)
        start = text.find("{", end)
    return objects


def _repair_objects(text: str) -> list[object]:
    """Return the objects in `text` after a repair; none if the last one is cut off."""
    start, end = text.find("{"), text.rfind("}") + 1
    if not 0 <= start < end or _JSON_BEGINS.search(text, end):
        return []
    if end - start > _MAX_REPAIRED or text.count("{") > _MAX_BRACES:
        return []
    try:
        with _time_limit(_MAX_SECONDS):
            found: object = repair_json(text[start:end], return_objects=True)
    except (AssertionError, ValueError, RecursionError, _TookTooLong):
        # The repair library raises errors on some invalid input and does not finish on other.
        return []
    return found if isinstance(found, list) else [found]


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise _TookTooLong inside the block, at the next function call after the time is used up.

    A thread cannot be stopped from outside. The thread's own CPU time is measured, so that the same
    answer leads to the same result on a busy machine.
    """
    until, calls = time.thread_time() + seconds, count(1)

    def check(*_: object) -> None:
        if next(calls) % _CALLS == 0 and time.thread_time() > until:
            raise _TookTooLong

    before = sys.getprofile()
    sys.setprofile(check)
    try:
        yield
    finally:
        sys.setprofile(before)
