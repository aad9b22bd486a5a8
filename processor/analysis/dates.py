"""Read dates as people write them, and find out whether one stands in a text."""

import re
from collections.abc import Iterable, Iterator
from datetime import date

from processor.text import fold

_MONTHS = (
    ("januar", "january", "janner", "jaenner", "jan"),
    ("februar", "february", "feb"),
    ("marz", "maerz", "march", "mar", "mrz"),
    ("april", "apr"),
    ("mai", "may"),
    ("juni", "june", "jun"),
    ("juli", "july", "jul"),
    ("august", "aug"),
    ("september", "sept", "sep"),
    ("oktober", "october", "okt", "oct"),
    ("november", "nov"),
    ("dezember", "december", "dez", "dec"),
)
_MONTH_NUMBER = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_NAME = "|".join(sorted(_MONTH_NUMBER, key=len, reverse=True))
_ORDINAL = r"(?:\.|st|nd|rd|th)?"

_DAY, _MONTH, _YEAR = r"(?P<d>\d{1,2})", r"(?P<m>\d{1,2})", r"(?P<y>\d{4})"
_SHORT_YEAR = r"(?P<y>\d{4}|\d{2})"
_LAST_CENTURY = 69
"""Of two digits, those from here on mean 19.., as everywhere in the world of C."""


def _numeric(form: str, separator: str) -> re.Pattern[str]:
    """Compile a form of digits; a version, or a number with more parts, is no date."""
    mark = re.escape(separator)
    return re.compile(rf"(?<!\d)(?<!\d{mark})(?<!v)(?<!version ){form}(?!\d)(?!{mark}\d)")


_CLEAR = (
    _numeric(f"{_YEAR}-{_MONTH}-{_DAY}", "-"),
    _numeric(f"{_YEAR}/{_MONTH}/{_DAY}", "/"),
    _numeric(rf"{_YEAR}\.{_MONTH}\.{_DAY}", "."),
    _numeric(rf"{_DAY} ?\. ?{_MONTH} ?\. ?{_SHORT_YEAR}", "."),
)
_EITHER_WAY = (
    _numeric(f"{_DAY}/{_MONTH}/{_SHORT_YEAR}", "/"),
    _numeric(f"{_DAY}-{_MONTH}-{_YEAR}", "-"),
)
"""Day and month may be swapped: 03/04/2026 is written on both sides of the ocean."""
_SPELLED_OUT = (
    re.compile(
        rf"(?<!\d)(?<!\d\.){_DAY}{_ORDINAL}[ -]?(?:of )?(?P<n>{_NAME})\.?,?[ -]?{_YEAR}(?!\d)"
    ),
    re.compile(rf"\b(?P<n>{_NAME})\.? {_DAY}{_ORDINAL}(?:, ?| ){_YEAR}(?!\d)"),
)


def parse_date(text: str) -> date | None:
    """Read the one date that `text` holds; None if there is none, or more than one."""
    found = set(dates_in(text))
    return found.pop() if len(found) == 1 else None


def dates_in(text: str) -> Iterator[date]:
    """Yield every date written in `text`; 03/04/2026 counts both as 3 April and as 4 March."""
    folded = fold(text)
    for match in _matches(_CLEAR, folded):
        yield from _real(match["y"], match["m"], match["d"])
    for match in _matches(_SPELLED_OUT, folded):
        yield from _real(match["y"], str(_MONTH_NUMBER[match["n"]]), match["d"])
    for match in _matches(_EITHER_WAY, folded):
        yield from _real(match["y"], match["m"], match["d"])
        yield from _real(match["y"], match["d"], match["m"])


def _matches(forms: Iterable[re.Pattern[str]], text: str) -> Iterator[re.Match[str]]:
    return (match for form in forms for match in form.finditer(text))


def _real(year: str, month: str, day: str) -> Iterator[date]:
    try:
        yield date(_full_year(year), int(month), int(day))
    except ValueError:
        return


def _full_year(year: str) -> int:
    if len(year) > 2:
        return int(year)
    return int(year) + (1900 if int(year) >= _LAST_CENTURY else 2000)
