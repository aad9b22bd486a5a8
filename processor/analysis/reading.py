"""Take the JSON object out of what a model wrote around it."""

import json
import re
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import count

from json_repair import repair_json

from core.messages import message
from processor.analysis.errors import AnswerUnusable

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
    for objects_in, part in ((_whole, text), (_within, said), (_mended, said)):
        for found in reversed(objects_in(part)):
            if isinstance(found, dict) and found.keys() & set(keys):
                return found
    raise AnswerUnusable(message("the answer holds no JSON object of the form asked for"))


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


def _mended(said: str) -> list[object]:
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
