"""Rules about custom fields: a value counts if its quote shows that very value."""

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
"""Letters that a word must have to be known by its beginning."""


def _custom_values(suggestion: Suggestion, value: Value, source: DocumentFacts) -> bool:
    return isinstance(suggestion.field, CustomField)


def _values_of_their_quotes(suggestion: Suggestion, value: Value, source: DocumentFacts) -> bool:
    """Leave dates out, which have rules of their own, and options: they are said in other words."""
    quoted = isinstance(value, bool | int | float | Money | str)
    return isinstance(suggestion.field, CustomField) and quoted


def _amounts_with_currency(suggestion: Suggestion, value: Value, source: DocumentFacts) -> bool:
    return isinstance(value, Money) and bool(value.currency)


@applies_to(_custom_values)
def custom_value_is_readable(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    return CheckFailure.VALUE_UNREADABLE if value is None else None


@applies_to(_values_of_their_quotes)
def evidence_shows_the_custom_value(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    assert isinstance(suggestion.field, CustomField)
    quote = suggestion.evidence
    match value:
        case bool():
            shown = _shows_answer(quote, suggestion.field.name, yes=value)
        case int() | float():
            return _about_number(Decimal(str(value)), quote, source)
        case Money(amount=amount):
            return _about_number(amount, quote, source)
        case _:
            shown = _shows_text(quote, str(value), source)
    return None if shown else CheckFailure.VALUE_NOT_IN_EVIDENCE


@applies_to(_amounts_with_currency)
def currency_stands_in_text(
    suggestion: Suggestion, value: Value, source: DocumentFacts
) -> CheckFailure | None:
    assert isinstance(value, Money)
    named = value.currency in source.number_format.currencies
    return None if named else CheckFailure.CURRENCY_NOT_IN_TEXT


def _about_number(number: Decimal, quote: str, source: DocumentFacts) -> CheckFailure | None:
    found = [one for one in numbers_in(quote, source.number_format.decimal_mark) if number in one]
    if not found:
        return CheckFailure.VALUE_NOT_IN_EVIDENCE
    is_clear = any(len(meanings) == 1 for meanings in found)
    return None if is_clear else CheckFailure.NUMBER_TWO_WAYS


def _shows_text(quote: str, value: str, source: DocumentFacts) -> bool:
    if value.startswith(("http://", "https://")):
        return _address(value) in {_address(word.strip(_AROUND)) for word in quote.split()}
    if _shows_words(split_words(quote), split_words(value)):
        return True
    # A quote has no room for a long text; then the document itself must have it.
    return len(value) > TEXT_LENGTH and occurs_in(" ".join(split_words(value)), source.text)


def _shows_words(quote: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether words of the quote in a row make up what is wanted, however it is spaced.

    Whole words only: half of an invoice's number is not its number.
    """
    sought = "".join(wanted)
    rows = (quote[start : start + len(sought)] for start in range(len(quote)))
    return bool(sought) and any(_begins_with(row, sought) for row in rows)


def _begins_with(row: Sequence[str], sought: str) -> bool:
    made = ""
    for word in row:
        made += word
        if len(made) >= len(sought):
            return made == sought
    return False


def _shows_answer(quote: str, name: str, *, yes: bool) -> bool:
    """Tell whether a quote speaks of what the field is called, and denies it only for a no."""
    said = set(split_words(quote))
    speaks_of_it = any(_akin(word, one) for word in split_words(name) for one in said)
    return speaks_of_it and bool(said & NO) is not yes


def _akin(word: str, said: str) -> bool:
    """Tell whether `said` is the word, or the word with an ending: bezahlt, bezahlter."""
    return word == said or (len(word) >= _LONG_ENOUGH and said.startswith(word))


def _address(url: str) -> str:
    plain = fold(url)
    return plain.removeprefix("https://").removeprefix("http://").rstrip("/")
