"""Parse numbers and amounts of money as people write them, and find them in a text."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

from core.fields import Money
from core.text import clean_line, fold
from processor.analysis.layout import SEARCHED

_TOKEN = re.compile(
    r"(?<![\d.,])(?P<minus>(?<![\w-])- ?)?"
    r"(?P<digits>\d+(?: \d{3}(?!\d))*(?:[.,']\d+)*)"
    r"(?P<end>-(?!\w))?"
)
"""The sign may be on either side: in accounting, 12,50- is negative.

A space groups digits before the first mark only: 3,95 500 are two numbers."""
_ROUND = re.compile(r"(\d)[.,:]-+(?!\w)")
"""12,- and 12,-- are round amounts, in Sweden also 12:-."""
_GROUP_OF_ROUND = re.compile(r"(?<=\d)[.,](?=\d{3}[.,:]-+(?!\w))")
"""The thousands separator in 1.234,-, which has no decimals."""
_COLON = re.compile(r"(?<=\d):(?=\d\d ?(?:kr|sek)\b)")
"""The decimal separator in 12:50 kr."""
_BACKTICK = re.compile(r"(?<=\d)`(?=\d{3})")
_GROUPED = re.compile(
    r"[1-9]\d{0,2}(?P<mark>[.,' ])\d{3}(?:(?P=mark)\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3}"
)
"""In India, groups have two digits: 1,23,456."""
_UNIT = re.compile(r"[\s.:%°]*(?:[^\W\d_]+[\s.²³]*)?")
_THREE_LETTERS = re.compile(r"(?<![a-z])[a-z]{3}(?![a-z])")
_MAX_DIGITS = 15
"""Maximum digits of an amount; longer numbers are account numbers and the like."""


# fmt: off
_CODES = (
    "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS",
    "INR", "ISK", "JPY", "KRW", "MXN", "MYR", "NOK", "NZD", "PLN", "RON", "RSD", "SEK", "SGD",
    "THB", "UAH", "USD", "ZAR",
)
"""Codes that count anywhere in a text."""
_RARE_CODES = (
    "AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS", "AWG", "AZN", "BAM", "BBD", "BDT", "BHD",
    "BIF", "BMD", "BND", "BOB", "BSD", "BTN", "BWP", "BYN", "BZD", "CDF", "CLP", "COP", "CRC",
    "CUP", "CVE", "DJF", "DOP", "DZD", "EGP", "ERN", "ETB", "FJD", "FKP", "GEL", "GHS", "GIP",
    "GMD", "GNF", "GTQ", "GYD", "HNL", "HTG", "IDR", "IQD", "IRR", "JMD", "JOD", "KES", "KGS",
    "KHR", "KMF", "KPW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD",
    "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MZN", "NAD", "NGN",
    "NIO", "NPR", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PYG", "QAR", "RUB", "RWF", "SAR",
    "SBD", "SCR", "SDG", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "TJS",
    "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UGX", "UYU", "UZS", "VES", "VND", "VUV",
    "WST", "XAF", "XCD", "XOF", "XPF", "YER", "ZMW", "ZWG",
)
"""The other codes of ISO 4217. Some are words, such as TOP: they count beside a number only."""
_DOLLARS = ("USD", "AUD", "CAD", "HKD", "MXN", "NZD", "SGD", "TWD", "ARS", "CLP", "COP")
_SIGNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"€|(?<![a-z])(?:eur|euros?)(?![a-z])", ("EUR",)),
    (r"£|(?<![a-z])(?:gbp|pounds sterling)(?![a-z])", ("GBP",)),
    (r"(?<![a-z])us ?\$|(?<![a-z])(?:usd|us ?dollars?)(?![a-z])", ("USD",)),
    (r"(?<![a-z])(?:can|ca?) ?\$", ("CAD",)),
    (r"(?<![a-z])au? ?\$", ("AUD",)),
    (r"(?<![a-z])nz ?\$", ("NZD",)),
    (r"(?<![a-z])hk ?\$", ("HKD",)),
    (r"(?<![a-z])nt ?\$", ("TWD",)),
    (r"(?<![a-z])sg? ?\$", ("SGD",)),
    (r"(?<![a-z])r ?\$", ("BRL",)),
    (r"(?<![a-z$])\$", _DOLLARS),
    (r"(?<![a-z])(?:chf|s?fr\.(?= ?\d)|sfr|schweizer franken)(?![a-z])", ("CHF",)),
    (r"(?<![a-z])zł(?!\w)", ("PLN",)),
    (r"(?<![a-z])kc(?!\w)", ("CZK",)),
    (r"¥|(?<![a-z])yen(?![a-z])", ("JPY", "CNY")),
    (r"(?<![a-z])rm(?= ?\d)", ("MYR",)),
    (r"(?<![a-z])kr\.?(?= {0,9}-?\d)|(?<=\d) ?kr(?![a-z])|(?<=[-,]) ?kr(?![a-z])",
     ("SEK", "NOK", "DKK", "ISK")),
    (r"(?<=\d) ?ft(?![a-z])", ("HUF",)),
    (r"(?<=\d) ?lei(?![a-z])", ("RON",)),
    (r"₹|(?<![a-z])rs\.?(?= {0,9}\d)", ("INR", "PKR", "LKR", "NPR")),
    (r"(?<![a-z])rp\.?(?= ?\d)", ("IDR",)),
    ("₽", ("RUB",)), ("₺", ("TRY",)), ("₩", ("KRW",)), ("₪", ("ILS",)), ("฿", ("THB",)),
    ("₴", ("UAH",)), ("₱", ("PHP",)), ("₫", ("VND",)), ("₦", ("NGN",)),
)
"""Signs in a folded text, each with the currencies that it may stand for."""
# fmt: on
_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ"
    "|NM|NY|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC"
)
_COUNTRIES: Mapping[str, re.Pattern[str]] = {
    "SEK": re.compile(
        r"\bSverige\b|\bSweden\b|\+46\b|\.se\b|\b(?:Bankgiro|Plusgiro)\b|\bSE\d{12}\b"
        r"|\b(?:[Aa]tt betala|ATT BETALA|[Bb]elopp|[Oo]rg\.nr \d{6}-)"
    ),
    "NOK": re.compile(
        r"\bNorge\b|\bNorway\b|\+47\b|\.no\b|\bMVA\b|\b(?:[ÅåÄä] betale|[Bb]eløp|Forfallsdato)"
    ),
    "DKK": re.compile(
        r"\bDanmark\b|\bDenmark\b|\+45\b|\.dk\b|\bCVR\b|\b(?:[Aa]t betale|[Bb]eløb|[Ii] alt)\b"
    ),
    "GBP": re.compile(
        r"\bUnited Kingdom\b|\bGreat Britain\b|\+44\b|\.co\.uk\b|\bNational Insurance\b|\bHMRC\b"
        r"|\bRegistered in (?:England|Scotland|Wales)\b|\bVAT[ \w.:]{0,15}\d{3} \d{4} \d{2}\b"
    ),
    "ISK": re.compile(r"\bÍsland\b|\bIceland\b|\+354\b|\.is\b"),
    "USD": re.compile(rf"\bU\.?S\.?A\b|\bUnited States\b|\b(?:{_STATES}),? \d{{5}}(?:-\d{{4}})?\b"),
    "CAD": re.compile(r"\bCanada\b|\b[HQ]ST\b|\b[A-Z]\d[A-Z] \d[A-Z]\d\b"),
    "AUD": re.compile(
        r"\bAustralia\b|\bABN\b|\bBPAY\b|\bBiller [Cc]ode\b"
        r"|\b(?:NSW|VIC|QLD|TAS|ACT) \d{4}\b|\+61\b"
    ),
    "NZD": re.compile(r"\bNew Zealand\b|\+64\b|\.nz\b"),
    "INR": re.compile(r"\bIndia\b|\bGSTIN\b|\bIFSC\b|\+91\b"),
    "JPY": re.compile(r"\bJapan\b|\+81\b|\.jp\b|\b(?:Tokyo|Kyoto|Osaka)\b|日本|円"),
    "CNY": re.compile(r"\bChina\b|\+86\b|\.cn\b|\b(?:Beijing|Shanghai)\b|中国|元"),
}
"""What shows the country of a document, by currency, for a sign of several currencies."""
_CODE = re.compile(
    rf"(?<![A-Za-z])(?:{'|'.join(_CODES)})(?![A-Za-z])"
    rf"|(?<![A-Za-z])(?:{'|'.join(_RARE_CODES)})(?= ?-?\d)"
    rf"|(?<=\d)(?: ?(?:{'|'.join(_RARE_CODES)}))(?![A-Za-z])"
)
_ANY_CODE = re.compile(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")
_SIGN = tuple((re.compile(form), frozenset(codes)) for form, codes in _SIGNS)
_ANY_SIGN = re.compile("|".join(form for form, _ in _SIGNS))
_NO_CURRENCY = re.compile(r"[\x00-#%-@\[-`{-\x7f]*")
"""No letter and no sign: a page may have tens of thousands of bare numbers."""
_SHORT_SIGN = re.compile(r"(?<![a-z])(?:rm|kr\.?|ft|lei|rs\.?|rp\.?|s?fr\.?)(?![a-z])")


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """Currencies and decimal mark of a document."""

    currencies: frozenset[str] = frozenset()
    """Currencies named in the text; if it names none, its country's, or the owner's usual ones."""
    decimal_mark: str = ""
    """The character before decimals; "" if it is not clear."""
    usual: frozenset[str] = frozenset()
    """Default currencies of the owner's fields: what a sign of several currencies stands for."""

    @classmethod
    def detect(cls, text: str, *, usual: Iterable[str] = ()) -> "NumberFormat":
        """Detect the format of a text; `usual` currencies count if it names none.

        So does the currency of the only country that it shows.
        """
        beginning, defaults = text[:SEARCHED], frozenset(filter(None, usual))
        mentioned = find_currencies(beginning)
        mentioned |= _resolve_by_country(mentioned, beginning)
        shown = _find_countries(beginning)
        unnamed = shown if len(shown) == 1 else defaults
        currencies = resolve_currencies(mentioned, defaults) if mentioned else unnamed
        return cls(currencies, _detect_decimal_mark(beginning), defaults)


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """A number with its possible values and its position in a folded text."""

    meanings: frozenset[Decimal]
    start: int
    end: int


