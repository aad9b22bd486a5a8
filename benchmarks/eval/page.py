"""Find every date, amount, number and organisation on a page.

No code of the product is used here: otherwise both would overlook the same values.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache

# fmt: off
_MONTHS = {
    name: number
    for number, names in enumerate((
        "januar january janvier januari jan janv jänner gennaio enero janeiro",
        "februar february février fevrier februari feb févr febbraio febrero fevereiro",
        "märz march mars maart mär mar mrz mrt marts marzo março",
        "april avril apr avr aprile abril abr",
        "mai may mei maj maggio mayo maio",
        "juni june juin jun giugno junio junho",
        "juli july juillet jul juil luglio julio julho",
        "august août aout augustus aug augusti agosto ago",
        "september septembre sept sep settembre septiembre setembro",
        "oktober october octobre okt oct ottobre octubre outubro",
        "november novembre nov noviembre novembro",
        "dezember december décembre decembre dez dec déc dicembre diciembre dezembro",
    ), start=1)
    for name in names.split()
}
_LEGAL_FORMS = (
    "GmbH & Co. KG", "GmbH", "gGmbH", "mbH", "AG", "SE", "KG", "OHG", "GbR", "UG", "eG", "e.V.",
    "e.K.", "mbB", "a. G.", "Ltd", "Limited", "LTD", "plc", "PLC", "LLP", "LLC", "Inc", "Inc.",
    "Corp", "Corp.", "Sdn Bhd", "Sdn. Bhd.", "SDN BHD", "SDN. BHD.", "Pte Ltd", "SA", "S.A.",
    "SAS", "SARL", "S.à r.l.", "EURL", "Sàrl", "B.V.", "BV", "N.V.", "NV", "V.O.F.", "AB", "A/S",
    "ApS", "AS", "Oy", "S.p.A.", "S.r.l.",
)
_CURRENCIES = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "£": "GBP", "gbp": "GBP", "$": "USD", "usd": "USD",
    "us$": "USD", "chf": "CHF", "fr.": "CHF", "sfr": "CHF", "rm": "MYR", "myr": "MYR",
    "sek": "SEK", "nok": "NOK", "dkk": "DKK", "kr": "SEK", "kr.": "DKK", "zł": "PLN",
    "pln": "PLN", "¥": "JPY", "jpy": "JPY", "cad": "CAD", "aud": "AUD", "c$": "CAD", "a$": "AUD",
    "s$": "SGD", "sgd": "SGD", "czk": "CZK", "kč": "CZK", "inr": "INR", "₹": "INR",
}
_RECIPIENT_LABELS = (
    "an", "to", "aan", "à", "bill to", "billed to", "sold to", "ship to", "deliver to",
    "customer", "client", "buyer", "käufer", "käuferin", "kunde", "kundin", "rechnung an",
    "rechnungsempfänger", "leistungsempfänger", "lieferadresse", "besteller", "acheteur",
    "facturé à", "destinataire", "koper", "klant", "afnemer", "factuuradres", "tenant", "mieter",
    "mieterin", "patient", "patientin", "guest", "gast", "member", "insured",
)
# fmt: on
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"""(?<![\d.,])(?:
        (?P<y1>\d{{4}})[-./](?P<m1>\d{{1,2}})[-./](?P<d1>\d{{1,2}})
      | (?P<d2>\d{{1,2}})(?P<mark>[./-])[ ]?(?P<m2>\d{{1,2}})(?P=mark)[ ]?(?P<y2>\d{{4}}|\d{{2}})
      | (?P<d3>\d{{1,2}})(?:\.|er|st|nd|rd|th)?(?:[ ]day[ ]of)?[ -]?(?P<m3>{_MONTH})\.?,?[ -]?'?
        (?P<y3>\d{{4}}|\d{{2}})
      | (?P<m4>{_MONTH})\.?[ ]?(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?[ ]?[,/]?[ ]?(?P<y4>\d{{4}})
    )(?![\d])""",
    re.VERBOSE | re.IGNORECASE,
)
_SIGN = "|".join(sorted(map(re.escape, _CURRENCIES), key=len, reverse=True))
_BLANK = " \u00a0\u202f"
_DIGITS = rf"\d{{1,3}}(?:[.,'’{_BLANK}]\d{{3}})+(?:[.,:]\d{{2}})?|\d+[.,]\d{{2}}|\d+(?:[.,:]-)?"
_CENTS = re.compile(r"[.,:]\d{2}$")
_AMOUNT = re.compile(
    rf"(?<![\w.,])(?:(?P<before>{_SIGN})[{_BLANK}]*)?(?P<minus>[-−] ?)?(?P<digits>{_DIGITS})"
    r"(?![\d.,]\d|\d)"
    rf"(?:[{_BLANK}]?(?P<after>{_SIGN})(?!\w))?(?![{_BLANK}]?(?:%|kWh|km|m²|m³|m2|m3|h\b|Std))",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![\w.,/-])(?:[A-Z]{1,5}[-/. ]?(?:[A-Z]{1,3}-)?)?\d[\dA-Za-z]*"
    r"(?:[-/. ][A-Z]{0,4}\d[\dA-Za-z]*|[-/.][A-Z]{1,4}(?=[-/.]\w))*(?![\w])"
)
_VAT_ID = re.compile(
    r"(?<!\w)(?:DE ?\d{3} ?\d{3} ?\d{3}|GB ?\d{3} ?\d{4} ?\d{2}|FR ?\w{2} ?\d{3} ?\d{3} ?\d{3}"
    r"|NL ?\d{9}B\d{2}|ATU ?\d{8}|BE ?0\d{3}[ .]?\d{3}[ .]?\d{3}|CHE-\d{3}\.\d{3}\.\d{3}|SE ?\d{12}"
    r"|DK ?\d{8}|IT ?\d{11}|LU ?\d{8}|IE ?\d{7}[A-Z]{1,2}|NO ?\d{9} ?MVA)(?!\w)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_FORM = "|".join(sorted(map(re.escape, _LEGAL_FORMS), key=len, reverse=True))
_WORD = r"[A-ZÄÖÜÉÈÀÇ][\w'’.&-]*"
_ORGANISATION = re.compile(
    rf"(?<!\w)(?!For |Bankverbindung |Unternehmen )(?P<name>{_WORD}"
    rf"(?:[ ](?:&|und|and|et|en|of|de|du|la|van|der|am|{_WORD})){{0,5}}?[ ](?:{_FORM}))(?![\w-])"
)
_HONORIFIC = re.compile(
    r"(?:an )?(?:frau|herrn?|familie|eheleute|firma|mr|mrs|ms|miss|mme|madame|m|monsieur|de heer"
    r"|dhr|mevr|mevrouw)\.?(?: (?P<name>\S.*))?",
    re.IGNORECASE,
)
_RECIPIENT = re.compile(
    rf"(?:{'|'.join(sorted(map(re.escape, _RECIPIENT_LABELS), key=len, reverse=True))})"
    r"\s*(?P<colon>:?)\s*(?P<name>.*)",
    re.IGNORECASE,
)
_PARTICLE = r"de|der|van|von|und|and|&"
_ADDRESSEE = re.compile(rf"{_WORD}(?: (?:{_PARTICLE}|{_WORD})){{1,4}}")
_TOWN = re.compile(r"\b\d{4,5} ?[A-Z]|\b[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b")
_NAME_ENDS = re.compile(r"[,;(|·]|\s[-–]\s|\s{2,}|\d")
_COLUMNS = re.compile(r"\s{2,}|\t")


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date and its line."""

    day: date
    line: str
    is_numeric: bool
    """Whether day and month are both digits, so that they can be swapped."""


@dataclass(frozen=True, slots=True)
class FoundAmount:
    """An amount and its line."""

    amount: Decimal
    currency: str
    """The code of the currency sign next to it; "" if there is none."""
    line: str


@dataclass(frozen=True, slots=True)
class FoundText:
    """A number or a name as written, and its line."""

    text: str
    line: str


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def find_dates(text: str) -> Iterator[FoundDate]:
    """Yield every date of every line; of 3/4/2026, the third of April."""
    for line in lines_of(text):
        for match in _DATE.finditer(line):
            if day := _read_date(match):
                yield FoundDate(day, line, is_numeric=not (match["m3"] or match["m4"]))


def find_amounts(text: str) -> Iterator[FoundAmount]:
    """Yield every number that has two decimals or a currency next to it."""
    for line in lines_of(text):
        for match in _AMOUNT.finditer(_without_dates(line)):
            sign = (match["before"] or match["after"] or "").casefold()
            amount = _read_amount(match["digits"])
            if sign or _CENTS.search(match["digits"]):
                yield FoundAmount(
                    -amount if match["minus"] else amount, _CURRENCIES.get(sign, ""), line
                )


def find_numbers(text: str) -> Iterator[FoundText]:
    """Yield everything with at least four digits that is no date, no amount and no year."""
    for line in lines_of(text):
        rest = _AMOUNT.sub(_blank_if_amount, _without_dates(line))
        for match in _NUMBER.finditer(rest):
            number = match[0].strip(" .-/")
            if sum(map(str.isdigit, number)) >= 4 and not _YEAR.fullmatch(number):
                yield FoundText(number, line)


def is_vat_id(number: str) -> bool:
    return _VAT_ID.fullmatch(number) is not None


def find_organisations(text: str) -> Iterator[FoundText]:
    """Yield every name with a legal form."""
    for line in lines_of(text):
        for match in _ORGANISATION.finditer(line):
            yield FoundText(match["name"], line)


def find_recipients(text: str) -> Iterator[FoundText]:
    """Yield the names in addresses and after words such as "Bill to"."""
    rows = [_COLUMNS.split(line.strip()) for line in text.splitlines()]
    for row, below in zip(rows, [*rows[1:], [""]], strict=True):
        for number, column in enumerate(row):
            name, found_in = _read_recipient(column), row
            if name == "":
                name = _find_next_column(row, number)
            if name == "":
                name, found_in = "".join(below[number : number + 1]), below
            if name and len(name := _NAME_ENDS.split(name)[0].strip()) > 3:
                yield FoundText(name, "  ".join(found_in))


def find_addressees(text: str) -> Iterator[FoundText]:
    """Yield the first lines of addresses: a name above a town, the sender's own among them."""
    rows = [_COLUMNS.split(line.strip())[0] for line in text.splitlines()]
    for number, line in enumerate(rows):
        if _ADDRESSEE.fullmatch(line) and any(map(_TOWN.search, rows[number + 1 : number + 4])):
            yield FoundText(line, line)


def find_name(name: str, text: str) -> str | None:
    """Return the first line that contains a name as whole words; None if there is none."""
    pattern = _name_pattern(name)
    return next((line for line in lines_of(text) if pattern.search(_fold(line))), None)


def find_nearest_line(name: str, text: str) -> str:
    """Return the line that has most words of a name; the first line if none has any."""
    words = set(words_of(name))
    lines = lines_of(text)
    return max(lines, key=lambda line: len(words & set(words_of(line))), default="")


def find_other_lines(name: str, longer: Iterable[str], text: str) -> str | None:
    """Return the first line with a name that is no part of one of the `longer` names."""
    pattern, others = _name_pattern(name), [_name_pattern(other) for other in longer]
    for line in lines_of(text):
        rest = _fold(line)
        for other in others:
            rest = other.sub(" ", rest)
        if pattern.search(rest):
            return line
    return None


@cache
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name without case, accents and its legal form."""
    bare = re.sub(rf"[ ,]+(?:{_FORM})$", "", name)
    return tuple(re.findall(r"\w+", _fold(bare)))


def _fold(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


@cache
def _name_pattern(name: str) -> re.Pattern[str]:
    """Return a pattern for folded text; one that never matches for a name without words."""
    words = r"\W+".join(map(re.escape, words_of(name)))
    return re.compile(rf"(?<!\w){words}(?!\w)" if words else r"(?!)")


def _read_date(match: re.Match[str]) -> date | None:
    form = next(number for number in "1234" if match[f"y{number}"])
    year, month, day = (match[f"{part}{form}"] for part in "ymd")
    number = _MONTHS.get(month.casefold()) or int(month)
    days = int(day)
    if form == "2" and number > 12:
        number, days = days, number
    try:
        return date(int(year) + (2000 if len(year) == 2 else 0), number, days)
    except ValueError:
        return None


def _read_amount(digits: str) -> Decimal:
    bare = digits.removesuffix("-").rstrip(".,")
    whole, cents = (bare[:-3], bare[-2:]) if _CENTS.search(bare) else (bare, "00")
    return Decimal("".join(filter(str.isdigit, whole)) + "." + cents)


def _without_dates(line: str) -> str:
    return _DATE.sub(lambda match: "|" * len(match[0]), line)


def _blank_if_amount(match: re.Match[str]) -> str:
    is_amount = match["before"] or match["after"] or _CENTS.search(match["digits"])
    return "|" * len(match[0]) if is_amount else match[0]


def _read_recipient(column: str) -> str | None:
    """Return the name after a form of address or label; "" if it is next to it or below."""
    if match := _HONORIFIC.fullmatch(column):
        return match["name"] or ""
    match = _RECIPIENT.fullmatch(column)
    if match is None or (match["name"] and not match["colon"]):
        return None
    return match["name"]


def _find_next_column(row: Sequence[str], number: int) -> str:
    """Return the next column, unless it is another label or a number."""
    neighbour = "".join(row[number + 1 : number + 2])
    is_label = _read_recipient(neighbour) is not None
    return "" if is_label or any(map(str.isdigit, neighbour)) else neighbour
