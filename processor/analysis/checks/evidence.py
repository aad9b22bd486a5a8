"""Check the evidence of a value: the model's quote, a line found by us, the e-invoice.

A model often copies the value from one line and quotes another. If its quote is in the text, and
shows no other value of the kind, the line in which the value stands is its evidence instead, and
every check is made with that line.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from core.changes import CheckResult, Suggestion
from core.fields import CustomField, FieldName, Money, Name, Value
from core.text import clean_line, fold
from processor.analysis.amount_labels import ANY_PART, TOTALS, amount_subject, find_amounts
from processor.analysis.checks.check import (
    CheckFailure,
    DocumentFacts,
    applies_to,
    every_suggestion,
)
from processor.analysis.checks.custom_fields import (
    evidence_shows_the_custom_value,
    has_a_label,
)
from processor.analysis.checks.dates import days, find_issue_date, is_without_year, rank
from processor.analysis.checks.names import correspondents, is_recognised
from processor.analysis.dates import dates_in
from processor.analysis.due_dates import find_due_dates
from processor.analysis.e_invoice_values import is_on_page, is_same
from processor.analysis.layout import Cell, find_line
from processor.analysis.name_matching import (
    find_better_names,
    is_near,
    is_same_party,
    mentions_name,
    spelling_key,
)
from processor.analysis.numbers import find_numbers
from processor.analysis.parties import find_longer_names, find_sender_rows, stands_in
from processor.analysis.quotes import occurs_in, split_quotes
from processor.analysis.text_rating import Legibility, shows_tag, shows_type
from processor.analysis.value_labels import (
    LabelledPlace,
    Subject,
    find_labelled_places,
    has_word_of,
    is_due_date,
    number_subjects,
)

_MIN_QUOTE_LENGTH = 3
_MAX_UNREAD = 0.5


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
    return CheckFailure.MOSTLY_UNREAD if facts.unread > _MAX_UNREAD else None


@applies_to(every_suggestion)
def evidence_stands_in_text(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    quotes = split_quotes(suggestion.evidence)
    if max(map(len, quotes), default=0) < _MIN_QUOTE_LENGTH:
        return CheckFailure.NO_EVIDENCE
    found = all(occurs_in(quote, facts.text) for quote in quotes)
    return None if found else CheckFailure.EVIDENCE_NOT_IN_TEXT


@applies_to(days)
def evidence_shows_the_date(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    shown = value in set(dates_in(suggestion.evidence)) or is_without_year(
        suggestion, value, suggestion.evidence, facts
    )
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


_NOT_SHOWN = frozenset(
    {
        CheckFailure.DATE_NOT_IN_EVIDENCE,
        CheckFailure.NAME_NOT_IN_EVIDENCE,
        CheckFailure.VALUE_NOT_IN_EVIDENCE,
    }
)
_MAX_LINE_LENGTH = 500
"""Maximum characters of a line that is evidence."""
_DIGITS = 4
"""Minimum digits of a number that another number contradicts."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_SAYS_NOTHING = frozenset({None, Subject.AMOUNT})
"""Labels that any amount may have."""


