"""Types of the checks: failures, the facts about a document, and the check itself."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from core.calendar import DateOrder
from core.changes import CheckResult, Suggestion
from core.fields import Field, Value
from core.learning import Learnt
from core.text import fold, split_folded
from processor.analysis.date_labels import DateRole, LabelledDate, find_labelled_dates
from processor.analysis.dates import FoundDate, find_dates_and_order
from processor.analysis.numbers import NumberFormat
from processor.analysis.quotes import Contents
from processor.analysis.recipients import find_recipients
from processor.analysis.text_rating import (
    FiledWords,
    Legibility,
    detect_language_of_words,
    legibility_of,
)


class CheckFailure(StrEnum):
    """Why a suggestion needs a review."""

    TEXT_HARD_TO_READ = "text_hard_to_read"
    MOSTLY_UNREAD = "mostly_unread"
    NO_EVIDENCE = "no_evidence"
    EVIDENCE_NOT_IN_TEXT = "evidence_not_in_text"
    DATE_UNREADABLE = "date_unreadable"
    DATE_NOT_IN_TEXT = "date_not_in_text"
    DATE_NOT_IN_EVIDENCE = "date_not_in_evidence"
    DATE_OF_SOMETHING_ELSE = "date_of_something_else"
    OTHER_DATE_IS_ITS_OWN = "other_date_is_its_own"
    DATE_ORDER_OPEN = "date_order_open"
    DATE_IN_FUTURE = "date_in_future"
    DATE_TOO_EARLY = "date_too_early"
    DATE_LONG_AGO = "date_long_ago"
    NAME_NOT_IN_EVIDENCE = "name_not_in_evidence"
    OTHER_NAME_FITS_BETTER = "other_name_fits_better"
    NUMBER_OF_ANOTHER_SENDER = "number_of_another_sender"
    NAME_ONLY_MENTIONED = "name_only_mentioned"
    NAME_TOO_LONG = "name_too_long"
    NAME_OF_MIXED_LETTERS = "name_of_mixed_letters"
    NAME_LOOKS_MISREAD = "name_looks_misread"
    CORRESPONDENT_IS_OWNER = "correspondent_is_owner"
    CORRESPONDENT_IS_RECIPIENT = "correspondent_is_recipient"
    TYPE_NOT_IN_EVIDENCE = "type_not_in_evidence"
    TITLE_TOO_LONG = "title_too_long"
    TITLE_IS_FILE_NAME = "title_is_file_name"
    TITLE_NOT_IN_TEXT = "title_not_in_text"
    TITLE_IN_OTHER_LANGUAGE = "title_in_other_language"
    TAG_NOT_IN_EVIDENCE = "tag_not_in_evidence"
    TAGS_SHARE_A_QUOTE = "tags_share_a_quote"
    HEAP_OF_TAGS = "heap_of_tags"
    FIELDS_SHARE_A_QUOTE = "fields_share_a_quote"
    VALUE_NOT_LABELLED = "value_not_labelled"
    VALUE_OF_SOMETHING_ELSE = "value_of_something_else"
    VALUE_UNREADABLE = "value_unreadable"
    VALUE_NOT_IN_EVIDENCE = "value_not_in_evidence"
    NUMBER_TWO_WAYS = "number_two_ways"
    CURRENCY_NOT_IN_TEXT = "currency_not_in_text"
    E_INVOICE_DIFFERS = "e_invoice_differs"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Owner:
    """Settings and decisions of the archive's owner that checks use."""

    names: tuple[str, ...] = ()
    """The owner's own names and companies."""
    language: str = "document"
    """Language wanted for titles; "document" means that of the document."""
    kinds: tuple[str, ...] = ()
    """Names of the document types in use."""
    date_order: DateOrder = DateOrder.DOCUMENT
    """The order of day and month where a document does not show it."""
    correspondents: tuple[str, ...] = ()
    """Names of the correspondents in use."""
    aliases: frozenset[str] = frozenset()
    """Keys of spellings that the owner assigned to a correspondent."""
    filed_words: FiledWords = field(default_factory=dict)
    """Words of the documents that a person filed, by document type and by tag."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What checks need to know about a document."""

    page: str
    """Its text as it is."""
    text: str
    """Its words, folded, with single spaces."""
    legibility: Legibility
    language: str | None
    """None if it is not clear."""
    dates: frozenset[date]
    """Every date in the text."""
    open_dates: frozenset[date]
    """Dates in the text only if day and month are read in an order that nothing shows."""
    labelled_dates: tuple[LabelledDate, ...]
    """The dates with their places and the roles that they have there."""
    roles: Mapping[date, frozenset[DateRole]]
    """The roles of each date, one for each place where it occurs."""
    recipients: tuple[str, ...]
    contents: Contents
    file_name: str
    added: date
    """When it was added to the archive."""
    today: date
    owner: Owner = Owner()
    number_format: NumberFormat = field(default_factory=NumberFormat)
    """Used for custom fields only."""
    is_backlog: bool = False
    """Whether it was in the archive before Paperclerk: such a document may be old."""
    unread: float = 0.0
    """The share of the text that the model did not get."""
    learnt: Learnt = field(default_factory=Learnt)
    """What other documents of the archive say about this one."""
    e_invoice: Mapping[Field, Value] = field(default_factory=dict)
    """What the e-invoice inside the document says, by field."""

    @classmethod
    def of(
        cls,
        text: str,
        *,
        file_name: str,
        added: date,
        today: date,
        owner: Owner | None = None,
        figures: NumberFormat | None = None,
    ) -> "DocumentFacts":
        """Collect the facts about a document from its text."""
        owner, folded = owner or Owner(), fold(text)
        words, (found, shown) = split_folded(folded), find_dates_and_order(folded)
        days = frozenset(reading.day for reading in found)
        labelled = tuple(find_labelled_dates(text, shown))
        return cls(
            page=text,
            text=" ".join(words),
            legibility=legibility_of(text),
            language=detect_language_of_words(words),
            dates=days,
            open_dates=_find_open_dates(found, shown, owner.date_order),
            labelled_dates=labelled,
            roles=_find_roles(labelled),
            recipients=tuple(dict.fromkeys(find_recipients(text))),
            contents=Contents.of(folded, days, owner.kinds),
            file_name=file_name,
            added=added,
            today=today,
            owner=owner,
            number_format=figures or NumberFormat(),
        )

    def with_date_order(self, order: DateOrder) -> "DocumentFacts":
        """Return the facts with dates read in this order, where the text does not show it."""
        found, shown = find_dates_and_order(fold(self.page))
        return replace(self, open_dates=_find_open_dates(found, shown, order))


