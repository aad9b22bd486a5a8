"""Build a title: the subject line, else the heading, else type, sender and month."""

import re
from datetime import date

from sandbox.model.finding import Finding
from sandbox.model.senders import without_legal_form
from sandbox.model.subjects import Heading
from sandbox.model.text import Language

_SUBJECT = re.compile(
    r"^[^\S\n]*(?P<line>(?:Betreff|Betr\.|Re|Subject):\s*(?P<subject>\S.*?))\s*$", re.MULTILINE
)
_POLITE = re.compile(r"^(?:Ihre?|Your)\s+(?:neuer?\s+)?")
_TELLING = re.compile(r"[A-Za-zÄÖÜäöüß]{5,}|\b20\d\d\b")
"""Words that a heading needs besides the document type to be a title."""
_NUMBERED = re.compile(r"\b(?:Nr|No|no|Nummer|number)\b|\d{4,}[/-]\d|\d[/-]\d{4}|:\s")
_MAX_LENGTH = 80
_MONTHS = {
    Language.GERMAN: "Januar Februar März April Mai Juni Juli August September Oktober November "
    "Dezember",
    Language.ENGLISH: "January February March April May June July August September October "
    "November December",
}


def find_title(
    text: str, heading: Heading | None, sender: Finding | None, day: date | None, language: Language
) -> Finding | None:
    if subject := _SUBJECT.search(text):
        return Finding(_POLITE.sub("", subject["subject"])[:_MAX_LENGTH], subject["line"], 0.9)
    if heading is None:
        return None if sender is None else _built("", sender.evidence, sender, day, language)
    if _speaks_for_itself(heading):
        return Finding(_POLITE.sub("", heading.line), heading.line, 0.85)
    return _built(heading.words, heading.line, sender, day, language)


def _speaks_for_itself(heading: Heading) -> bool:
    beside = heading.line.replace(heading.words, "")
    return bool(_TELLING.search(beside)) and not _NUMBERED.search(heading.line)


def _built(
    words: str, quote: str, sender: Finding | None, day: date | None, language: Language
) -> Finding:
    kind = _written(words)
    name = without_legal_form(sender.value) if sender else ""
    month = f"{_MONTHS[language].split()[day.month - 1]} {day.year}" if day else ""
    return Finding(" ".join(filter(None, (kind, name, month)))[:_MAX_LENGTH], quote, 0.75)


def _written(words: str) -> str:
    """Return a heading in normal case and without letter-spacing."""
    if re.fullmatch(r"(?:\w )+\w", words):
        words = words.replace(" ", "")
    return words.capitalize() if words.isupper() or words.islower() else words