def find_evidence(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> str | None:
    """Return the line that shows a value; None if the model's own quote is to be checked."""
    if not _is_missing(suggestion, value, facts) or _shows_another(suggestion, value, facts):
        return None
    if evidence_stands_in_text.rule(suggestion, value, facts) is not None:
        return None
    row = _find_row(suggestion, value, facts)
    line = clean_line(find_line(row, facts.page)) if row else ""
    return line if 0 < len(line) <= _MAX_LINE_LENGTH else None


def _is_missing(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    """Return whether the quote of a date, sender, number or amount does not show it.

    A new name must be in the model's own quote: any word of the text could become one.
    """
    is_in_use = isinstance(value, Name) and value.id is not None
    is_sender = suggestion.field is FieldName.CORRESPONDENT and is_in_use
    if not (isinstance(value, date) or is_sender or has_a_label(suggestion, value, facts)):
        return False
    results = (
        check.run(suggestion, value, facts)
        for check in (
            evidence_shows_the_date,
            evidence_shows_the_name,
            evidence_shows_the_custom_value,
        )
    )
    return any(result is not None and result.failure in _NOT_SHOWN for result in results)


def _shows_another(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    """Return whether the quote shows another value of the kind, and so contradicts this one."""
    quote = suggestion.evidence
    match value:
        case date():
            return any(dates_in(quote))
        case Money():
            return bool(find_amounts(quote))
        case int() | float():
            return any(find_numbers(fold(quote)))
        case _ if suggestion.field is FieldName.CORRESPONDENT:
            better = find_better_names(str(value), quote, facts.owner.correspondents)
            return not all(_is_recipient(name, facts) for name in better)
    return any(map(_is_long_number, fold(quote).split()))


def _is_recipient(name: str, facts: DocumentFacts) -> bool:
    others = (*facts.recipients, *facts.owner.names)
    return any(is_same_party(name, other) for other in others)


def _is_long_number(word: str) -> bool:
    digits = sum(map(str.isdigit, word))
    return (
        digits >= _DIGITS and not _YEAR.fullmatch(word.strip(".,:;()")) and not any(dates_in(word))
    )


def _find_row(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> Sequence[Cell] | None:
    match suggestion.field, value:
        case CustomField(name=name), date():
            return _find_row_of_custom_date(value, name, facts)
        case _, date():
            return _find_row_of_date(value, facts)
        case CustomField(name=name), Money(amount=amount):
            return _find_row_of_amount(amount, name, facts)
        case CustomField(name=name), int() | float():
            places = find_labelled_places(Decimal(str(value)), facts.page)
            return _find_row_with_words(places, name)
        case CustomField(name=name), _:
            return _find_row_of_number(str(value), name, facts)
    return _find_row_of_sender(str(value), facts)


def _find_row_of_date(day: date, facts: DocumentFacts) -> Sequence[Cell] | None:
    """Return the row in which a date is most likely the document's own."""
    found = (labelled for labelled in facts.labelled_dates if labelled.day == day)
    best = max(found, key=lambda labelled: rank({labelled.role}), default=None)
    return best.row if best else None


def _find_row_of_custom_date(day: date, name: str, facts: DocumentFacts) -> Sequence[Cell] | None:
    if is_due_date(name):
        due = find_due_dates(facts.page, find_issue_date(facts))
        return next((row for found, row in due if found == day), None)
    rows = (labelled.row for labelled in facts.labelled_dates if labelled.day == day)
    return next((row for row in rows if has_word_of(name, (cell.text for cell in row))), None)


def _find_row_of_sender(name: str, facts: DocumentFacts) -> Sequence[Cell] | None:
    """Return the first row with a sender; None if a longer name in use is in the text, too."""
    in_use = facts.owner.correspondents
    if any(stands_in(longer, facts.page) for longer in find_longer_names(name, in_use)):
        return None
    return next(find_sender_rows(name, facts.page, in_use), None)


def _find_row_of_amount(amount: Decimal, name: str, facts: DocumentFacts) -> Sequence[Cell] | None:
    """Return the row of an amount; None if another of its labels means something else."""
    wanted = amount_subject(name)
    if wanted is None or wanted in ANY_PART:
        return _find_row_with_words(find_labelled_places(amount, facts.page), name)
    called = {*TOTALS} if wanted in TOTALS else {wanted}
    found = [labelled for labelled in find_amounts(facts.page) if labelled.amount == abs(amount)]
    if {labelled.subject for labelled in found} - _SAYS_NOTHING - called:
        return None
    called_so = [labelled for labelled in found if labelled.subject in called]
    called_amount = [labelled for labelled in found if labelled.subject is Subject.AMOUNT]
    return next((labelled.row for labelled in (*called_so, *called_amount)), None)


def _find_row_of_number(value: str, name: str, facts: DocumentFacts) -> Sequence[Cell] | None:
    """Return the row of a number; None if another of its labels means something else."""
    wanted, places = number_subjects(name), find_labelled_places(value, facts.page)
    if not wanted:
        return _find_row_with_words(places, name)
    labelled = [place for place in places if place.number_subjects]
    agree = all(wanted & place.number_subjects for place in labelled)
    return labelled[0].row if labelled and agree else None


def _find_row_with_words(places: Iterable[LabelledPlace], name: str) -> Sequence[Cell] | None:
    """Return the first row whose label has a word of the field's name, if every label has one."""
    labelled = [place for place in places if place.is_labelled]
    agree = all(has_word_of(name, place.labels) for place in labelled)
    return labelled[0].row if labelled and agree else None


_SETTLED = frozenset(
    {
        CheckFailure.DATE_NOT_IN_EVIDENCE,
        CheckFailure.DATE_OF_SOMETHING_ELSE,
        CheckFailure.OTHER_DATE_IS_ITS_OWN,
        CheckFailure.DATE_ORDER_OPEN,
        CheckFailure.NAME_NOT_IN_EVIDENCE,
        CheckFailure.NAME_ONLY_MENTIONED,
        CheckFailure.VALUE_NOT_LABELLED,
        CheckFailure.VALUE_OF_SOMETHING_ELSE,
        CheckFailure.VALUE_NOT_IN_EVIDENCE,
        CheckFailure.NUMBER_TWO_WAYS,
        CheckFailure.CURRENCY_NOT_IN_TEXT,
    }
)
"""Doubts about which value of the page is meant: an e-invoice with the same value answers them."""


def _values_of_an_e_invoice(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return suggestion.field in facts.e_invoice and value is not None


@applies_to(_values_of_an_e_invoice)
def e_invoice_says_the_same(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    same = is_same(value, facts.e_invoice[suggestion.field])
    return None if same else CheckFailure.E_INVOICE_DIFFERS


def settle_by_e_invoice(
    results: Iterable[CheckResult], suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> tuple[CheckResult, ...]:
    """Return the results, passed where text and e-invoice agree on the value.

    The text must show the value, too: an attachment alone proves nothing about the page.
    """
    results = tuple(results)
    agrees = CheckResult(e_invoice_says_the_same.name) in results
    if not agrees or not is_on_page(facts.e_invoice[suggestion.field], facts.page):
        return results
    return tuple(
        replace(result, failure="") if result.failure in _SETTLED else result for result in results
    )
