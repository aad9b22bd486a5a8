"""What a suggestion is held against: the document, and what its owner told us."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from core.text import fold, words_in
from processor.analysis.date_labels import Role, dates_with_roles
from processor.analysis.dates import find_dates
from processor.analysis.language import language_of_words
from processor.analysis.legibility import Legibility, legibility_of
from processor.analysis.numbers import Figures
from processor.analysis.recipients import recipients_in
from processor.analysis.titles import Contents


@dataclass(frozen=True, slots=True)
class Owner:
    """What the owner of the archive told us about himself and his wishes."""

    names: tuple[str, ...] = ()
    """His own names and companies."""
    language: str = "document"
    """That titles are wanted in."""
    kinds: tuple[str, ...] = ()
    """How he calls the kinds of documents that he has."""
    aliases: frozenset[str] = frozenset()
    """Keys of the spellings of correspondents whose meaning he decided."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document as the checks see it."""

    text: str
    """Its words, folded, with single spaces."""
    legibility: Legibility
    language: str | None
    """None if it cannot be told."""
    dates: frozenset[date]
    """Every date that stands in it."""
    roles: Mapping[date, frozenset[Role]]
    """What the words beside a date make of it, for each time that it stands there."""
    recipients: tuple[str, ...]
    contents: Contents
    file_name: str
    added: date
    """When it came into the archive."""
    today: date
    owner: Owner = Owner()
    figures: Figures = field(default_factory=Figures)
    """Looked at only for the sake of custom fields."""
    unread: float = 0.0
    """The share of the text that the model was not shown."""

    @classmethod
    def of(
        cls,
        text: str,
        *,
        file_name: str,
        added: date,
        today: date,
        owner: Owner | None = None,
        figures: Figures | None = None,
    ) -> "Source":
        told, folded = owner or Owner(), fold(text)
        spoken = words_in(folded)
        return cls(
            text=" ".join(spoken),
            legibility=legibility_of(text),
            language=language_of_words(spoken),
            dates=frozenset(found.day for found in find_dates(folded)),
            roles=_roles(text),
            recipients=tuple(recipients_in(text)),
            contents=Contents.of(folded, told.kinds),
            file_name=file_name,
            added=added,
            today=today,
            owner=told,
            figures=figures or Figures(),
        )


def _roles(text: str) -> Mapping[date, frozenset[Role]]:
    found: defaultdict[date, set[Role]] = defaultdict(set)
    for day, role in dates_with_roles(text):
        found[day].add(role)
    return {day: frozenset(roles) for day, roles in found.items()}
