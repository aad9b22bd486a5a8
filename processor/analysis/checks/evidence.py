"""Rules about the text and the quote."""

from core.changes import Suggestion
from core.fields import Value
from processor.analysis.checks.check import (
    CheckFailure,
    DocumentFacts,
    applies_to,
    every_suggestion,
)
from processor.analysis.checks.dates import days
from processor.analysis.checks.names import correspondents
from processor.analysis.dates import dates_in
from processor.analysis.legibility import Legibility
from processor.analysis.name_matching import spelling_key
from processor.analysis.name_similarity import is_near
from processor.analysis.parties import mentions_name
from processor.analysis.quotes import occurs_in, split_quotes

_SHORTEST = 3
_MOST_UNREAD = 0.5


@applies_to(every_suggestion)
def text_can_be_read(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    poor = source.legibility is not Legibility.GOOD
    return CheckFailure.TEXT_HARD_TO_READ if poor else None


@applies_to(every_suggestion)
def most_was_read(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    return CheckFailure.MOSTLY_UNREAD if source.unread > _MOST_UNREAD else None


@applies_to(every_suggestion)
def evidence_stands_in_text(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    quotes = split_quotes(suggestion.evidence)
    if max(map(len, quotes), default=0) < _SHORTEST:
        return CheckFailure.NO_EVIDENCE
    stands = all(occurs_in(quote, source.text) for quote in quotes)
    return None if stands else CheckFailure.EVIDENCE_NOT_IN_TEXT


@applies_to(days)
def evidence_shows_the_date(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    shown = value in set(dates_in(suggestion.evidence))
    return None if shown else CheckFailure.DATE_NOT_IN_EVIDENCE


@applies_to(correspondents)
def evidence_shows_the_name(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    """Hold a correspondent to its quote; tags and types are often said in other words."""
    names = [str(value)]
    if _is_its_spelling(suggestion.value, str(value), source):
        names.append(suggestion.value)
    shown = any(mentions_name(suggestion.evidence, name) for name in names)
    return None if shown else CheckFailure.NAME_NOT_IN_EVIDENCE


def _is_its_spelling(spelling: str, name: str, source: DocumentFacts) -> bool:
    """Tell whether the document's own spelling counts as the name: by the owner's word, or look."""
    return spelling_key(spelling) in source.owner.aliases or is_near(spelling, name)
