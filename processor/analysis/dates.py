"""Parse dates as people write them, and find every date in a text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from core.calendar import DateOrder
from core.text import fold, split_folded

_MONTHS = (
    (
        "januar",
        "january",
        "janner",
        "jaenner",
        "janvier",
        "januari",
        "janv",
        "jan",
        "gennaio",
        "enero",
        "janeiro",
    ),
    (
        "februar",
        "february",
        "fevrier",
        "februari",
        "fevr",
        "fev",
        "feb",
        "febbraio",
        "febrero",
        "fevereiro",
    ),
    ("marz", "maerz", "march", "mars", "maart", "mar", "mrz", "mrt", "marts", "marzo", "marco"),
    ("april", "avril", "apr", "avr", "aprile", "abril"),
    ("mai", "may", "mei", "maj", "maggio", "mayo", "maio"),
    ("juni", "june", "juin", "jun", "giugno", "junio", "junho"),
    ("juli", "july", "juillet", "juill", "juil", "jul", "luglio", "julio", "julho"),
    ("august", "aout", "augustus", "aug", "augusti", "agosto"),
    ("september", "septembre", "sept", "sep", "settembre", "septiembre", "setembro"),
    ("oktober", "october", "octobre", "okt", "oct", "ottobre", "octubre", "outubro"),
    ("november", "novembre", "nov", "noviembre", "novembro"),
    (
        "dezember",
        "december",
        "decembre",
        "dez",
        "dec",
        "dicembre",
        "diciembre",
        "dezembro",
        "desember",
    ),
)
"""German, English, French, Dutch, Italian, Spanish, Portuguese, Swedish, Danish and Norwegian."""
MONTH_NUMBER = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
# fmt: off
_BESIDE_A_DAY = {
    "gen": 1, "ene": 1, "abr": 4, "mag": 5, "giu": 6, "lug": 7, "ago": 8, "set": 9, "ott": 10,
    "out": 10, "dic": 12, "des": 12,
    "stycznia": 1, "lutego": 2, "marca": 3, "kwietnia": 4, "maja": 5, "czerwca": 6, "lipca": 7,
    "sierpnia": 8, "wrzesnia": 9, "pazdziernika": 10, "listopada": 11, "grudnia": 12,
}
# fmt: on
"""Months that are also other words: they count in a date only."""
_MONTH_IN_DATE = {**MONTH_NUMBER, **_BESIDE_A_DAY}
_ORDINAL = r"(?:\.|st|nd|rd|th|er)?"


def _any_month(after_first: str = "") -> str:
    """Return a pattern for the names of months, grouped by their first letter.

    A search tries the names only where such a letter is. `after_first` comes after this letter.
    """
    rests: dict[str, list[str]] = {}
    for name in sorted(_MONTH_IN_DATE, key=len, reverse=True):
        rests.setdefault(name[0], []).append(name[1:])
    return "|".join(f"{first}{after_first}(?:{'|'.join(rests[first])})" for first in rests)


# Every pattern begins with the first character of a date, and only then checks what precedes it:
# a search skips to digits and letters, but would try a lookbehind at every position.
_NAME = _any_month()
_FIRST_NAME = _any_month(r"(?<!\w.)")
_DAY, _MONTH, _YEAR = r"(?P<d>\d{1,2})", r"(?P<m>\d{1,2})", r"(?P<y>\d{4})"
_SHORT_YEAR = r"(?P<y>\d{4}|\d{2})"
_LONE_YEAR = r"(?<= )[12]\d(?![.:,]?\d)(?=\W*$|[ ,.;)]++(?!\d|uhr|h\b|am\b|pm\b|eur))"
"""A year of two digits: 29 May 25, but not 29 May 10.15 am."""
_MONTHS_OF_YEAR = 12
_LAST_CENTURY = 69
"""Two-digit years from here on mean 19.., as in C's strptime."""


def _numeric(first: str, rest: str, separator: str, not_after: str = "") -> re.Pattern[str]:
    """Compile a numeric form that matches no version and no number with more parts.

    `first` is its day or year.
    """
    mark = re.escape(separator)
    before = rf"(?<!\d.)(?<!\d{mark}.)(?<!v.)(?<!version .)(?<!nr\. .){not_after}"
    return re.compile(rf"{_after_first_digit(first, before)}{rest}(?!\d)(?!{mark}\d)")


def _after_first_digit(number: str, condition: str) -> str:
    """Return the pattern of a day or a year with a condition after its first digit."""
    return {_DAY: rf"(?P<d>\d{condition}\d?)", _YEAR: rf"(?P<y>\d{condition}\d{{3}})"}[number]


