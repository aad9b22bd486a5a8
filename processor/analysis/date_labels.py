"""Determine the role of each date in a text by the label beside or above it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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
    MENTIONED = "mentioned"
    """In a sentence, without a label."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LabelledDate:
    """A date, its role, and the line in which it stands."""

    day: date
    role: DateRole
    row: Sequence[Cell]


# Folded: small letters, no accents. German, English, French, Dutch.
_BIRTH = (
    r"geb(?:oren(?:e[rs]?)?)?",
    r"geburts(?:datum|tag)",
    r"(?:date of )?birth(?:day| ?date)?",
    r"d\.?o\.?b",
    r"born(?: (?:after|before|on))?",
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
    r"abgebucht|eingezogen|einzug|lastschrift|a?fgeschreven|preleve|debited|nicht vor dem",
    r"(?:not|on or) before|after|nach|apres|na|within|innerhalb|that is(?: by)?|also bis|pour le",
    # delivered, served
    r"(?:liefer|versand|leistungs|behandlungs|ausfuhrungs|bestell|auftrags|eingangs|buchungs)datum",
    r"liefer(?:ung|termin|tag)|leistung|(?:\w*(?:leistungs|abrechnungs|liefer|vertrags))?zeitraum",
    r"datum der (?:lieferung|leistung|behandlung|bestellung)|lieferung oder leistung",
    r"(?:estimated )?(?:delivery|shipping|dispatch|service|treatment|order|due|travel)(?: date)?",
    r"date of (?:delivery|supply|service|treatment|travel|order|dispatch)|delivered|shipped",
    r"(?:\w+ )?period(?: of cover)?",
    r"(?:date de )?(?:livraison|prestation|commande|la prestation|la livraison)|livree?|periode",
    r"(?:lever(?:ings)?|bestel|uitvoerings|verzend)datum|geleverd|leverings?periode",
    r"ausgefuhrt|durchgefuhrt|erbracht|uitgevoerd|executee?|realisee?|pose|arrived|left|sent",
    r"posted|dispatched|observed|expected(?: between)?|between|zwischen|entre|tussen",
    r"collected|versendet",
    r"(?:ein(?:ge)?gang(?:en)?|received|erhalten|recue?|ontvangen)(?: (?:on|am|le|op))?",
    r"original date|effective(?: (?:as of|from|date|on))?|as of|as at|mit wirkung|in kraft",
    r"acceptee?|versee?|payee?|paid|bezahlt|gezahlt|betaald|acompte|geprufte?|examined|zuletzt",
    r"(?:fassung|satzung|bedingungen|bestimmungen|bepalingen|version)(?: (?:vom|of|van|du))?",
    r"solde|saldo|kontostand|balance(?: (?:on|at|as of))?|opens?(?: on)?",
    r"subject:.*|betreff:.*|re:.*",
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
    r"date|dated|issued|purchased",
    r"(?:invoice|issue|bill|billing|statement|letter|document|pay) date",
    r"date of (?:the |this )?(?:invoice|issue|bill|statement|letter|notice|agreement|document)",
    r"date (?:de (?:la )?facture|de facturation|d'emission|du (?:document|courrier|releve))",
    r"(?:emise?|etablie?|faite?)|facture(?: n\S* \S+)? du",
    r"factuurdatum|datum (?:factuur|brief|document|van uitgifte)",
    r"dagtekening|opgemaakt|opgesteld",
)
_DAY_OF_WEEK = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? |(?:\w+tag|mittwoch|sonnabend),? )?"
)
_WEEKDAY = re.compile(rf"\s*{_DAY_OF_WEEK}\s*")
_BETWEEN = (
    r"(?:\s*\([^)]*\))?[\s:.=*\x22]*"
    rf"{_DAY_OF_WEEK}"
    r"(?:(?:am|vom|zum|dem|den|der|le|du|op|on|the|is|ist|d\.)\s+)*"
)


def _ends_with(labels: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{'|'.join(labels)}){_BETWEEN}$")


_STATEMENT = (
    r"(?:releve(?: de compte)?|situation|kontoauszug|auszug|statement)(?: au| per| as at)",
)
_COMPOUND = (r"\w{3,}(?:datum|termin|tag)", r"\w{3,} date")
"""Any other compound is the date of something else: Lieferscheindatum."""
_REFERS = re.compile(
    r"(?:\b(?:zu|zur|zum|unser(?:er|e|em)?|ihr(?:er|e|em)?|laut|lt|gemass|auf|your|our|to|votre|notre"
    r"|uw|onze)\b.{0,40}?)\b(?:vom|of|du|van|dated|from)\s+$"
)
"""The date of another document: zu unserer Rechnung 4711 vom."""
_KIND_DATED = re.compile(
    r"(?:\w*rechnung|\w*bescheid|gutschrift|mahnung|quittung|\w*auszug|invoice|receipt|statement"
    r"|facture|avoir|factuur|nota)(?: (?:nr|no|n°?|num|nummer)?\.? ?[\w/.-]*\d[\w/.-]*)?,?"
    r" (?:vom|of|du|van|dated)\s+"
)
"""The document names itself: Rechnung Nr. 4711 vom."""

