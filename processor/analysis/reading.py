"""Take the JSON object out of what a model wrote around it."""

import json
import re
from collections.abc import Collection, Iterator

from json_repair import repair_json

from processor.analysis.errors import AnswerUnusable

_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THINKING_TAIL = re.compile(r"\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```(?:json)?\s*\n?(.*?)```", re.DOTALL | re.IGNORECASE)


def read_object(text: str, keys: Collection[str]) -> dict[str, object]:
    """Return the JSON object in `text` that has at least one of `keys`.

    Thinking, fences and prose around it are passed over and small slips are mended. Raise
    AnswerUnusable if there is no such object.
    """
    said = _THINKING_TAIL.sub("", _THINKING.sub("", text)).strip()
    candidates = list(_candidates(said))
    for parse in (_parse, _mend):
        for candidate in candidates:
            found = parse(candidate)
            if isinstance(found, dict) and found.keys() & set(keys):
                return found
    raise AnswerUnusable("the answer holds no JSON object of the form asked for")


def _candidates(said: str) -> Iterator[str]:
    """Yield the places where the object may stand, the likeliest first.

    Of several fenced blocks the last counts: models draft first and answer last.
    """
    yield said
    yield from reversed(_FENCED.findall(said))
    start, end = said.find("{"), said.rfind("}")
    if 0 <= start < end:
        yield said[start : end + 1]


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _mend(text: str) -> object:
    return repair_json(text, return_objects=True) if text.lstrip().startswith("{") else None