def find_numbers(folded: str) -> Iterator[FoundNumber]:
    """Yield every number with its position in `folded`, the result of `fold`."""
    for match in _TOKEN.finditer(_without_dashes(folded)):
        if token := _parse_token(match):
            yield FoundNumber(token.meanings, match.start(), match.end())


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
    if len(amounts) != 1 or not _is_currency(rest):
        return None
    mentioned = find_currencies(text) or {
        # In a short text, any three capitals are a currency.
        frozenset({match[0]})
        for match in _ANY_CODE.finditer(clean_line(text))
    }
    named = resolve_currencies(mentioned, {currency})
    if len(named) > 1:
        return None
    return Money(amounts[0], next(iter(named), "") if mentioned else currency)


def find_currencies(text: str) -> frozenset[frozenset[str]]:
    """Return, for each code and sign in `text`, the currencies that it may stand for."""
    if _NO_CURRENCY.fullmatch(text):
        return frozenset()
    plain = fold(text)
    has_sign = _ANY_SIGN.search(plain) is not None
    signs = {codes for form, codes in _SIGN if form.search(plain)} if has_sign else set()
    return frozenset(signs | {frozenset({match[0].strip()}) for match in _CODE.finditer(text)})


def resolve_currencies(
    mentioned: Collection[frozenset[str]], usual: Collection[str]
) -> frozenset[str]:
    """Return the currencies that are meant; a sign of several that remains open is left out.

    $ is the one of the dollars that the text names elsewhere, or else one of the usual ones.
    """
    named = {code for codes in mentioned if len(codes) == 1 for code in codes}
    signs = (codes for codes in mentioned if len(codes) > 1)
    return frozenset(named).union(*(codes & named or codes & frozenset(usual) for codes in signs))


