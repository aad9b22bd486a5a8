"""Rules about names that do not exist yet: what is created by mistake has to be found again."""

import unicodedata

from core.changes import Suggestion
from core.fields import Name, Value
from processor.analysis.checks.check import about
from processor.analysis.checks.doubts import Doubt
from processor.analysis.checks.source import Source
from processor.analysis.checks.titles import TITLE_LENGTH
from processor.analysis.name_similarity import looks_misread

_ALIKE = frozenset({"ARMENIAN", "CHEROKEE", "CYRILLIC", "GREEK", "LATIN"})
"""Scripts with letters that look the same: no word is written in two of them but to deceive."""


def _new_names(suggestion: Suggestion, value: Value, source: Source) -> bool:
    return isinstance(value, Name) and value.id is None


@about(_new_names)
def new_name_is_short(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    return Doubt.NAME_TOO_LONG if len(suggestion.value) > TITLE_LENGTH else None


@about(_new_names)
def new_name_is_of_one_script(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    mixed = any(len(_scripts(word)) > 1 for word in suggestion.value.split())
    return Doubt.NAME_OF_MIXED_LETTERS if mixed else None


@about(_new_names)
def new_name_is_not_misread(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    return Doubt.NAME_LOOKS_MISREAD if looks_misread(suggestion.value) else None


def _scripts(word: str) -> frozenset[str]:
    return _ALIKE & {unicodedata.name(letter, "").split(" ")[0] for letter in word}
