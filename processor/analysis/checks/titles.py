"""Checks for the title."""

from pathlib import PurePath

from core.changes import Suggestion
from core.fields import FieldName, Value
from core.text import fold
from processor.analysis.checks.check import CheckFailure, DocumentFacts, applies_to
from processor.analysis.quotes import numbers_are_supported, title_is_supported
from processor.analysis.text_rating import STOP_WORDS, detect_language

TITLE_LENGTH = 128
"""Maximum length of a title in Paperless."""
_OF_THE_DOCUMENT = "document"


def _titles(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return suggestion.field is FieldName.TITLE


def _titles_of_files(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return suggestion.field is FieldName.TITLE and bool(facts.file_name)


@applies_to(_titles)
def title_is_short(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    return CheckFailure.TITLE_TOO_LONG if len(suggestion.value) > TITLE_LENGTH else None


@applies_to(_titles_of_files)
def title_is_not_the_file_name(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    stem = PurePath(facts.file_name).stem
    is_file_name = fold(suggestion.value) in {fold(stem), fold(facts.file_name)}
    return CheckFailure.TITLE_IS_FILE_NAME if is_file_name else None


@applies_to(_titles)
def title_stands_in_text(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    """Check a title against the text; of a translated title, only its numbers."""
    translated = facts.language is not None and _wanted_language(facts) != facts.language
    is_supported = numbers_are_supported if translated else title_is_supported
    supported = is_supported(suggestion.value, facts.contents)
    return None if supported else CheckFailure.TITLE_NOT_IN_TEXT


@applies_to(_titles)
def title_is_in_the_language_wanted(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    found, wanted = detect_language(suggestion.value), _wanted_language(facts)
    # Titles in a language without stop words here cannot be detected.
    other = found is not None and wanted in STOP_WORDS and found != wanted
    return CheckFailure.TITLE_IN_OTHER_LANGUAGE if other else None


def _wanted_language(facts: DocumentFacts) -> str | None:
    language = facts.owner.language
    return facts.language if language == _OF_THE_DOCUMENT else language
