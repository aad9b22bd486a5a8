"""Read dates as people write them, and find out whether one stands in a text."""

import re
from collections.abc import Iterator
from datetime import date

from processor.text import fold

_MONTHS = (
    ("januar", "january", "jan"),
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

_ISO = re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?!\d)")
_DOTTED = re.compile(r"(?<!\d)(?P<d>\d{1,2})\. ?(?P<m>\d{1,2})\. ?(?P<y>\d{4}|\d{2})(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4}|\d{2})(?!\d)")
_DAY_FIRST = re.compile(
    rf"(?<!\d)(?P<d>\d{{1,2}}){_ORDINAL} ?(?:of )?(?P<n>{_NAME})\.?,? ?(?P<y>\d{{4}})(?!\d)"
)
_MONTH_FIRST = re.compile(rf"\b(?P<n>{_NAME})\.? (?P<d>\d{{1,2}}){_ORDINAL},? (?P<y>\d{{4}})(?!\d)")


def parse_date(text: str) -> date | None:
    """Read the one date that `text` consists of; None if there is none, or more than one."""
    found = set(dates_in(text))
    return found.pop() if len(found) == 1 else None


def dates_in(text: str) -> Iterator[date]:
    """Yield every date written in `text`; 03/04/2026 counts both as 3 April and as 4 March."""
    folded = fold(text)
    for match in (*_ISO.finditer(folded), *_DOTTED.finditer(folded)):
        yield from _real(match["y"], match["m"], match["d"])
    for match in (*_DAY_FIRST.finditer(folded), *_MONTH_FIRST.finditer(folded)):
        yield from _real(match["y"], str(_MONTH_NUMBER[match["n"]]), match["d"])
    for match in _SLASHED.finditer(folded):
        yield from _real(match["y"], match["b"], match["a"])
        yield from _real(match["y"], match["a"], match["b"])


def _real(year: str, month: str, day: str) -> Iterator[date]:
    full_year = int(year) + (2000 if len(year) == 2 else 0)
    try:
        yield date(full_year, int(month), int(day))
    except ValueError:
        return
