"""Determine the role of each date in a text by the label beside or above it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from enum import StrEnum
from itertools import islice

from core.text import fold
from processor.analysis.dates import find_dates
from processor.analysis.layout import Cell, in_column_of, rows_of


class DateRole(StrEnum):
    """What a date stands for, by its label."""

    ISSUED = "issued"
    """The day on which the document was written."""
    ALONE = "alone"
    """On a line of its own, as in a letterhead."""
    BIRTH = "birth"
    OTHER = "other"
    """A day on which something is due, was delivered, begins or ends."""
    UNKNOWN = "unknown"


# Folded: small letters, no accents. German, English, French, Dutch.
_BIRTH = (
    r"geb(?:oren(?:e[rs]?)?)?",
    r"geburts(?:datum|tag)",
    r"(?:date of )?birth(?:day| ?date)?",
    r"d\.?o\.?b",
    r"born",
    r"nee? ?(?:\(e\))?",
    r"date de naissance",
    r"geboortedatum|geboortedag",
)
_OTHER = (
    # due
    r"fallig(?:keit(?:sdatum)?)?|zahlbar|zahlungs(?:ziel|frist|termin|datum)|spatestens|bis|binnen",
    r"(?:payment )?due(?: date)?|payable|payment date|pay by|by|before|until|till|no later than",
    r"(?:date d')?echeance|a (?:payer|regler)|payable|avant|jusqu'?au|au plus tard",
    r"verval(?:datum|dag)|(?:uiterste )?betaaldatum|te betalen|uiterlijk|voor",
    # delivered, served
    r"(?:liefer|versand|leistungs|behandlungs|ausfuhrungs|bestell|auftrags|eingangs|buchungs)datum",
    r"liefer(?:ung|termin|tag)|leistung|(?:\w*(?:leistungs|abrechnungs|liefer|vertrags))?zeitraum",
    r"datum der (?:lieferung|leistung|behandlung|bestellung)|lieferung oder leistung",
    r"(?:estimated )?(?:delivery|shipping|dispatch|service|treatment|order|due|travel)(?: date)?",
    r"date of (?:delivery|supply|service|treatment|travel|order|dispatch)|delivered|shipped",
    r"(?:\w+ )?period(?: of cover)?",
    r"(?:date de )?(?:livraison|prestation|commande|la prestation|la livraison)|livree?|periode",
    r"(?:lever(?:ings)?|bestel|uitvoerings|verzend)datum|geleverd|leverings?periode",
    # begins, ends
    r"(?:\w*(?:vertrags|versicherungs|miet|laufzeit))?(?:beginn|ende)|erstzulassung|eintritt",
    r"gultig(?: (?:ab|bis))?|laufzeit|ab|seit|anreise|abreise|von",
    r"valid(?: (?:from|until|to))?|(?:start|end|expiry|renewal) ?date|expires|from|to|since",
    r"arrival|departure|check-? ?(?:in|out)",
    r"valable|du|au|a partir|depuis|debut|fin|arrivee|depart",
    r"geldig(?: (?:van|tot))?|ingangsdatum|einddatum|vanaf|tot|t/m|sinds|aankomst|vertrek",
)
_ISSUED = (
    r"(?:rechnungs|ausstellungs|beleg|brief|bescheid|abrechnungs|erstellungs|erstell|auszugs|druck)"
    r"datum",
    r"datum(?: (?:der|des) (?:rechnung|belegs|bescheids|schreibens|ausstellung))?",
    r"(?:ausgestellt|erstellt)|(?:konto)?auszug",
    r"date|dated|issued|(?:invoice|issue|bill|billing|statement|letter|document|pay) date",
    r"date of (?:the |this )?(?:invoice|issue|bill|statement|letter|notice|agreement|document)",
    r"date (?:de (?:la )?facture|de facturation|d'emission|du (?:document|courrier|releve))",
    r"(?:emise?|etablie?|faite?)|facture(?: n\S* \S+)? du",
    r"factuurdatum|datum (?:factuur|brief|document|van uitgifte)",
    r"dagtekening|opgemaakt|opgesteld",
)
_BETWEEN = (
    r"(?:\s*\([^)]*\))?[\s:.=*\x22]*(?:(?:am|vom|zum|dem|den|der|le|du|op|on|the|is|ist|d\.)\s+)*"
)


def _ends_with(labels: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{'|'.join(labels)}){_BETWEEN}$")


_LABELS = (
    # "Due date" also ends with "date", so the more specific roles come first.
    (DateRole.BIRTH, _ends_with(_BIRTH)),
    (DateRole.OTHER, _ends_with(_OTHER)),
    (DateRole.ISSUED, _ends_with(_ISSUED)),
)
_HYPHEN_IN_COMPOUND = re.compile(r"(?<=[^\W\d_]) ?- ?(?=(?:datum|date|tag|termin)\b)")
"""Bestell-Datum is one word, and not the date of the document."""
_NEAR = 60
"""Characters before and after a date in which a label is searched."""
_MOST_DATES = 1000
"""Limits the work for a text that consists of dates only."""
_A_SPAN = r"(?:bis|to|until|till|through|au|tot(?: en met)?|t/m|-)"
_SPAN_GOES_ON = re.compile(rf"\.?,? ?{_A_SPAN} ?(?:zum |dem |den |the |le )?\d")
_SPAN_CAME_BEFORE = re.compile(r"\d\.? ?-\s*$")
_IS_PAID_THEN = re.compile(
    r"[^.\d]{0,60}\b(?:abgebucht|eingezogen|fallig|debited|collected|due|preleve|afgeschreven)\b"
)
_PLACE = re.compile(r"(?:[a-z][\w.'/-]*)(?: [\w.'/()-]+){0,5}, ?(?:den |le |am |d\. )?$")
"""Hamburg, den; Paris, le."""
_NEXT = (_SPAN_GOES_ON, _IS_PAID_THEN)


def dates_with_roles(text: str) -> Iterator[tuple[date, DateRole]]:
    """Yield every date that is on one line of `text`, with its role; at most 1,000."""
    return islice(_find_all(text), _MOST_DATES)


def _find_all(text: str) -> Iterator[tuple[date, DateRole]]:
    above: Sequence[Cell] = ()
    for row in rows_of(text):
        for number, cell in enumerate(row):
            folded = fold(cell.text) if any(map(str.isdigit, cell.text)) else ""
            for found in find_dates(folded):
                before = folded[max(0, found.start - _NEAR) : found.start]
                after = folded[found.end : found.end + _NEAR]
                role = _find_role(before, after, _find_labels(before, row, number, above))
                alone = len(row) == 1 and not before + after and role is DateRole.UNKNOWN
                yield found.day, DateRole.ALONE if alone else role
        above = row


def _find_labels(
    before: str, row: Sequence[Cell], number: int, above: Sequence[Cell]
) -> Iterator[str]:
    """Yield the texts that may end with the label of a date, the nearest first."""
    yield before
    if len(row) == 1 and len(row[0].text) < _NEAR:
        yield _word_above(before, row[0], above)
    if before.strip():
        return
    yield row[number - 1].text[-_NEAR:] if number else ""
    over = in_column_of(row[number], above)
    yield over.text[-_NEAR:] if over else ""


def _word_above(before: str, cell: Cell, above: Sequence[Cell]) -> str:
    """Return the word at the same position of the line above, if columns lost their gaps."""
    heads, values = " ".join(over.text for over in above).split(), cell.text.split()
    return heads[before.count(" ")] if len(heads) == len(values) else ""


def _find_role(before: str, after: str, labels: Iterable[str]) -> DateRole:
    if any(pattern.match(after) for pattern in _NEXT) or _SPAN_CAME_BEFORE.search(before):
        return DateRole.OTHER
    for label in labels:
        whole = _HYPHEN_IN_COMPOUND.sub("", fold(label)) + " "
        for role, pattern in _LABELS:
            if pattern.search(whole):
                return role
    return DateRole.ISSUED if not after and _PLACE.fullmatch(before) else DateRole.UNKNOWN
