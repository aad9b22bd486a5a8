"""Find the days on which something is to be paid."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from core.text import fold
from processor.analysis.dates import find_dates
from processor.analysis.layout import Cell, in_column_of, rows_of

_AROUND = 200
"""Characters before and after a day that say whether it is due."""
_ENOUGH = 100_000
"""Characters that are searched: a megabyte would take seconds."""
# Folded: small letters, no accents. German, English, French, Dutch.
_LABEL = re.compile(
    r"(?:fallig(?:keit(?:en|sdatum|stag)?)?|zahlbar|zahlungs(?:ziel|frist|termin)|zahlen bis"
    r"|(?:payment )?due(?: date| by| on)?|pay(?:able)?(?: by| until| before)?|payment (?:by|date)"
    r"|pay by|(?:date d')?echeance|a (?:payer|regler)|verval(?:datum|dag)|betaaldatum"
    r"|(?:uiterlijk|uiterste) betal\w*|te betalen|einzug(?: am)?|abbuchung(?: am)?"
    r"|valuta|wertstellung(?: bei uns)?|\braten|instal+ments?|termijnen|mensualites|\w+ fois)"
    r"(?: (?:in|en|am|bis|zum|spatestens|by|on|before|avant|le|au|op|voor|uiterlijk|\w+ raten"
    r"|\w+ fois))*[\s:.]*$"
)
"""What precedes the day in a form, or in a column above it."""
_PAY = re.compile(
    r"zahl|uberweis|begleich|ausgleich|entricht|fallig|einzug|einzieh|eingezogen|buch(?:en|t)\b"
    r"|lastschrift|\bpay|payment|remit|settle|\bdue\b|balance|debit|reglement|regler|payer|virement"
    r"|prelev|betal|voldo|schrijven|geschreven|overmak|anzahlung|deposit|penalty"
    # The account must have the money.
    r"|\bgedeckt\b|sufficient funds|approvisionn|toereikend"
)
_BY = re.compile(
    r"\b(?:bis(?: spatestens)?|spatestens|zum|am|vor dem|by|before|on|than|until|avant|pour|tard|le"
    r"|uiterlijk|voor|op)(?: (?:zum|dem|den|am|the|le|op))?\s+$"
)
_DAYS_FROM_NOW = re.compile(
    r"\b(?:days|tagen?|jours|dagen)\b[^.]{0,40}\b(?:that is|i\.e\.|also|d\.h\.|soit|dus)[\s,]+$"
)
"""Thirty days from today, that is."""
_ACCOUNT = re.compile(r"sort code|\biban\b|\b[a-z]{2}\d{2}(?: ?[\da-z]{4}){3}")
"""An account to pay to."""
_DEBITED = re.compile(
    r"[^.\d]{0,60}\b(?:abgebucht|eingezogen|fallig|debited|collected|due|preleve|afgeschreven)\b"
)
_NOT_DUE = re.compile(
    r"paid|bezahlt|gezahlt|versee?\b|payee?\b|betaald|ontvangen|received|erhalten|berucksichtigt"
    r"|zahlungseingang|eingegangen|return|ruckgabe|umtausch|kundig|resili|opzeg|gultig|valid\b"
    r"|leistung\b|delivered|geliefert|lieferung|war am|ruckwirkend"
    # Paid by the sender, or already.
    r"|guthaben|erstatt|refund|rembours|terugbet|(?:zahlen|uberweisen) wir"
    r"|wir (?:zahlen|uberweisen)|gehalt|\blohn|salar|wages|verrechn|zuletzt"
    r"|(?:per karte|by card|par carte|met pin)(?: (?:am|on|le|op))?\s+$"
    # Something else ends or begins then.
    r"|befreit|exempt|exoner|suspend|gesperrt|cancel|expire|verfall|erlischt|gebor|\bborn\b"
    r"|(?:month|monat|mois|maand)e?[sn]? (?:until|till|bis|jusqu\S*|tot)\b"
    # A period: 1 January to.
    r"|(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})?|\b(?:19|20)\d\d)"
    r" (?:bis|to|until|au|tot|t/m)(?: (?:zum|the))?\s+$"
)
_OTHER_THAN_MONEY = re.compile(
    r"check-? ?up|appointment|inspection|vaccin|untersuchung|impf|wartung|\bcontrole|keuring|visite"
)
"""Of what is due, not to be paid."""
_WITH_DISCOUNT = re.compile(r"[^.\d]{0,20}\d? ?%? ?(?:skonto|discount|escompte|korting)")
_CLAUSE_END = re.compile(r"[,;]| (?:und|and|et|en) ")
"""What follows is about something else: pay by Monday and return the slip."""
_MISREAD = re.compile(r"(?<=[a-z])[01](?=[a-z])")
"""A digit that text recognition took for a letter: zah1bar."""
_GOES_ON = re.compile(r"[^\W\d_A-Z]$|,$")
"""The end of a line within a sentence."""
_LINE = 50
"""Minimum characters of a line of text that goes on in the next."""
_SENTENCE_END = re.compile(r"(?<=[a-zäöüß)\d]{2})(?:; |[.!?] (?=[A-ZÄÖÜÉÈÀ]))")


def find_due_dates(text: str) -> Iterator[tuple[date, Sequence[Cell]]]:
    """Yield every day on which the text says that something is due, with its row."""
    rows = rows_of(text[:_ENOUGH])
    for above, row, below in zip([[], *rows], rows, [*rows[1:], []], strict=False):
        for number, cell in enumerate(row):
            if any(map(str.isdigit, cell.text)):
                yield from ((day, row) for day in _find_in_cell(row, number, above, below))


def _find_in_cell(
    row: Sequence[Cell], number: int, above: Sequence[Cell], below: Sequence[Cell]
) -> Iterator[date]:
    left = fold(row[number - 1].text) if number else ""
    over = in_column_of(row[number], above)
    headings = (left, fold(over.text) if over else "")
    sentences = [fold(sentence) for sentence in _SENTENCE_END.split(row[number].text)]
    begun = fold(_SENTENCE_END.split(above[0].text)[-1]) if _goes_on(above) else ""
    rest = fold(_SENTENCE_END.split(below[0].text)[0]) if below and _goes_on(row) else ""
    for position, sentence in enumerate(sentences):
        for found in find_dates(sentence):
            before = sentence[max(0, found.start - _AROUND) : found.start]
            after = sentence[found.end : found.end + _AROUND]
            labels = (before,) if before.strip() else headings
            if _WITH_DISCOUNT.match(after):
                continue
            if position == 0 and begun:
                before = f"{begun} {before}"[-_AROUND:]
            if position == len(sentences) - 1 and rest:
                after = f"{after} {rest}"[:_AROUND]
            is_labelled = any(map(_LABEL.search, labels)) and not _OTHER_THAN_MONEY.search(before)
            if is_labelled or _is_deadline(before, after, left):
                yield found.day


def _goes_on(row: Sequence[Cell]) -> bool:
    """Return whether a row is a line of a sentence that goes on in the next line."""
    is_text = len(row) == 1 and len(row[0].text) >= _LINE
    return is_text and _GOES_ON.search(row[0].text) is not None


def _is_deadline(before: str, after: str, left: str) -> bool:
    before, after, left = (_MISREAD.sub(_to_letter, part) for part in (before, after, left))
    clause = _CLAUSE_END.split(after, maxsplit=1)[0]
    if _NOT_DUE.search(before) or _NOT_DUE.search(clause) or _OTHER_THAN_MONEY.search(before):
        return False
    if _DEBITED.match(after) or (_DAYS_FROM_NOW.search(before) and _ACCOUNT.search(after)):
        return True
    return bool(_BY.search(before) and _PAY.search(f"{left} {before} {clause}"))


def _to_letter(match: re.Match[str]) -> str:
    return "l" if match[0] == "1" else "o"
