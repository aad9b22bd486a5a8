"""Find the date of a document among all dates in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import IntEnum

from sandbox.model.finding import Finding

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "januar january jan",
            "februar february feb",
            "märz march mär mar",
            "april apr",
            "mai may",
            "juni june jun",
            "juli july jul",
            "august aug",
            "september sept sep",
            "oktober october okt oct",
            "november nov",
            "dezember december dez dec",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"""(?<![\d.])(?:
        (?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}})
      | (?P<d2>\d{{1,2}})[./][ ]?(?P<m2>\d{{1,2}})[./][ ]?(?P<y2>\d{{4}})
      | (?P<d3>\d{{1,2}})\.?[ ](?P<m3>{_MONTH})\.?[ ](?P<y3>\d{{4}})
      | (?P<m4>{_MONTH})\.?[ ](?P<d4>\d{{1,2}}),?[ ](?P<y4>\d{{4}})
    )(?!\d)""",
    re.VERBOSE | re.IGNORECASE,
)


class Rank(IntEnum):
    """How clearly the words before a date mark it as the document's own; the first is best."""

    ISSUED = 0
    DATED = 1
    LETTERHEAD = 2
    ORDERED = 3
    MENTIONED = 4
    OTHER = 5


_CONFIDENCE = {
    Rank.ISSUED: 0.96,
    Rank.DATED: 0.93,
    Rank.LETTERHEAD: 0.9,
    Rank.ORDERED: 0.85,
    Rank.MENTIONED: 0.5,
}

_LABELS = (
    (
        Rank.OTHER,
        r"due date|delivery date|date of (?:birth|treatment)"
        r"|(?:geburts|liefer|leistungs|behandlungs)datum|geb\.|geboren(?: am)?|born"
        r"|fällig(?: am)?|due(?: by| on)?|bis(?: zum)?|by|until|to|ab(?: dem)?|seit dem|zum"
        r"|erstzulassung|eintritt|arrival|departure|anreise|abreise|beginnt am",
    ),
    (
        Rank.ISSUED,
        r"rechnungsdatum|invoice date|statement date|abrechnungsdatum|pay date|date of issue"
        r"|date of (?:this )?(?:notice|agreement|letter)|kontoauszug vom|ausstellungsdatum",
    ),
    (Rank.ORDERED, r"bestelldatum|order date|order placed"),
    (Rank.DATED, r"datum|date|dated"),
)
_LABEL = tuple(
    (rank, re.compile(rf"(?<!\w)(?P<label>{words})\s*:?\s*$", re.IGNORECASE))
    for rank, words in _LABELS
)
_NEAR = 200
"""Characters before a date in which its label is searched."""
_PLACE = re.compile(r"(?:^|\s{2,})(?P<label>[A-ZÄÖÜ][\w.-]+(?: [\w.-]+){0,3},\s*(?:den )?)$")


@dataclass(frozen=True, slots=True)
class DateInText:
    """A date as written in the text, with the words before it."""

    day: date
    quote: str
    rank: Rank


def find_date(text: str) -> Finding | None:
    """Return the date of the document; None if no date qualifies."""
    best = min(dates_in(text), key=lambda found: found.rank, default=None)
    if best is None or best.rank is Rank.OTHER:
        return None
    return Finding(best.day.isoformat(), best.quote, _CONFIDENCE[best.rank])


def dates_in(text: str) -> Iterator[DateInText]:
    """Yield every valid date in reading order."""
    for line in text.splitlines():
        for match in _DATE.finditer(line):
            if day := _day(match):
                yield _judged(line, match, day)


def _day(match: re.Match[str]) -> date | None:
    way = next(number for number in "1234" if match[f"y{number}"])
    year, month, day = (match[f"{part}{way}"] for part in "ymd")
    number = _MONTHS.get(month.lower()) or int(month)
    try:
        return date(int(year), number, int(day))
    except ValueError:
        return None


def _judged(line: str, match: re.Match[str], day: date) -> DateInText:
    for rank, label in _LABEL:
        if words := _search_before(match, label):
            return DateInText(day, line[words.start("label") : match.end()], rank)
    ends_line = not line[match.end() :].strip()
    if ends_line and not line[: match.start()].strip():
        return DateInText(day, match[0], Rank.LETTERHEAD)
    if ends_line and (place := _search_before(match, _PLACE)):
        return DateInText(day, line[place.start("label") : match.end()], Rank.LETTERHEAD)
    return DateInText(day, match[0], Rank.MENTIONED)


def find_labelled_date(text: str, label: str) -> Finding | None:
    """Return the first date right after one of the words."""
    pattern = re.compile(rf"(?<!\w)(?:{label})\s*:?\s*$", re.IGNORECASE)
    for line in text.splitlines():
        for match in _DATE.finditer(line):
            words = _search_before(match, pattern)
            if words and (day := _day(match)):
                return Finding(day.isoformat(), line[words.start() : match.end()], 0.9)
    return None


def _search_before(date_: re.Match[str], label: re.Pattern[str]) -> re.Match[str] | None:
    """Search for a label that ends where a date begins; a line may be a megabyte long."""
    return label.search(date_.string, max(0, date_.start() - _NEAR), date_.start())
