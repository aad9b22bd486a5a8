"""Rules about the title."""

from pathlib import PurePath

from core.changes import Suggestion
from core.fields import FieldName, Value
from processor.analysis.checks.doubts import Doubt
from processor.analysis.checks.source import Source
from processor.analysis.languages import language_of
from processor.analysis.titles import figures_are_founded, title_is_founded
from processor.analysis.vocabulary import STOP_WORDS
from processor.text import fold

TITLE_LENGTH = 128
"""Paperless takes no longer title."""
_OF_THE_DOCUMENT = "document"


def title_is_short(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    too_long = suggestion.field is FieldName.TITLE and len(suggestion.value) > TITLE_LENGTH
    return Doubt.TITLE_TOO_LONG if too_long else None


def title_is_not_the_file_name(
    suggestion: Suggestion, value: Value, source: Source
) -> Doubt | None:
    if suggestion.field is not FieldName.TITLE or not source.file_name:
        return None
    stem = PurePath(source.file_name).stem
    alike = fold(suggestion.value) in {fold(stem), fold(source.file_name)}
    return Doubt.TITLE_IS_FILE_NAME if alike else None


def title_stands_in_text(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    """Hold a title to the text; of one in another language, as was asked for, only the figures."""
    if suggestion.field is not FieldName.TITLE:
        return None
    translated = source.language is not None and _wanted(source) != source.language
    founded = figures_are_founded if translated else title_is_founded
    return None if founded(suggestion.value, source.contents) else Doubt.TITLE_NOT_IN_TEXT


def title_is_in_the_language_wanted(
    suggestion: Suggestion, value: Value, source: Source
) -> Doubt | None:
    if suggestion.field is not FieldName.TITLE:
        return None
    found, wanted = language_of(suggestion.value), _wanted(source)
    # Of a language that we do not know, a title could be in any.
    other = found is not None and wanted in STOP_WORDS and found != wanted
    return Doubt.TITLE_IN_OTHER_LANGUAGE if other else None


def _wanted(source: Source) -> str | None:
    asked_for = source.owner.language
    return source.language if asked_for == _OF_THE_DOCUMENT else asked_for
