"""Find the sender of a document: an offered name, else the letterhead."""

import re
from collections.abc import Iterable, Sequence

from sandbox.model.finding import Finding
from sandbox.model.text import columns_of, lines_of

_HEAD = 6
"""Number of lines at the top that may contain the sender."""

_LEGAL_FORM = (
    r"GmbH(?: & Co\. KG)?|AG|eG|KG|OHG|UG|e\.K\.|e\.V\.|Ltd\.?|plc|PLC|LTD|Inc\.?|LLC|B\.V\.|AS"
)
_WITH_LEGAL_FORM = re.compile(rf"[^,|·]*?\S (?:{_LEGAL_FORM})(?!\w)")
_LEGAL_END = re.compile(rf"\s+(?:{_LEGAL_FORM})$")
_SENDER_LINE = re.compile(r"(?P<name>[^,|·]{4,60}?)\s*[,|·]\s*[^,|·]+?\d+\w?\s*[,|·]\s*\d{5}\s")
_AT_THE_BANK = re.compile(r"\b(?:IBAN|BIC|Bankverbindung|Konto|abgebucht|account)\b", re.IGNORECASE)


def find_sender(text: str, offered: Sequence[str]) -> Finding | None:
    lines = lines_of(text)
    head = [line for line in lines[:_HEAD] if not _AT_THE_BANK.search(line)]
    rest = [line for line in lines[_HEAD:] if not _AT_THE_BANK.search(line)]
    return (
        _offered_name(head, offered, confidence=0.95)
        or _sender_line(head)
        or _firm(head)
        or _offered_name(rest, offered, confidence=0.6)
        or _first_line(head)
    )


def without_legal_form(name: str) -> str:
    return _LEGAL_END.sub("", name)


def _offered_name(
    lines: Iterable[str], offered: Sequence[str], confidence: float
) -> Finding | None:
    """Return the longest offered name in the first line that has one."""
    by_length = sorted(offered, key=len, reverse=True)
    patterns = [(name, _name_pattern(name)) for name in by_length]
    for line in lines:
        for name, pattern in patterns:
            if match := pattern.search(line):
                return Finding(name, match[0], confidence)
    return None


def _name_pattern(name: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in without_legal_form(name).split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _sender_line(head: Iterable[str]) -> Finding | None:
    """Parse the small line above an address: name, street, town."""
    for line in head:
        if match := _SENDER_LINE.match(line):
            return Finding(match["name"], match["name"], 0.8)
    return None


def _firm(head: Iterable[str]) -> Finding | None:
    for line in head:
        if match := _WITH_LEGAL_FORM.match(line):
            return Finding(_in_small_letters(match[0]), match[0], 0.75)
    return None


def _first_line(head: Sequence[str]) -> Finding | None:
    if not head:
        return None
    first = next(columns_of(head[0]))
    return Finding(_in_small_letters(first), first, 0.35)


def _in_small_letters(name: str) -> str:
    """Return a name in capitals in normal case; legal forms stay as they are."""
    if not name.isupper():
        return name
    form = _LEGAL_END.search(name)
    return without_legal_form(name).title() + (form[0] if form else "")
