"""Rules about the title."""

from pathlib import PurePath

from core.changes import Suggestion
from core.fields import FieldName, Value
from core.text import fold
from processor.analysis.checks.check import CheckFailure, DocumentFacts, applies_to
from processor.analysis.language import STOP_WORDS, detect_language
from processor.analysis.titles import numbers_are_supported, title_is_supported

TITLE_LENGTH = 128
"""Paperless takes no longer title."""
_OF_THE_DOCUMENT = "document"


def _titles(suggestion: Suggestion, value: Value, source: DocumentFacts) -> bool:
    return suggestion.field is FieldName.TITLE


def _titles_of_files(suggestion: Suggestion, value: Value, source: DocumentFacts) -> bool:
    return suggestion.field is FieldName.TITLE and bool(source.file_name)


@applies_to(_titles)
def title_is_short(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    return CheckFailure.TITLE_TOO_LONG if len(suggestion.value) > TITLE_LENGTH else None


@applies_to(_titles_of_files)
def title_is_not_the_file_name(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    stem = PurePath(source.file_name).stem
    alike = fold(suggestion.value) in {fold(stem), fold(source.file_name)}
    return CheckFailure.TITLE_IS_FILE_NAME if alike else None


@applies_to(_titles)
def title_stands_in_text(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    """Hold a title to the text; of one in another language, as was asked for, only the figures."""
    translated = source.language is not None and _wanted(source) != source.language
    founded = numbers_are_supported if translated else title_is_supported
    return None if founded(suggestion.value, source.contents) else CheckFailure.TITLE_NOT_IN_TEXT


@applies_to(_titles)
def title_is_in_the_language_wanted(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    found, wanted = detect_language(suggestion.value), _wanted(source)
    # Of a language that we do not know, a title could be in any.
    other = found is not None and wanted in STOP_WORDS and found != wanted
    return CheckFailure.TITLE_IN_OTHER_LANGUAGE if other else None


def _wanted(source: DocumentFacts) -> str | None:
    asked_for = source.owner.language
    return source.language if asked_for == _OF_THE_DOCUMENT else asked_for
