"""Checks for the legibility of the text and for the evidence."""

from core.changes import Suggestion
from core.fields import FieldName, Value
from processor.analysis.checks.check import (
    CheckFailure,
    DocumentFacts,
    applies_to,
    every_suggestion,
)
from processor.analysis.checks.dates import days
from processor.analysis.checks.names import correspondents, is_recognised
from processor.analysis.dates import dates_in
from processor.analysis.document_kinds import shows_tag, shows_type
from processor.analysis.legibility import Legibility
from processor.analysis.name_matching import spelling_key
from processor.analysis.name_similarity import is_near
from processor.analysis.parties import mentions_name
from processor.analysis.quotes import occurs_in, split_quotes

_SHORTEST = 3
_MOST_UNREAD = 0.5


@applies_to(every_suggestion)
def text_can_be_read(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    poor = facts.legibility is not Legibility.GOOD
    return CheckFailure.TEXT_HARD_TO_READ if poor else None


@applies_to(every_suggestion)
def most_was_read(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    return CheckFailure.MOSTLY_UNREAD if facts.unread > _MOST_UNREAD else None


@applies_to(every_suggestion)
def evidence_stands_in_text(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    quotes = split_quotes(suggestion.evidence)
    if max(map(len, quotes), default=0) < _SHORTEST:
        return CheckFailure.NO_EVIDENCE
    found = all(occurs_in(quote, facts.text) for quote in quotes)
    return None if found else CheckFailure.EVIDENCE_NOT_IN_TEXT


@applies_to(days)
def evidence_shows_the_date(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    shown = value in set(dates_in(suggestion.evidence))
    return None if shown else CheckFailure.DATE_NOT_IN_EVIDENCE


@applies_to(correspondents)
def evidence_shows_the_name(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    """Check the evidence of correspondents only: texts word tags and types differently.

    If a number in the document belongs to the correspondent, the evidence may be any.
    """
    if is_recognised(value, facts.learnt.sender):
        return None
    names = [str(value)]
    if _is_its_spelling(suggestion.value, str(value), facts):
        names.append(suggestion.value)
    shown = any(mentions_name(suggestion.evidence, name) for name in names)
    return None if shown else CheckFailure.NAME_NOT_IN_EVIDENCE


def _document_types(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return suggestion.field is FieldName.DOCUMENT_TYPE


@applies_to(_document_types)
def evidence_shows_the_document_type(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    filed = facts.owner.filed_words.get((FieldName.DOCUMENT_TYPE, str(value)), frozenset())
    shown = shows_type(suggestion.evidence, str(value), filed)
    return None if shown else CheckFailure.TYPE_NOT_IN_EVIDENCE


def _tags(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return suggestion.field is FieldName.TAGS


@applies_to(_tags)
def evidence_shows_the_tag(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    filed = facts.owner.filed_words.get((FieldName.TAGS, str(value)), frozenset())
    shown = shows_tag(suggestion.evidence, str(value), filed)
    return None if shown else CheckFailure.TAG_NOT_IN_EVIDENCE


def _is_its_spelling(spelling: str, name: str, facts: DocumentFacts) -> bool:
    """Return whether the owner assigned this spelling to a name, or it is nearly the same."""
    return spelling_key(spelling) in facts.owner.aliases or is_near(spelling, name)