_LABELS = (
    (DateRole.ISSUED, _ends_with(_STATEMENT)),
    # "Due date" also ends with "date", so the more specific roles come first.
    (DateRole.BIRTH, _ends_with(_BIRTH)),
    (DateRole.OTHER, _ends_with(_OTHER)),
    (DateRole.ISSUED, _ends_with(_ISSUED)),
    (DateRole.OTHER, _ends_with(_COMPOUND)),
)
_HYPHEN_IN_COMPOUND = re.compile(r"(?<=[^\W\d_]) ?- ?(?=(?:datum|date|tag|termin)\b)")
"""Bestell-Datum is one word, and not the date of the document."""
_NEAR = 60
"""Characters before and after a date in which a label is searched."""
_UNLABELLED = frozenset({DateRole.UNKNOWN, DateRole.MENTIONED})
_BEGINNING = 3000
_REFERS_TO_AN_INVOICE = re.compile(
    r"mahnung|zahlungserinnerung|gutschrift|payment rem|\breminder\b|overdue|credit note|rappel"
    r"|\bavoir\b|herinnering|aanmaning|creditnota"
)
"""In such a document, the date of an invoice is not its own."""
# fmt: off
_IN_TOWNS = frozenset({
    "a", "aan", "am", "an", "auf", "bei", "d", "de", "den", "der", "des", "du", "en", "i", "im",
    "in", "la", "le", "les", "ob", "op", "sous", "sur", "the", "u", "under", "upon", "v", "vor",
})
# fmt: on
_TIME = re.compile(r"\b\d{1,2}:\d{2}\b")
_PRICE = re.compile(r"\d[.,]\d{2}(?!\d)\D*$")
_MOST_DATES = 1000
_WORDS = re.compile(r"[^\W\d_]{2,}")
_SENTENCE = 5
"""Minimum words around a date in a sentence."""
"""Limits the work for a text that consists of dates only."""
_A_SPAN = r"(?:bis|to|until|till|through|au|tot(?: en met)?|t/m|-)"
_SPAN_GOES_ON = re.compile(rf"\.?,? ?{_A_SPAN} ?(?:zum |dem |den |the |le )?\d")
_SPAN_CAME_BEFORE = re.compile(
    r"(?<![\w-])(?:\d{1,2}[./]\d{0,2}[./]?(?:\d{2,4})?|(?:19|20)\d\d) ?-\s*$"
    r"|\b(?:between|zwischen|entre|tussen)\b.{0,30}\b(?:and|und|et|en)\s+$"
)
_IS_PAID_THEN = re.compile(
    r"[^.\d]{0,60}\b(?:abgebucht|eingezogen|fallig|debited|collected|due|preleve|afgeschreven)\b"
)
_PLACE = re.compile(r"(?:[a-z][\w.'/-]*)(?: [\w.'/()-]+){0,5}, ?(?:den |le |am |d\. )?$")
"""Hamburg, den; Paris, le."""
_NEXT = (_SPAN_GOES_ON, _IS_PAID_THEN)


def find_labelled_dates(text: str) -> Iterator[LabelledDate]:
    """Yield every date that is on one line of `text`, with its role; at most 1,000."""
    return islice(_find_all(text), _MOST_DATES)


def _find_all(text: str) -> Iterator[LabelledDate]:
    above: Sequence[Cell] = ()
    refers = _REFERS_TO_AN_INVOICE.search(fold(text[:_BEGINNING])) is not None
    for row in rows_of(text):
        for number, cell in enumerate(row):
            folded = fold(cell.text) if any(map(str.isdigit, cell.text)) else ""
            is_entry = number == 0 and _is_entry(row)
            for found in find_dates(folded):
                before = folded[max(0, found.start - _NEAR) : found.start]
                after = folded[found.end : found.end + _NEAR]
                role = _find_role(before, after, _find_labels(before, row, number, above))
                is_dated = _KIND_DATED.fullmatch(before) is not None
                if (is_entry and not before) or (refers and is_dated):
                    role = DateRole.OTHER
                elif role in _UNLABELLED and not after and _is_place(before, cell.text):
                    role = DateRole.ISSUED
                alone = len(row) == 1 and not before + after and role is DateRole.UNKNOWN
                yield LabelledDate(found.day, DateRole.ALONE if alone else role, row)
        above = row


def _find_labels(
    before: str, row: Sequence[Cell], number: int, above: Sequence[Cell]
) -> Iterator[str]:
    """Yield the texts that may end with the label of a date, the nearest first."""
    yield before
    if len(row) == 1 and len(row[0].text) < _NEAR:
        yield _word_above(before, row[0], above)
    if not _WEEKDAY.fullmatch(before):
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
    if _REFERS.search(before):
        return DateRole.OTHER
    if _KIND_DATED.fullmatch(before):
        return DateRole.ISSUED
    for label in labels:
        whole = _HYPHEN_IN_COMPOUND.sub("", fold(label)) + " "
        for role, pattern in _LABELS:
            if pattern.search(whole):
                return role
    in_sentence = len(_WORDS.findall(f"{before} {after}")) >= _SENTENCE
    return DateRole.MENTIONED if in_sentence else DateRole.UNKNOWN


def _is_place(before: str, text: str) -> bool:
    """Return whether the text before a date is the name of a town: capitals and small words."""
    if not _PLACE.fullmatch(before):
        return False
    words = re.findall(r"[^\W\d_]+", re.split(r"\d", text)[0])
    return all(word[0].isupper() or word in _IN_TOWNS for word in words)


def _is_entry(row: Sequence[Cell]) -> bool:
    """Return whether a row is an entry of a list: a date, then words, an amount or a time."""
    later = [cell.text for cell in row[1:]]
    has_words = any(_WORDS.search(text) for text in later)
    timed = any(_TIME.search(text) and _WORDS.search(text) for text in later)
    return has_words and (timed or bool(later and _PRICE.search(later[-1])))
