"""Rules about the title."""

from pathlib import PurePath

from core.changes import Suggestion
from core.fields import FieldName, Value
from core.text import fold
from processor.analysis.checks.check import Doubt, Source, about
from processor.analysis.language import STOP_WORDS, language_of
from processor.analysis.titles import figures_are_founded, title_is_founded

TITLE_LENGTH = 128
"""Paperless takes no longer title."""
_OF_THE_DOCUMENT = "document"


def _titles(suggestion: Suggestion, value: Value, source: Source) -> bool:
    return suggestion.field is FieldName.TITLE


def _titles_of_files(suggestion: Suggestion, value: Value, source: Source) -> bool:
    return suggestion.field is FieldName.TITLE and bool(source.file_name)


@about(_titles)
def title_is_short(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    return Doubt.TITLE_TOO_LONG if len(suggestion.value) > TITLE_LENGTH else None


@about(_titles_of_files)
def title_is_not_the_file_name(
    suggestion: Suggestion, value: Value, source: Source
) -> Doubt | None:
    stem = PurePath(source.file_name).stem
    alike = fold(suggestion.value) in {fold(stem), fold(source.file_name)}
    return Doubt.TITLE_IS_FILE_NAME if alike else None


@about(_titles)
def title_stands_in_text(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    """Hold a title to the text; of one in another language, as was asked for, only the figures."""
    translated = source.language is not None and _wanted(source) != source.language
    founded = figures_are_founded if translated else title_is_founded
    return None if founded(suggestion.value, source.contents) else Doubt.TITLE_NOT_IN_TEXT


@about(_titles)
def title_is_in_the_language_wanted(
    suggestion: Suggestion, value: Value, source: Source
) -> Doubt | None:
    found, wanted = language_of(suggestion.value), _wanted(source)
    # Of a language that we do not know, a title could be in any.
    other = found is not None and wanted in STOP_WORDS and found != wanted
    return Doubt.TITLE_IN_OTHER_LANGUAGE if other else None


def _wanted(source: Source) -> str | None:
    asked_for = source.owner.language
    return source.language if asked_for == _OF_THE_DOCUMENT else asked_for
