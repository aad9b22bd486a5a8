"""The shape of an answer: as a JSON schema for the server, and as a check for us."""

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

_MOST_TAGS = 20
"""Past this many tags a list is no answer any more but a runaway; the rest is dropped."""
_LONGEST_TEXT = 1000
"""Of a longer value or quote only the beginning counts: a copy of the document shows nothing."""
_NOTHING = frozenset({"-", "n/a", "none", "null"})
"""What models write where they were told to write nothing."""


def answer_key(field: Field) -> str:
    """Return what a field is called in an answer; a name of the owner's may hold anything."""
    return f"custom_field_{field.id}" if isinstance(field, CustomField) else str(field)


def answer_schema(fields: Sequence[Field]) -> dict[str, object]:
    """Return the JSON schema of an answer about `fields`, in the subset that every server knows.

    No unions and no bounds: what is not known is "" and all limits are applied by us.
    """
    properties: dict[str, object] = {answer_key(field): _shape_of(field) for field in fields}
    return _object(properties)


def read_suggestions(
    answer: Mapping[str, object], fields: Sequence[Field]
) -> tuple[Suggestion, ...]:
    """Turn an answer into suggestions for `fields`; whatever else it says is dropped."""
    if not any(answer_key(field) in answer for field in fields):
        raise AnswerUnusable(message("the answer has none of the requested fields"))
    found = [
        Suggestion(field, item.value, item.evidence, item.confidence)
        for field in fields
        for item in _items(field, answer.get(answer_key(field)))
        if item.value
    ]
    return tuple(found)


def _shape_of(field: Field) -> dict[str, object]:
    item = _object(
        {
            "value": {"type": "string"},
            "evidence": {"type": "string"},
            "confidence": {"type": "number"},
        }
    )
    return {"type": "array", "items": item} if field is FieldName.TAGS else item


def _object(properties: dict[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(raw: object) -> str:
    said = clean_line(raw[:_LONGEST_TEXT]) if isinstance(raw, str) else ""
    return "" if said.casefold() in _NOTHING else said


def _share(raw: object) -> float:
    """Read a confidence as a share of 1; models also say 95, "95 %", "0,9" or nothing."""
    said = raw.rstrip("% ").replace(",", ".") if isinstance(raw, str) else raw
    try:
        number = float(said)  # type: ignore[arg-type]  # whatever is no number raises
    except (TypeError, ValueError, OverflowError):
        return 0.0
    share = number / 100 if number > 1 else number
    return share if 0.0 <= share <= 1.0 else 0.0


class _Item(BaseModel):
    """One value with its evidence; small slips of form are mended, not refused."""

    model_config = ConfigDict(extra="ignore")

    value: Annotated[str, BeforeValidator(_text)] = ""
    evidence: Annotated[str, BeforeValidator(_text)] = ""
    confidence: Annotated[float, BeforeValidator(_share)] = 0.0


def _items(field: Field, raw: Any) -> list[_Item]:
    many = raw if isinstance(raw, list) else [raw]
    most = _MOST_TAGS if field is FieldName.TAGS else 1
    return [_item(field, one) for one in many[:most] if one is not None]


def _item(field: Field, raw: Any) -> _Item:
    spelled = _spelled(raw) if isinstance(field, CustomField) else raw
    try:
        return _Item.model_validate({"value": spelled} if isinstance(spelled, str) else spelled)
    except ValidationError as error:
        raise AnswerUnusable(
            message("the answer's {field} has the wrong shape", field=answer_key(field))
        ) from error


def _spelled(raw: object) -> object:
    """Spell a value out: asked for an amount, or for yes or no, models say 12.5 and true."""
    if isinstance(raw, dict):
        return {key: _spelled(one) if key == "value" else one for key, one in raw.items()}
    return json.dumps(raw) if isinstance(raw, bool | int | float) else raw


_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THINKING_TAIL = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_JSON_BEGINS = re.compile(r'["{\[]')
_JSON = json.JSONDecoder(strict=False)
"""Not strict: models break lines within a text."""
_LONGEST = 40_000
"""Characters in which an answer is looked for, from the end; a whole answer has about 2,000."""
_LONGEST_TO_MEND = 10_000
_MOST_BRACES = 100
"""The mender's time grows with the square of both: ten thousand braces take it a minute."""
_MOST_SECONDS = 0.3
"""Maximum CPU time of a repair; a usual one takes 10 ms."""
_CALLS = 5_000
"""Function calls between two checks of the clock: most calls are shorter than a check."""


class _TookTooLong(BaseException):
    """Not an Exception, so that the interrupted code does not catch it."""


def read_object(text: str, keys: Collection[str]) -> dict[str, object]:
    """Return the JSON object in `text` that has at least one of `keys`.

    Thinking, fences and prose around it are passed over and small slips are mended. Of several
    objects the last counts: models draft first and answer last. Raise AnswerUnusable if there is
    no such object.
    """
    said = _THINKING_TAIL.sub("", _THINKING.sub("", text))[-_LONGEST:]
    # The text as a whole comes first: a whole object may well speak of thinking.
    for objects_in, part in ((_whole, text), (_within, said), (_repair_objects, said)):
        for found in reversed(objects_in(part)):
            if isinstance(found, dict) and found.keys() & set(keys):
                return found
    raise AnswerUnusable(message("the answer contains no JSON object of the requested form"))


def _whole(text: str) -> list[object]:
    try:
        return [_JSON.decode(text)]
    except (ValueError, RecursionError):
        return []


def _within(said: str) -> list[object]:
    """Return every object that stands in `said` without a slip."""
    found: list[object] = []
    start = said.find("{")
    while start >= 0:
        try:
            one, end = _JSON.raw_decode(said, start)
        except RecursionError:
            # No answer is so deep; to begin anew at every brace of it would take for ever.
            break
        except ValueError:
            end = start + 1
        else:
            found.append(one)
        start = said.find("{", end)
    return found


def _repair_objects(said: str) -> list[object]:
    """Return the objects in `said`, their slips mended; none if the last one is cut off."""
    start, end = said.find("{"), said.rfind("}") + 1
    if not 0 <= start < end or _JSON_BEGINS.search(said, end):
        return []
    if end - start > _LONGEST_TO_MEND or said.count("{") > _MOST_BRACES:
        return []
    try:
        with _time_limit(_MOST_SECONDS):
            found: object = repair_json(said[start:end], return_objects=True)
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
