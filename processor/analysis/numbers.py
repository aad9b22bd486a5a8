"""Parse numbers and amounts of money as people write them, and find them in a text."""

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
    r"(?P<digits>\d+(?: \d{3}(?!\d))*(?:[.,']\d+)*)"
    r"(?P<end>-(?!\w))?"
)
"""The sign may be on either side: in accounting, 12,50- is negative.

A space groups digits before the first mark only: 3,95 500 are two numbers."""
_ROUND = re.compile(r"(\d)[.,]-+(?!\w)")
"""12,- and 12,-- are round amounts."""
_GROUPED = re.compile(r"[1-9]\d{0,2}(?P<mark>[.,' ])\d{3}(?:(?P=mark)\d{3})*")
_UNIT = re.compile(r"[\s.:%°]*(?:[^\W\d_]+[\s.²³]*)?")
_THREE_LETTERS = re.compile(r"(?<![a-z])[a-z]{3}(?![a-z])")
_MOST_DIGITS = 15
"""Maximum digits of an amount; longer numbers are account numbers and the like."""

_ENOUGH = 100_000
"""Characters that are examined for the number format: a megabyte would take seconds."""

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
    """Currencies and decimal mark of a document."""

    currencies: frozenset[str] = frozenset()
    """Currencies named in the text, or the owner's usual ones if it names none."""
    decimal_mark: str = ""
    """The character before decimals; "" if it is not clear."""

    @classmethod
    def detect(cls, text: str, *, usual: Iterable[str] = ()) -> "NumberFormat":
        """Detect the format of a text; `usual` currencies count if it names none."""
        beginning = text[:_ENOUGH]
        currencies = currencies_in(beginning) or frozenset(filter(None, usual))
        return cls(currencies, _detect_decimal_mark(beginning))


def parse_number(text: str) -> frozenset[Decimal]:
    """Return the possible values of `text`: 1.234 has two; none if it is not a single number.

    A unit beside it is ignored: 218 kWh.
    """
    token, rest = _find_only_token(text)
    return token.meanings if token and _UNIT.fullmatch(rest) else frozenset()


def numbers_in(text: str, mark: str = "") -> Iterator[frozenset[Decimal]]:
    """Yield the possible values of every number in `text`, with `mark` before decimals."""
    # In narrow columns a space may separate two numbers instead of grouping the digits of one.
    parts = (token for part in fold(text).split() for token in _tokens(part))
    for token in chain(_tokens(text), parts):
        yield token.meanings_with(mark)


def parse_money(text: str, *, currency: str = "") -> Money | None:
    """Parse an amount; `currency` applies if the text names none.

    Return None if it is not a single amount with at most two decimals and one currency.
    """
    token, rest = _find_only_token(text)
    amounts = [amount for amount in token.meanings if _decimals(amount) <= 2] if token else []
    # In a short text, any three capitals are a currency.
    named = currencies_in(text) | {match[0] for match in _ANY_CODE.finditer(clean_line(text))}
    if len(amounts) != 1 or len(named) > 1 or not _is_currency(rest):
        return None
    return Money(amounts[0], next(iter(named), currency))


def currencies_in(text: str) -> frozenset[str]:
    """Return the codes of the currencies that `text` names by code or sign."""
    plain = fold(text)
    signs = {code for code, form in _SIGN.items() if form.search(plain)}
    return frozenset(signs | {match[0] for match in _CODE.finditer(text)})


def _find_only_token(text: str) -> tuple["_Token | None", str]:
    """Return the only number of a text and the text around it; None if there are more or none."""
    plain = _ROUND.sub(r"\1", fold(text))
    found = [match for match in _TOKEN.finditer(plain) if _parse_token(match)]
    if len(found) != 1:
        return None, plain
    return _parse_token(found[0]), f"{plain[: found[0].start()]} {plain[found[0].end() :]}"


def _is_currency(rest: str) -> bool:
    """Return whether the text around an amount names a currency or is empty."""
    for form in (*_SIGN.values(), _THREE_LETTERS):
        rest = form.sub(" ", rest)
    return not rest.strip(" .:")


def _detect_decimal_mark(text: str) -> str:
    votes = Counter(token.mark for token in _tokens(text) if token.mark and token.is_price_like)
    mark = max(votes, key=lambda mark: votes[mark], default="")
    # Dates without a year, section numbers and times look like numbers and are outvoted.
    return mark if votes[mark] * 4 > votes.total() * 3 else ""


@dataclass(frozen=True, slots=True)
class _Token:
    """A number as it is written."""

    meanings: frozenset[Decimal]
    mark: str = ""
    """The character before its decimals, if it can have any."""

    @property
    def is_price_like(self) -> bool:
        """Return whether it has exactly two decimals, like most prices."""
        return [_decimals(number) for number in self.meanings] == [2]

    def meanings_with(self, mark: str) -> frozenset[Decimal]:
        """Return its possible values in a text with `mark` before decimals."""
        if not mark or len(self.meanings) == 1:
            return self.meanings
        has_decimals = self.mark == mark
        return frozenset(
            number for number in self.meanings if (_decimals(number) > 0) is has_decimals
        )


def _tokens(text: str) -> Iterator[_Token]:
    """Return each number in `text`; dates and the like are left out."""
    plain = _ROUND.sub(r"\1", fold(text))
    found = (_parse_token(match) for match in _TOKEN.finditer(plain))
    return (token for token in found if token is not None)


def _parse_token(match: re.Match[str]) -> _Token | None:
    sign = -1 if match["minus"] or match["end"] else 1
    meanings = frozenset(sign * number for number in _meanings(match["digits"]))
    if not meanings:
        return None
    return _Token(meanings, _split(match["digits"])[1] if any(map(_decimals, meanings)) else "")


def _meanings(digits: str) -> Iterator[Decimal]:
    if not digits.isascii() or len(_join(digits)) > _MOST_DIGITS:
        return
    if digits.isdecimal() or _GROUPED.fullmatch(digits):
        yield Decimal(_join(digits))
    whole, mark, rest = _split(digits)
    if mark and (whole.isdecimal() or _is_grouped(whole, mark)):
        yield Decimal(f"{_join(whole)}.{rest}")


def _join(digits: str) -> str:
    return "".join(letter for letter in digits if letter.isdecimal())


def _split(digits: str) -> tuple[str, str, str]:
    """Split at the last mark, which is the one before decimals."""
    at = max(digits.rfind("."), digits.rfind(","))
    return (digits[:at], digits[at], digits[at + 1 :]) if at >= 0 else (digits, "", "")


def _is_grouped(whole: str, mark: str) -> bool:
    grouped = _GROUPED.fullmatch(whole)
    return grouped is not None and grouped["mark"] != mark


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0
