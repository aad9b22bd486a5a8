"""Checks for custom fields: the evidence must contain the value."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

from core.changes import Suggestion
from core.fields import CustomField, Money, Value
from core.text import fold, split_words
from processor.analysis.amount_labels import (
    ANY_PART,
    amount_subject,
    find_amounts,
    find_total,
)
from processor.analysis.checks.check import CheckFailure, DocumentFacts, applies_to
from processor.analysis.checks.dates import find_issue_date, find_own_dates
from processor.analysis.custom_values import NO, TEXT_LENGTH
from processor.analysis.document_kinds import (
    has_reminder_number,
    is_account_statement,
    is_bill,
    is_reminder,
    is_till_receipt,
    names_a_number,
    numbers_a_bill,
)
from processor.analysis.due_dates import find_due_dates, find_payment_terms
from processor.analysis.numbers import find_currencies, numbers_in, resolve_currencies
from processor.analysis.quotes import occurs_in
from processor.analysis.value_labels import (
    LabelledPlace,
    Subject,
    find_labelled_places,
    has_word_of,
    is_due_date,
    is_form_of,
    is_number,
    number_subjects,
)

_AROUND = ".,;:()<>[]{}\"'!?"
_CENTS = 2
_DIGITS = 2
"""Minimum digits of a text that needs a label."""
_MONTH = re.compile(r"(?:0?[1-9]|1[0-2])\s?/\s?(?:19|20)\d\d|[^\W\d_]{3,} (?:19|20)\d\d")
_YEARS = re.compile(r"(?P<first>(?:19|20)\d\d)\s?[/–-]\s?(?P<next>(?:19|20)?\d\d)")
_ACCOUNT = re.compile(r"[a-z]{2}\d\d(?: ?[a-z\d]{4}){3,7}(?: ?[a-z\d]{1,3})?")
_ACCOUNT_LENGTH = 15
_INVOICE_PREFIX = re.compile(r"(?:re|rg|rnr|rech|inv|fac?|fact|fv)[-/. ]?\d.*|inv[-/].*")
"""Invoice numbers often say what they are: RE-2026-118, INV 4711, FA-2026-031."""


def _custom_values(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return isinstance(suggestion.field, CustomField)


def _values_of_their_quotes(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    """Exclude dates, which have their own checks, and options, which texts word differently."""
    quoted = isinstance(value, bool | int | float | Money | str)
    return isinstance(suggestion.field, CustomField) and quoted


def has_a_label(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    """Return whether the value of a custom field needs a label.

    Words need none, unless the field is for a number: a name is no invoice number.
    """
    if not isinstance(suggestion.field, CustomField) or isinstance(value, bool):
        return False
    is_text = isinstance(value, str) and not value.startswith(("http://", "https://"))
    is_short = is_text and len(str(value)) <= TEXT_LENGTH
    has_digits = sum(map(str.isdigit, str(value))) >= _DIGITS
    return isinstance(value, int | float | Money | date) or (
        is_short and (has_digits or is_number(suggestion.field.name))
    )


def _amounts(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return isinstance(value, Money)


@applies_to(_custom_values)
def custom_value_is_readable(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    return CheckFailure.VALUE_UNREADABLE if value is None else None


@applies_to(_values_of_their_quotes)
def evidence_shows_the_custom_value(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    assert isinstance(suggestion.field, CustomField)
    quote = suggestion.evidence
    match value:
        case bool():
            shown = _shows_answer(quote, suggestion.field.name, yes=value)
        case int() | float():
            return _check_number(Decimal(str(value)), quote, facts)
        case Money(amount=amount):
            return _check_number(amount, quote, facts, decimals=_CENTS)
        case _:
            shown = _shows_text(quote, str(value), facts)
    return None if shown else CheckFailure.VALUE_NOT_IN_EVIDENCE


@applies_to(_amounts)
def currency_stands_in_text(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    """Check the currency against the quote or, if that names none, against the whole text."""
    assert isinstance(value, Money)
    if not value.currency:
        # A sign of several currencies, none of which is the field's default.
        is_open = bool(find_currencies(suggestion.value))
        return CheckFailure.CURRENCY_NOT_IN_TEXT if is_open else None
    in_text = facts.number_format.currencies
    quoted = find_currencies(suggestion.evidence)
    named = resolve_currencies(quoted, facts.number_format.usual | in_text) if quoted else in_text
    return None if value.currency in named else CheckFailure.CURRENCY_NOT_IN_TEXT


@applies_to(has_a_label)
def custom_value_has_a_fitting_label(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    """Check that the text calls the value what the field is called."""
    assert isinstance(suggestion.field, CustomField)
    name, quote = suggestion.field.name, suggestion.evidence
    match value:
        case date() if is_due_date(name):
            return _check_due_date(value, facts)
        case date():
            # Any other date is judged by its own checks alone.
            return None
        case Money(amount=amount):
            return _check_amount_label(amount, name, quote, facts)
        case int() | float():
            return _check_words(Decimal(str(value)), name, quote, facts)
    return _check_number_label(str(value), name, quote, facts)


def _check_due_date(day: date, facts: DocumentFacts) -> CheckFailure | None:
    """Check that the text labels a date as due, or that it ends the term stated for paying.

    It must not be before the document's own date.
    """
    own = find_own_dates(facts.roles)
    issued = find_issue_date(facts)
    if not own and issued and is_reminder(facts.page):
        # The due dates of the invoices that it lists are in the past.
        own = [issued]
    terms = {first + timedelta(days) for first in own for days in find_payment_terms(facts.page)}
    found = find_due_dates(facts.page, issued)
    if day not in terms and not any(due == day for due, _ in found):
        return CheckFailure.VALUE_NOT_LABELLED
    return CheckFailure.VALUE_OF_SOMETHING_ELSE if own and day < min(own) else None


def _check_amount_label(
    amount: Decimal, name: str, quote: str, facts: DocumentFacts
) -> CheckFailure | None:
    wanted, found = amount_subject(name), find_amounts(facts.page)
    if wanted is None or wanted in ANY_PART:
        return _check_words(amount, name, quote, facts)
    subjects = {labelled.subject for labelled in found if labelled.amount == abs(amount)}
    is_total = wanted in (Subject.TOTAL, Subject.PAYABLE)
    fits = find_total(found) == abs(amount) if is_total else wanted in subjects
    if fits:
        return None
    is_other = bool(subjects - {None})
    return CheckFailure.VALUE_OF_SOMETHING_ELSE if is_other else CheckFailure.VALUE_NOT_LABELLED


def _check_number_label(
    value: str, name: str, quote: str, facts: DocumentFacts
) -> CheckFailure | None:
    wanted = number_subjects(name)
    if not wanted:
        return _check_words(value, name, quote, facts)
    places = list(find_labelled_places(value, facts.page))
    if Subject.INVOICE in wanted and _is_no_own_number(value, places, facts):
        return CheckFailure.VALUE_OF_SOMETHING_ELSE
    found = frozenset[Subject]().union(*(place.number_subjects for place in places))
    if wanted & found:
        return None
    is_ticket = any(place.is_of_a_ticket for place in places) and is_till_receipt(facts.page)
    if Subject.INVOICE in wanted and (
        is_ticket
        or (not found and _is_own(value, places))
        or (found <= {Subject.REFERENCE} and _is_reference_of_bill(places, facts))
    ):
        return None
    return CheckFailure.VALUE_OF_SOMETHING_ELSE if found else CheckFailure.VALUE_NOT_LABELLED


def _is_no_own_number(value: str, places: Sequence[LabelledPlace], facts: DocumentFacts) -> bool:
    """Return whether a number is a month, IBAN or quantity, or belongs to another invoice."""
    if _is_month(value) or _is_account(value) or _is_of_other_papers(value, places, facts):
        return True
    if places and all(place.is_quantity or place.is_phone for place in places):
        return True
    if places and is_reminder(facts.page) and has_reminder_number(facts.page):
        return not any(place.is_of_a_reminder for place in places)
    if not places or is_reminder(facts.page):
        return False
    own = find_own_dates(facts.roles)
    if own and any(place.day is not None and place.day not in own for place in places):
        return True
    return all(
        place.is_of_an_earlier_document
        or place.is_of_an_entry
        or (place.is_mentioned and not place.is_quoted)
        for place in places
    )


def _is_of_other_papers(value: str, places: Sequence[LabelledPlace], facts: DocumentFacts) -> bool:
    """Return whether a number is a span of years, in a bank statement, or that of a receipt.

    A receipt's number may be the invoice number unless the text has an invoice number, too.
    """
    if _is_span_of_years(value) and not any(place.is_called_a_number for place in places):
        return True
    if is_account_statement(facts.page):
        return True
    of_receipt = bool(places) and all(place.is_of_a_receipt for place in places)
    return of_receipt and numbers_a_bill(facts.page)


def _is_own(value: str, places: Sequence[LabelledPlace]) -> bool:
    """Return whether a number without a label is the document's own, by its form or place."""
    begins_so = _has_invoice_prefix(value)
    return any(place.is_documents_own or (begins_so and place.is_alone) for place in places)


