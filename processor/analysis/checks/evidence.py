"""Rules about the text and the quote."""

from core.changes import Suggestion
from core.fields import Value
from processor.analysis.checks.check import Doubt, Source, about, every_suggestion
from processor.analysis.checks.dates import days
from processor.analysis.checks.names import correspondents
from processor.analysis.dates import dates_in
from processor.analysis.legibility import Legibility
from processor.analysis.name_matching import spelling_key
from processor.analysis.name_similarity import is_near
from processor.analysis.parties import shows_name
from processor.analysis.quotes import quotes_in, stands_in

_SHORTEST = 3
_MOST_UNREAD = 0.5


@about(every_suggestion)
def text_can_be_read(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    poor = source.legibility is not Legibility.GOOD
    return Doubt.TEXT_HARD_TO_READ if poor else None


@about(every_suggestion)
def most_was_read(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    return Doubt.MOSTLY_UNREAD if source.unread > _MOST_UNREAD else None


@about(every_suggestion)
def evidence_stands_in_text(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    quotes = quotes_in(suggestion.evidence)
    if max(map(len, quotes), default=0) < _SHORTEST:
        return Doubt.NO_EVIDENCE
    stands = all(stands_in(quote, source.text) for quote in quotes)
    return None if stands else Doubt.EVIDENCE_NOT_IN_TEXT


@about(days)
def evidence_shows_the_date(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    shown = value in set(dates_in(suggestion.evidence))
    return None if shown else Doubt.DATE_NOT_IN_EVIDENCE


@about(correspondents)
def evidence_shows_the_name(suggestion: Suggestion, value: Value, source: Source) -> Doubt | None:
    """Hold a correspondent to its quote; tags and types are often said in other words."""
    names = [str(value)]
    if _is_its_spelling(suggestion.value, str(value), source):
        names.append(suggestion.value)
    shown = any(shows_name(suggestion.evidence, name) for name in names)
    return None if shown else Doubt.NAME_NOT_IN_EVIDENCE


def _is_its_spelling(spelling: str, name: str, source: Source) -> bool:
    """Tell whether the document's own spelling counts as the name: by the owner's word, or look."""
    return spelling_key(spelling) in source.owner.aliases or is_near(spelling, name)