def _find_open_dates(
    found: Collection[FoundDate], shown: DateOrder, usual: DateOrder
) -> frozenset[date]:
    """Return the dates whose day and month may be swapped, or are swapped by the order in use."""
    order = usual if shown is DateOrder.DOCUMENT else shown
    certain = {reading.day for reading in found if reading.order in (None, order)}
    return frozenset(reading.day for reading in found) - certain


def _find_roles(dates: Iterable[LabelledDate]) -> Mapping[date, frozenset[DateRole]]:
    found: defaultdict[date, set[DateRole]] = defaultdict(set)
    for labelled in dates:
        found[labelled.day].add(labelled.role)
    return {day: frozenset(roles) for day, roles in found.items()}


Rule = Callable[[Suggestion, Value, DocumentFacts], CheckFailure | None]
Condition = Callable[[Suggestion, Value, DocumentFacts], bool]


@dataclass(frozen=True, slots=True)
class Check:
    """A named rule with the condition under which it applies."""

    name: str
    rule: Rule
    applies: Condition

    def run(self, suggestion: Suggestion, value: Value, facts: DocumentFacts) -> CheckResult | None:
        """Return the result of the check; None if it does not apply to this suggestion."""
        if not self.applies(suggestion, value, facts):
            return None
        return CheckResult(self.name, self.rule(suggestion, value, facts) or "")


def applies_to(condition: Condition) -> Callable[[Rule], Check]:
    """Return a decorator that turns a rule into a check named after the function."""

    def check(rule: Rule) -> Check:
        return Check(rule.__name__, rule, condition)

    return check


def every_suggestion(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return True