_CLEAR = (
    _numeric(_YEAR, f"-{_MONTH}-{_DAY}", "-"),
    _numeric(_YEAR, f"/{_MONTH}/{_DAY}", "/"),
    _numeric(_YEAR, rf"\.{_MONTH}\.{_DAY}", "."),
    _numeric(_DAY, rf" ?\. ?{_MONTH} ?\. ?{_SHORT_YEAR}", "."),
)
_FULL_YEAR = r"(?P<y>(?:19|20)\d\d)"
_EITHER_WAY = (
    _numeric(_DAY, f"/{_MONTH}/{_SHORT_YEAR}", "/"),
    _numeric(_DAY, f"-{_MONTH}-{_SHORT_YEAR}", "-"),
    # As written by hand.
    _numeric(_DAY, f" / {_MONTH} / {_FULL_YEAR}(?! /)", "/", not_after=r"(?<!\d / .)"),
    _numeric(_DAY, f" - {_MONTH} - {_FULL_YEAR}(?! -)", "-", not_after=r"(?<!\d - .)"),
)
"""Day and month may be swapped: 03/04/2026 means different days in Europe and the USA."""
_SPELLED_OUT = (
    re.compile(
        _after_first_digit(_DAY, r"(?<!\d.)(?<!\d\..)")
        + rf"{_ORDINAL}[ -]?(?:day of |of |de )?(?P<n>{_NAME})\.?\)?,?[ -]?"
        rf"(?:de )?'?(?P<y>\d{{4}}|(?<=['-])\d{{2}}|{_LONE_YEAR})(?!\d)"
    ),
    re.compile(rf"(?P<n>{_FIRST_NAME})\.? ?{_DAY}{_ORDINAL}(?: ?, ?| ){_YEAR}(?!\d)"),
    re.compile(rf"(?P<n>{_FIRST_NAME})\.? ?{_DAY}/{_SHORT_YEAR}(?![\d/])"),
)

_WITHOUT_YEAR = (
    re.compile(
        _after_first_digit(_DAY, r"(?<![\d.,].)")
        + rf"{_ORDINAL} ?(?:of |de )?(?P<n>{_NAME})\b(?!\.?,? ?(?:de )?'?\d)"
    ),
    re.compile(rf"(?P<n>{_FIRST_NAME})\.? {_DAY}(?:st|nd|rd|th)?(?![\w./-])(?!,? ?\d)"),
)
_SOON = timedelta(days=200)
"""A day without a year is at most so long after the document."""

