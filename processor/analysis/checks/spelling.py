"""Rules about names that do not exist yet: what is created by mistake has to be found again."""

import unicodedata

from core.changes import Suggestion
from core.fields import Name, Value
from processor.analysis.checks.doubts import Doubt
from processor.analysis.checks.source import Source
from processor.analysis.checks.titling import TITLE_LENGTH
from processor.analysis.near import looks_misread

_ALIKE = frozenset({"ARMENIAN", "CHEROKEE", "CYRILLIC", "GREEK", "LATIN"})
"""Scripts with letters that look the same: no word is written in two of them but to deceive."""


def new_name_is_short(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    too_long = _is_new(value) and len(suggestion.value) > TITLE_LENGTH
    return Doubt.NAME_TOO_LONG if too_long else None


def new_name_is_of_one_script(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    mixed = _is_new(value) and any(len(_scripts(word)) > 1 for word in suggestion.value.split())
    return Doubt.NAME_OF_MIXED_LETTERS if mixed else None


def new_name_is_not_misread(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    misread = _is_new(value) and looks_misread(suggestion.value)
    return Doubt.NAME_LOOKS_MISREAD if misread else None


def _is_new(value: Value) -> bool:
    return isinstance(value, Name) and value.id is None


def _scripts(word: str) -> frozenset[str]:
    return _ALIKE & {unicodedata.name(letter, "").split(" ")[0] for letter in word}