def _is_reference_of_bill(places: Sequence[LabelledPlace], facts: DocumentFacts) -> bool:
    """Return whether a reference replaces the number of a bill that labels none as its own.

    It must be labelled as the sender's, or payments must quote it and it is repeated elsewhere.
    """
    is_sender = any(place.is_own_reference for place in places)
    is_repeated = len(places) > 1 and any(place.is_quoted for place in places)
    return (is_sender or is_repeated) and is_bill(facts.page) and not names_a_number(facts.page)


def _check_words(
    value: str | Decimal, name: str, quote: str, facts: DocumentFacts
) -> CheckFailure | None:
    """Check that a word of the field's name is beside the value or in the quote."""
    places = find_labelled_places(value, facts.page)
    labels = (label for place in places for label in place.labels)
    fits = has_word_of(name, (quote, *labels))
    return None if fits else CheckFailure.VALUE_NOT_LABELLED


def _check_number(
    number: Decimal, quote: str, facts: DocumentFacts, *, decimals: int | None = None
) -> CheckFailure | None:
    """Check that a quote shows a number and no other; of an amount, 1.234 has no third decimal."""
    readings = [
        {meaning for meaning in meanings if decimals is None or _decimals(meaning) <= decimals}
        for meanings in numbers_in(quote, facts.number_format.decimal_mark)
    ]
    # Whether money owed is negative depends on the sender: 445,14- on a statement.
    signs = {number, -number} if decimals is not None and number > 0 else {number}
    matching = [meanings for meanings in readings if signs & meanings]
    if not matching:
        return CheckFailure.VALUE_NOT_IN_EVIDENCE
    is_clear = any(len(meanings) == 1 for meanings in matching)
    return None if is_clear else CheckFailure.NUMBER_TWO_WAYS


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _shows_text(quote: str, value: str, facts: DocumentFacts) -> bool:
    if value.startswith(("http://", "https://")):
        return _address(value) in {_address(word.strip(_AROUND)) for word in quote.split()}
    if _shows_words(split_words(quote), split_words(value)):
        return True
    # A long text does not fit into a quote; then the document itself must contain it.
    return len(value) > TEXT_LENGTH and occurs_in(" ".join(split_words(value)), facts.text)