_MISREAD = re.compile(
    r"(?<![a-z\d])(?<![a-z\d][./-])"
    r"(?:[\doil]{1,2} ?([./-]) ?[\doil]{1,2} ?\1 ?(?=[oil]*\d)[\doil]{2,4}"
    r"|(?=[oil]*\d)[12il][\doil]{3}([./-])[\doil]{1,2}\2[\doil]{1,2})(?![a-z\d])"
)
"""Digits that may be misread, but not those of 3. 5. il, or AB-O1-O2-2034."""
_MISREAD_YEAR = r"(?P<y>(?=[oil]*\d[oil]*\d)[12il][\doil]{3})(?![a-z\d])"
_MISREAD_SPELLED_OUT = (
    # Without a dot, 1o is the first of a month, O2 a company and i3 a car.
    re.compile(
        r"(?P<d>[\doil](?<![a-z\d].)"
        r"(?:(?<=\d)(?:\d?|[il]|o(?=\.(?! ?de\b)))|(?<=[oil])\d(?=\.)))"
        rf"{_ORDINAL}[ -]?(?:day of |of |de )?(?:{_NAME})\.?,?[ -]?(?:de )?{_MISREAD_YEAR}"
    ),
    re.compile(
        rf"(?:{_FIRST_NAME})\.? ?(?P<d>\d{{1,2}}|\d[oil]|[oil]\d){_ORDINAL} ?, ?{_MISREAD_YEAR}"
    ),
)
_MISREAD_MONTH = re.compile(r"(?<![a-z\d])(?=[a-z]*[01])(?=[01]?[a-z])[a-z01]{3,11}(?![a-z\d])")
_DIGITS = str.maketrans({"o": "0", "i": "1", "l": "1"})
"""Text recognition takes 0 for O and 1 for l or I, or the other way round: l4.1O.2026."""
_MONTH_OF_YEAR = re.compile(r"(?<![\d./-])(0?[1-9]|1[0-2])(?: ?[/.-] ?20\d\d|/\d\d)(?![\d/-])")


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date and its position in a folded text."""

    day: date
    start: int
    end: int
    order: DateOrder | None = None
    """The order in which day and month must be read for it; None if no other is possible."""


def parse_date(text: str) -> date | None:
    """Return the only date in `text`; None if there is none, or more than one."""
    found = set(dates_in(text))
    return found.pop() if len(found) == 1 else None


def dates_in(text: str) -> Iterator[date]:
    """Yield every date written in `text`; 03/04/2026 counts both as 3 April and as 4 March."""
    return (found.day for found in find_dates(fold(text)))


def find_dates(folded: str) -> Iterator[FoundDate]:
    """Yield every date with its position in `folded`, the result of `fold`."""
    corrected = _correct_digits(folded)
    yield from _find_clear(corrected)
    yield from _find_either_way(_matches(_EITHER_WAY, corrected))


def find_dates_and_order(folded: str) -> tuple[Sequence[FoundDate], DateOrder]:
    """Return what `find_dates` and `detect_date_order` do; a long text is searched only once."""
    corrected = _correct_digits(folded)
    either_way = list(_matches(_EITHER_WAY, corrected))
    found = (*_find_clear(corrected), *_find_either_way(either_way))
    return found, _find_order(either_way)


def find_days_without_year(folded: str, since: date) -> Iterator[FoundDate]:
    """Yield every day of a month without a year, as the first such day in the time after `since`.

    A day long after it is left out: it is in the past.
    """
    for match in _matches(_WITHOUT_YEAR, _correct_months(folded)):
        month = str(_MONTH_IN_DATE[match["n"]])
        for year in (since.year, since.year + 1):
            for found in _build_date(match, str(year), month, match["d"]):
                if since <= found.day <= since + _SOON:
                    yield found


def detect_date_order(folded: str) -> DateOrder:
    """Return the order of the dates with slashes or dashes; DOCUMENT if none of them shows it."""
    return _find_order(_matches(_EITHER_WAY, _correct_digits(folded)))


def find_months(folded: str) -> set[int]:
    """Return the numbers of the months that a folded text names, or writes as 10/2026."""
    named = {MONTH_NUMBER[word] for word in split_folded(folded) if word in MONTH_NUMBER}
    return named | {int(match[1]) for match in _MONTH_OF_YEAR.finditer(folded)}


def _find_clear(corrected: str) -> Iterator[FoundDate]:
    """Yield the dates that can be read in one way only."""
    for match in _matches(_CLEAR, corrected):
        yield from _build_date(match, match["y"], match["m"], match["d"])
    for match in _matches(_SPELLED_OUT, corrected):
        yield from _build_date(match, match["y"], str(_MONTH_IN_DATE[match["n"]]), match["d"])


def _find_either_way(matches: Iterable[re.Match[str]]) -> Iterator[FoundDate]:
    """Yield the dates whose day and month may be swapped, in both orders."""
    for match in matches:
        readings = {
            DateOrder.DAY_FIRST: tuple(_build_date(match, match["y"], match["m"], match["d"])),
            DateOrder.MONTH_FIRST: tuple(_build_date(match, match["y"], match["d"], match["m"])),
        }
        is_open = all(readings.values()) and match["d"] != match["m"]
        for order, found in readings.items():
            yield from (replace(reading, order=order if is_open else None) for reading in found)


def _find_order(matches: Iterable[re.Match[str]]) -> DateOrder:
    orders = {
        DateOrder.DAY_FIRST if int(match["d"]) > _MONTHS_OF_YEAR else DateOrder.MONTH_FIRST
        for match in matches
        if (int(match["d"]) > _MONTHS_OF_YEAR) is not (int(match["m"]) > _MONTHS_OF_YEAR)
    }
    return orders.pop() if len(orders) == 1 else DateOrder.DOCUMENT


def _correct_digits(folded: str) -> str:
    """Return a text with letters in its dates corrected to digits; positions do not change."""
    corrected = _MISREAD.sub(lambda match: match[0].translate(_DIGITS), _correct_months(folded))
    for form in _MISREAD_SPELLED_OUT:
        corrected = form.sub(_correct_day_and_year, corrected)
    return corrected


def _correct_day_and_year(match: re.Match[str]) -> str:
    before, between = match.start("d") - match.start(), match.end("d") - match.start()
    day, year = (match[part].translate(_DIGITS) for part in "dy")
    return f"{match[0][:before]}{day}{match[0][between : -len(year)]}{year}"


def _correct_months(folded: str) -> str:
    """Return a text with digits in the names of months corrected to letters: 0ktober."""
    return _MISREAD_MONTH.sub(lambda match: _to_month(match[0]), folded)


def _to_month(word: str) -> str:
    letters = word.replace("0", "o")
    found = (letters.replace("1", letter) for letter in "li")
    return next((name for name in found if name in _MONTH_IN_DATE), word)


def _matches(forms: Iterable[re.Pattern[str]], text: str) -> Iterator[re.Match[str]]:
    return (match for form in forms for match in form.finditer(text))


def _build_date(match: re.Match[str], year: str, month: str, day: str) -> Iterator[FoundDate]:
    try:
        day_found = date(_full_year(year), int(month), int(day))
    except ValueError:
        return
    yield FoundDate(day_found, match.start(), match.end())


def _full_year(year: str) -> int:
    if len(year) > 2:
        return int(year)
    return int(year) + (1900 if int(year) >= _LAST_CENTURY else 2000)
