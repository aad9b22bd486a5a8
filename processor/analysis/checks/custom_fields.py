"""Checks for custom fields: the evidence must contain the value."""

from collections.abc import Sequence
from decimal import Decimal

from core.changes import Suggestion
from core.fields import CustomField, Money, Value
from core.text import fold, split_words
from processor.analysis.checks.check import CheckFailure, DocumentFacts, applies_to
from processor.analysis.custom_values import NO, TEXT_LENGTH
from processor.analysis.numbers import numbers_in
from processor.analysis.quotes import occurs_in

_AROUND = ".,;:()<>[]{}\"'!?"
_LONG_ENOUGH = 4
"""Minimum letters of a word that may have an ending in the quote."""


def _custom_values(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return isinstance(suggestion.field, CustomField)


def _values_of_their_quotes(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    """Exclude dates, which have their own checks, and options, which texts word differently."""
    quoted = isinstance(value, bool | int | float | Money | str)
    return isinstance(suggestion.field, CustomField) and quoted


def _amounts_with_currency(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return isinstance(value, Money) and bool(value.currency)


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
            return _check_number(amount, quote, facts)
        case _:
            shown = _shows_text(quote, str(value), facts)
    return None if shown else CheckFailure.VALUE_NOT_IN_EVIDENCE


@applies_to(_amounts_with_currency)
def currency_stands_in_text(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    assert isinstance(value, Money)
    named = value.currency in facts.number_format.currencies
    return None if named else CheckFailure.CURRENCY_NOT_IN_TEXT


def _check_number(number: Decimal, quote: str, facts: DocumentFacts) -> CheckFailure | None:
    readings = numbers_in(quote, facts.number_format.decimal_mark)
    matching = [meanings for meanings in readings if number in meanings]
    if not matching:
        return CheckFailure.VALUE_NOT_IN_EVIDENCE
    is_clear = any(len(meanings) == 1 for meanings in matching)
    return None if is_clear else CheckFailure.NUMBER_TWO_WAYS


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
    mentioned = any(_is_form_of(word, form) for word in split_words(name) for form in quoted)
    return mentioned and bool(quoted & NO) is not yes


def _is_form_of(word: str, form: str) -> bool:
    """Return whether `form` is the word, or the word with an ending: bezahlt, bezahlter."""
    return word == form or (len(word) >= _LONG_ENOUGH and form.startswith(word))


def _address(url: str) -> str:
    return fold(url).removeprefix("https://").removeprefix("http://").rstrip("/")
