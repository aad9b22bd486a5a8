"""Read numbers and amounts of money as people write them, and find them in a text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

from core.fields import Money
from processor.text import fold, tidy

_TOKEN = re.compile(
    r"(?<![\d.,])(?P<minus>(?<![\w-])- ?)?"
    r"(?P<digits>\d+(?:[.,']\d+| \d{3}(?!\d))*)"
    r"(?P<end>-(?!\w))?"
)
"""A sign may stand on either side: bookkeepers write 12,50- for what they take away."""
_ROUND = re.compile(r"(\d)[.,]-+(?!\w)")
"""12,- and 12,-- are round amounts."""
_GROUPED = re.compile(r"[1-9]\d{0,2}(?P<mark>[.,' ])\d{3}(?:(?P=mark)\d{3})*")
_MOST_DIGITS = 15
"""A longer number is the number of an account, not an amount of anything."""

# fmt: off
_CODES = (
    "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS",
    "INR", "ISK", "JPY", "KRW", "MXN", "NOK", "NZD", "PLN", "RON", "RSD", "SEK", "SGD", "THB",
    "TRY", "UAH", "USD", "ZAR",
)
# fmt: on
_CODE = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(_CODES)})(?![A-Za-z])")
_ANY_CODE = re.compile(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")
_SIGNS = {
    "EUR": r"€|(?<![a-z])(?:eur|euros?)(?![a-z])",
    "GBP": r"£|(?<![a-z])gbp(?![a-z])",
    "USD": r"(?<![a-z])(?:us ?)?\$|(?<![a-z])(?:usd|us ?dollars?)(?![a-z])",
    "CHF": r"(?<![a-z])(?:chf|sfr|schweizer franken)(?![a-z])",
    "PLN": r"(?<![a-z])zł(?!\w)",
    "CZK": r"(?<![a-z])kc(?!\w)",
    "JPY": r"¥|(?<![a-z])yen(?![a-z])",
}
_SIGN = {code: re.compile(form) for code, form in _SIGNS.items()}


@dataclass(frozen=True, slots=True)
class Figures:
    """How a document writes its numbers."""

    currencies: frozenset[str] = frozenset()
    """Those that it names; where it names none, those that its owner takes for granted."""
    mark: str = ""
    """What stands before its decimals; "" if that cannot be told."""

    @classmethod
    def of(cls, text: str, *, usual: Iterable[str] = ()) -> "Figures":
        granted = frozenset(currency for currency in usual if currency)
        return cls(currencies_in(text) or granted, _mark_of(text))


def parse_number(text: str) -> frozenset[Decimal]:
    """Return what the one number in `text` may mean: 1.234 has two meanings; none if unclear."""
    found = list(_tokens(text))
    return found[0].meanings if len(found) == 1 else frozenset()


def numbers_in(text: str, mark: str = "") -> Iterator[frozenset[Decimal]]:
    """Yield the meanings of every number in `text`, if `mark` stands before its decimals."""
    # Where columns are narrow, a space may stand between two numbers instead of within one.
    parts = (token for part in fold(text).split() for token in _tokens(part))
    for token in chain(_tokens(text), parts):
        yield token.meanings_with(mark)


def parse_money(text: str, *, currency: str = "") -> Money | None:
    """Read the one amount that `text` holds; `currency` is meant where it names none.

    None if there is no amount, or more than one, or one with more than two decimals, or if it
    names two currencies.
    """
    amounts = [number for number in parse_number(text) if _decimals(number) <= 2]
    named = _stated(text)
    if len(amounts) != 1 or len(named) > 1:
        return None
    return Money(amounts[0], next(iter(named), currency))


def currencies_in(text: str) -> frozenset[str]:
    """Return the codes of the currencies that `text` names, by code or by sign."""
    plain = fold(text)
    signs = {code for code, form in _SIGN.items() if form.search(plain)}
    return frozenset(signs | {match[0] for match in _CODE.finditer(text)})


def _stated(text: str) -> frozenset[str]:
    """Return the currencies of a short text, in which any three capitals are one."""
    return currencies_in(text) | {match[0] for match in _ANY_CODE.finditer(tidy(text))}


def _mark_of(text: str) -> str:
    votes = Counter(token.mark for token in _tokens(text) if token.mark and token.is_price_like)
    mark = max(votes, key=lambda one: votes[one], default="")
    # Days without a year, paragraphs and hours look like numbers, and are outvoted.
    return mark if votes[mark] * 4 > votes.total() * 3 else ""


@dataclass(frozen=True, slots=True)
class _Token:
    """A number as it is written."""

    meanings: frozenset[Decimal]
    mark: str = ""
    """What would stand before its decimals, if it has any."""

    @property
    def is_price_like(self) -> bool:
        """Tell whether it has just the two decimals of most prices."""
        return [_decimals(one) for one in self.meanings] == [2]

    def meanings_with(self, mark: str) -> frozenset[Decimal]:
        """Return what it means in a text whose decimals stand after `mark`."""
        if not mark or len(self.meanings) == 1:
            return self.meanings
        has_decimals = self.mark == mark
        return frozenset(one for one in self.meanings if (_decimals(one) > 0) is has_decimals)


def _tokens(text: str) -> Iterator[_Token]:
    """Yield each number in `text`; what is no number, such as a date, is left out."""
    plain = _ROUND.sub(r"\1", fold(text))
    for match in _TOKEN.finditer(plain):
        sign = -1 if match["minus"] or match["end"] else 1
        meanings = frozenset(sign * number for number in _meanings(match["digits"]))
        if meanings:
            mark = _split(match["digits"])[1] if any(map(_decimals, meanings)) else ""
            yield _Token(meanings, mark)


def _meanings(digits: str) -> Iterator[Decimal]:
    if not digits.isascii() or len(_joined(digits)) > _MOST_DIGITS:
        return
    if digits.isdecimal() or _GROUPED.fullmatch(digits):
        yield Decimal(_joined(digits))
    whole, mark, rest = _split(digits)
    if mark and (whole.isdecimal() or _is_grouped(whole, mark)):
        yield Decimal(f"{_joined(whole)}.{rest}")


def _joined(digits: str) -> str:
    return "".join(letter for letter in digits if letter.isdecimal())


def _split(digits: str) -> tuple[str, str, str]:
    """Take the last mark for the one before the decimals."""
    at = max(digits.rfind("."), digits.rfind(","))
    return (digits[:at], digits[at], digits[at + 1 :]) if at >= 0 else (digits, "", "")


def _is_grouped(whole: str, mark: str) -> bool:
    grouped = _GROUPED.fullmatch(whole)
    return grouped is not None and grouped["mark"] != mark


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0
