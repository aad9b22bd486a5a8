"""Read numbers and amounts of money as people write them, and find them in a text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

from core.fields import Money
from core.text import clean_line, fold

_TOKEN = re.compile(
    r"(?<![\d.,])(?P<minus>(?<![\w-])- ?)?"
    r"(?P<digits>\d+(?:[.,']\d+| \d{3}(?!\d))*)"
    r"(?P<end>-(?!\w))?"
)
"""A sign may stand on either side: bookkeepers write 12,50- for what they take away."""
_ROUND = re.compile(r"(\d)[.,]-+(?!\w)")
"""12,- and 12,-- are round amounts."""
_GROUPED = re.compile(r"[1-9]\d{0,2}(?P<mark>[.,' ])\d{3}(?:(?P=mark)\d{3})*")
_UNIT = re.compile(r"[\s.:%°]*(?:[^\W\d_]+[\s.²³]*)?")
_THREE_LETTERS = re.compile(r"(?<![a-z])[a-z]{3}(?![a-z])")
_MOST_DIGITS = 15
"""A longer number is the number of an account, not an amount of anything."""

_ENOUGH = 100_000
"""Characters of a document that show how it writes numbers: to read a megabyte takes seconds."""

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
class NumberFormat:
    """How a document writes its numbers."""

    currencies: frozenset[str] = frozenset()
    """Those that it names; where it names none, those that its owner takes for granted."""
    decimal_mark: str = ""
    """What stands before its decimals; "" if that cannot be told."""

    @classmethod
    def detect(cls, text: str, *, usual: Iterable[str] = ()) -> "NumberFormat":
        granted = frozenset(currency for currency in usual if currency)
        beginning = text[:_ENOUGH]
        return cls(currencies_in(beginning) or granted, _mark_of(beginning))


def parse_number(text: str) -> frozenset[Decimal]:
    """Return what `text` may mean: 1.234 has two meanings; none if it is not just a number.

    A word beside it may say of what: 218 kWh.
    """
    token, rest = _alone(text)
    return token.meanings if token and _UNIT.fullmatch(rest) else frozenset()


def numbers_in(text: str, mark: str = "") -> Iterator[frozenset[Decimal]]:
    """Yield the meanings of every number in `text`, if `mark` stands before its decimals."""
    # Where columns are narrow, a space may stand between two numbers instead of within one.
    parts = (token for part in fold(text).split() for token in _tokens(part))
    for token in chain(_tokens(text), parts):
        yield token.meanings_with(mark)


def parse_money(text: str, *, currency: str = "") -> Money | None:
    """Read an amount; `currency` is meant where it names none.

    None if it is not just an amount with at most two decimals and one currency.
    """
    token, rest = _alone(text)
    amounts = [one for one in token.meanings if _decimals(one) <= 2] if token else []
    named = _stated(text)
    if len(amounts) != 1 or len(named) > 1 or not _is_currency(rest):
        return None
    return Money(amounts[0], next(iter(named), currency))


def currencies_in(text: str) -> frozenset[str]:
    """Return the codes of the currencies that `text` names, by code or by sign."""
    plain = fold(text)
    signs = {code for code, form in _SIGN.items() if form.search(plain)}
    return frozenset(signs | {match[0] for match in _CODE.finditer(text)})


def _alone(text: str) -> tuple["_Token | None", str]:
    """Return the one number in a text, if it is the only one, and what stands around it."""
    plain = _ROUND.sub(r"\1", fold(text))
    found = [match for match in _TOKEN.finditer(plain) if _token(match)]
    if len(found) != 1:
        return None, plain
    return _token(found[0]), f"{plain[: found[0].start()]} {plain[found[0].end() :]}"


def _is_currency(rest: str) -> bool:
    """Tell whether what stands around an amount is the name of a currency, or nothing."""
    for form in (*_SIGN.values(), _THREE_LETTERS):
        rest = form.sub(" ", rest)
    return not rest.strip(" .:")


def _stated(text: str) -> frozenset[str]:
    """Return the currencies of a short text, in which any three capitals are one."""
    return currencies_in(text) | {match[0] for match in _ANY_CODE.finditer(clean_line(text))}


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
    """Find each number in `text`; what is no number, such as a date, is left out."""
    plain = _ROUND.sub(r"\1", fold(text))
    found = (_token(match) for match in _TOKEN.finditer(plain))
    return (token for token in found if token is not None)


def _token(match: re.Match[str]) -> _Token | None:
    sign = -1 if match["minus"] or match["end"] else 1
    meanings = frozenset(sign * number for number in _meanings(match["digits"]))
    if not meanings:
        return None
    return _Token(meanings, _split(match["digits"])[1] if any(map(_decimals, meanings)) else "")


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
