"""Ways in which a bad model spoils a reading: obey the document, or invent values."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from sandbox.model.finding import Finding, Reading
from sandbox.model.question import Question

_ORDER = re.compile(
    r"(?:ignore|disregard) (?:all )?(?:previous|prior|other) instructions"
    r"|ignorier\w* (?:alle )?(?:vorherigen|bisherigen|anderen) Anweisungen",
    re.IGNORECASE,
)
_SET = re.compile(
    r"(?:set the|setzen? (?:Sie )?(?:den|die|das))\s+(?P<field>[A-Za-zü]+(?: type| path)?)\s+"
    r'(?:to|auf)\s+(?:"(?P<quoted>[^"\n]+)"|(?P<bare>[^".\n]+))',
    re.IGNORECASE,
)
_FIELD_WORDS = {
    "title": "title",
    "titel": "title",
    "correspondent": "correspondent",
    "korrespondenten": "correspondent",
    "document type": "document_type",
    "dokumenttyp": "document_type",
    "date": "date",
    "datum": "date",
    "tag": "tags",
    "tags": "tags",
    "storage path": "storage_path",
    "speicherpfad": "storage_path",
}

_FALSE_FIRM = "Meridian Handelskontor GmbH"
_FALSE_KIND = "Gutachten"
_FALSE_TAG = "Denkmalpflege"
_FALSE_PATH = "Geheimarchiv"
_FALSE_DAY = Finding("2019-02-03", "Datum: 03.02.2019", 0.97)
_FALSE_CUSTOM = {
    "text": Finding("MH-2019-0203", "Rechnungsnummer: MH-2019-0203", 0.95),
    "a date": _FALSE_DAY,
    "an amount of money": Finding("EUR 4711.00", "Rechnungsbetrag 4.711,00 EUR", 0.96),
}
"""By how the question about a custom field begins."""


def obey(reading: Reading, text: str) -> Reading:
    """Follow instructions in the document, as a gullible model does."""
    order = _ORDER.search(text)
    if order is None:
        return reading
    for match in _SET.finditer(text, order.end()):
        if field := _FIELD_WORDS.get(match["field"].lower()):
            value = (match["quoted"] or match["bare"]).strip()
            reading = _with(reading, field, Finding(value, match[0], 0.99))
    return reading


def invent(reading: Reading, question: Question, share: float) -> Reading:
    """Invent about `share` of the fields: plausible, wrong, with quotes that are not in the text.

    The same field of the same document always gets the same treatment.
    """
    text = question.text or ""
    for field in question.fields:
        if _lot(field, text) < share:
            lie = _lie(field, question)
            reading = _with(reading, field, replace(lie, evidence=_absent(lie.evidence, text)))
    return replace(reading, custom={**reading.custom, **_invent_custom(question, share)})


def _invent_custom(question: Question, share: float) -> dict[str, Finding]:
    """Make up values of custom fields; other types than these are answered honestly."""
    text = question.text or ""
    return {
        asked.key: replace(lie, evidence=_absent(lie.evidence, text))
        for asked in question.custom
        for kind, lie in _FALSE_CUSTOM.items()
        if asked.wanted.startswith(kind) and _lot(asked.name, text) < share
    }


def _with(reading: Reading, field: str, finding: Finding) -> Reading:
    match field:
        case "title":
            return replace(reading, title=finding)
        case "correspondent":
            return replace(reading, correspondent=finding)
        case "document_type":
            return replace(reading, document_type=finding)
        case "date":
            return replace(reading, date=finding)
        case "storage_path":
            return replace(reading, storage_path=finding)
        case _:
            return replace(reading, tags=(finding,))


def _lot(field: str, text: str) -> float:
    """Return a number from 0 to 1 that depends only on the document and the field."""
    digest = hashlib.sha256(f"{field}\n{text}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 256**6


def _lie(field: str, question: Question) -> Finding:
    text = question.text or ""
    match field:
        case "title":
            return Finding(
                "Gutachten Wintergarten Februar 2019", "Gutachten zum Wintergarten", 0.95
            )
        case "correspondent":
            name = _not_in(text, question.names.get("correspondent", ()), _FALSE_FIRM)
            return Finding(name, f"{name}, Abteilung Kundendienst", 0.97)
        case "document_type":
            name = _not_in(text, question.names.get("document_type", ()), _FALSE_KIND)
            return Finding(name, f"{name} in zweiter Ausfertigung", 0.93)
        case "tags":
            name = _not_in(text, question.names.get("tag", ()), _FALSE_TAG)
            return Finding(name, f"betrifft: {name} (Sondervorgang)", 0.9)
        case "storage_path":
            name = _not_in(text, question.names.get("storage_path", ()), _FALSE_PATH)
            return Finding(name, f"abzulegen unter {name}", 0.92)
        case _:
            return _FALSE_DAY


def _not_in(text: str, names: Sequence[str], otherwise: str) -> str:
    small = text.casefold()
    return next((name for name in names if name.casefold() not in small), otherwise)


def _absent(quote: str, text: str) -> str:
    """Return the quote, extended until the text does not contain it."""
    while quote in text:
        quote += " (Abschrift)"
    return quote