def _resolve_by_country(
    mentioned: Collection[frozenset[str]], text: str
) -> frozenset[frozenset[str]]:
    """Return the currency of each sign of several currencies, if the text shows one country."""
    shown = _find_countries(text)
    meant = (codes & shown for codes in mentioned if len(codes) > 1)
    return frozenset(codes for codes in meant if len(codes) == 1)


def _find_countries(text: str) -> frozenset[str]:
    """Return the currencies of the countries that a text shows."""
    return frozenset(code for code, country in _COUNTRIES.items() if country.search(text))


def _find_only_token(text: str) -> tuple["_Token | None", str]:
    """Return the only number of a text and the text around it; None if there are more or none."""
    plain = _without_dashes(fold(text))
    found = [match for match in _TOKEN.finditer(plain) if _parse_token(match)]
    if len(found) != 1:
        return None, plain
    return _parse_token(found[0]), f"{plain[: found[0].start()]} {plain[found[0].end() :]}"


def _without_dashes(folded: str) -> str:
    """Return a folded text with the dashes of round amounts blank, without moving the rest."""
    folded = _BACKTICK.sub("'", _GROUP_OF_ROUND.sub("'", _COLON.sub(",", folded)))
    return _ROUND.sub(lambda match: match[1].ljust(len(match[0])), folded)


def _is_currency(rest: str) -> bool:
    """Return whether the text around an amount names a currency or is empty."""
    for form in (*(form for form, _ in _SIGN), _SHORT_SIGN, _THREE_LETTERS):
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
    plain = _without_dashes(fold(text))
    found = (_parse_token(match) for match in _TOKEN.finditer(plain))
    return (token for token in found if token is not None)


def _parse_token(match: re.Match[str]) -> _Token | None:
    sign = -1 if match["minus"] or match["end"] else 1
    meanings = frozenset(sign * number for number in _meanings(match["digits"]))
    if not meanings:
        return None
    return _Token(meanings, _split(match["digits"])[1] if any(map(_decimals, meanings)) else "")


def _meanings(digits: str) -> Iterator[Decimal]:
    if not digits.isascii() or len(_join(digits)) > _MAX_DIGITS:
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
    return grouped is not None and (grouped["mark"] or ",") != mark


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0