def _shows_words(quote: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether consecutive words of the quote spell what is wanted, regardless of spaces.

    Whole words only: half of an invoice number is not its number.
    """
    letters = "".join(wanted)
    rows = (quote[start : start + len(letters)] for start in range(len(quote)))
    return bool(letters) and any(_begins_with(row, letters) for row in rows)


def _begins_with(words: Sequence[str], letters: str) -> bool:
    joined = ""
    for word in words:
        joined += word
        if len(joined) >= len(letters):
            return joined == letters
    return False


def _shows_answer(quote: str, name: str, *, yes: bool) -> bool:
    """Return whether a quote mentions the field's name, with a negation only for a no."""
    quoted = set(split_words(quote))
    mentioned = any(is_form_of(word, form) for word in split_words(name) for form in quoted)
    return mentioned and bool(quoted & NO) is not yes


def _address(url: str) -> str:
    return fold(url).removeprefix("https://").removeprefix("http://").rstrip("/")


def _is_account(value: str) -> bool:
    """Return whether a text is an IBAN, and so not the number of a document."""
    letters = sum(map(str.isalnum, value))
    return letters >= _ACCOUNT_LENGTH and _ACCOUNT.fullmatch(fold(value)) is not None


def _is_month(value: str) -> bool:
    """Return whether a text is the month of a year, and so not a number: 02/2026."""
    return _MONTH.fullmatch(value.strip()) is not None


def _is_span_of_years(value: str) -> bool:
    """Return whether a text is a year and the next one: 2026/2027, 2026/27."""
    match = _YEARS.fullmatch(value.strip())
    return match is not None and int(match["next"]) % 100 == (int(match["first"]) + 1) % 100


def _has_invoice_prefix(value: str) -> bool:
    """Return whether a number begins like an invoice number."""
    return _INVOICE_PREFIX.fullmatch(fold(value)) is not None
