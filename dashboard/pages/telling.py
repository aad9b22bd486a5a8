"""Say what came of a deed about many things: what was done, what was left, and why."""

from collections import Counter
from collections.abc import Iterable, Iterator

from core.errors import PaperclerkError
from dashboard.language import Speech
from dashboard.rendering import REFUSED
from processor.actions.deciding import Decided


def accepted(speech: Speech, decided: Decided) -> str:
    """Say how many documents were accepted, and how many were left."""
    number = len(decided.jobs)
    done = speech.count("{n} document is accepted.", "{n} documents are accepted.", number)
    return _with_left(speech, done, number, decided.refused)


def _with_left(speech: Speech, done: str, number: int, refused: Iterable[PaperclerkError]) -> str:
    """Say what was done, so many times, and what was left; nothing done is a refusal."""
    left = " ".join(_left(speech, refused))
    return f"{REFUSED}{left}" if left and not number else f"{done} {left}".strip()


def _left(speech: Speech, refused: Iterable[PaperclerkError]) -> Iterator[str]:
    for why, number in Counter(error.user_message for error in refused).items():
        told = speech.say(why)
        yield speech.count("{n} is left: {why}", "{n} are left: {why}", number, why=told)
