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
    r"|valuta|wertstellung(?: bei uns)?)"
    r"(?: (?:in|en|am|bis|zum|spatestens|by|on|before|avant|le|au|op|voor|uiterlijk|\w+ raten"
    r"|\w+ fois))*[\s:.]*$"
)
"""What precedes the day in a form, or in a column above it."""
_PAY = re.compile(
    r"zahl|uberweis|begleich|ausgleich|entricht|fallig|einzug|einzieh|eingezogen|buch(?:en|t)\b"
    r"|lastschrift|\bpay|payment|remit|settle|\bdue\b|balance|debit|reglement|regler|payer|virement"
    r"|prelev|betal|voldo|schrijven|geschreven|overmak|anzahlung|deposit|penalty"
)
_BY = re.compile(
    r"\b(?:bis(?: spatestens)?|spatestens|zum|am|vor dem|by|before|on|than|until|avant|pour|tard|le"
    r"|uiterlijk|voor|op)(?: (?:zum|dem|den|am|the|le|op))?\s+$"
)
_DEBITED = re.compile(
    r"[^.\d]{0,60}\b(?:abgebucht|eingezogen|fallig|debited|collected|due|preleve|afgeschreven)\b"
)
_NOT_DUE = re.compile(
    r"paid|bezahlt|gezahlt|versee?\b|payee?\b|betaald|ontvangen|received|erhalten|berucksichtigt"
    r"|zahlungseingang|eingegangen|return|ruckgabe|umtausch|kundig|resili|opzeg|gultig|valid\b"
    r"|leistung\b|delivered|geliefert|lieferung|war am|ruckwirkend"
)
_WITH_DISCOUNT = re.compile(r"[^.\d]{0,20}\d? ?%? ?(?:skonto|discount|escompte|korting)")
_SENTENCE_END = re.compile(r"(?<=[a-zäöüß)\d]{2})[.;!?] (?=[A-ZÄÖÜÉÈÀ])")


def find_due_dates(text: str) -> Iterator[date]:
    """Yield every day on which the text says that something is due."""
    above: Sequence[Cell] = ()
    for row in rows_of(text[:_ENOUGH]):
        for number, cell in enumerate(row):
            if any(map(str.isdigit, cell.text)):
                yield from _find_in_cell(row, number, above)
        above = row


def _find_in_cell(row: Sequence[Cell], number: int, above: Sequence[Cell]) -> Iterator[date]:
    left = fold(row[number - 1].text) if number else ""
    over = in_column_of(row[number], above)
    headings = (left, fold(over.text) if over else "")
    for sentence in map(fold, _SENTENCE_END.split(row[number].text)):
        for found in find_dates(sentence):
            before = sentence[max(0, found.start - _AROUND) : found.start]
            after = sentence[found.end : found.end + _AROUND]
            labels = (before,) if before.strip() else headings
            if _WITH_DISCOUNT.match(after):
                continue
            if any(map(_LABEL.search, labels)) or _is_deadline(before, after, left):
                yield found.day


def _is_deadline(before: str, after: str, left: str) -> bool:
    if _NOT_DUE.search(f"{before} {after}"):
        return False
    pays = _PAY.search(f"{left} {before} {after}")
    return bool(_DEBITED.match(after) or (pays and _BY.search(before)))
