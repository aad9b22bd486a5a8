"""Find the value of a custom field by the label beside it in the text."""

import json
import re
from collections.abc import Callable, Iterator

from sandbox.model.dates import find_labelled_date
from sandbox.model.finding import Finding
from sandbox.model.question import CustomQuestion
from sandbox.model.text import columns_of

_SURE, _LIKELY = 0.92, 0.7
_AMOUNT = re.compile(
    r"(?:(?P<before>EUR|GBP|USD|NOK|€|£)\s*)?"
    r"(?P<number>\d{1,3}(?:[., ]\d{3})*[.,]\d{2})(?![\d.,])"
    r"(?:\s*(?P<after>EUR|GBP|USD|NOK|€|£))?"
)
_CURRENCY = re.compile(r"(?<![A-Z])(?:EUR|GBP|USD|NOK)(?![A-Z])|€|£")
_SIGNS = {"€": "EUR", "£": "GBP"}
_ABOUT_AMOUNTS = re.compile(r"betrag|summe|amount|total", re.IGNORECASE)
_SUMS = (
    r"rechnungsbetrag|gesamtbetrag|bruttobetrag|endbetrag|total due|amount due|total \(incl[^)]*\)"
    r"|total incl\. \w+",
    r"(?<!sub)(?<!net )total",
)
"""Labels of the total of a bill, the most certain first."""
_NUMBERED = re.compile(r"(?:rechnung|invoice)", re.IGNORECASE)
_INVOICE_NUMBER = (
    r"rechnungsnummer|rechnungs-?nr\.?|rechnung nr\.?|invoice (?:number|no\.?)|invoice no"
)
_ABOUT_DUE = re.compile(r"fällig|zahlbar|\bdue\b|frist", re.IGNORECASE)
_DUE = r"fällig am|zahlbar bis(?: zum)?|due date|(?:payment )?due (?:by|on)|betrag bis zum"
_CHOICES = "one of these and nothing else: "


def find_custom(text: str, asked: CustomQuestion) -> Finding | None:
    """Return the value that a custom field asks for, by the type of the field."""
    for sign, find in _BY_KIND.items():
        if asked.wanted.startswith(sign):
            return find(text, asked)
    return None


def _text(text: str, asked: CustomQuestion) -> Finding | None:
    is_number = _NUMBERED.search(asked.name) and re.search("n[ruo]", asked.name, re.IGNORECASE)
    return _beside(text, _INVOICE_NUMBER if is_number else re.escape(asked.name))


def _date(text: str, asked: CustomQuestion) -> Finding | None:
    return find_labelled_date(text, _DUE if _ABOUT_DUE.search(asked.name) else asked.name)


def _answer(text: str, asked: CustomQuestion) -> Finding | None:
    found = re.search(rf"(?<!\w){re.escape(asked.name)}: ?(ja|nein|yes|no)\b", text, re.IGNORECASE)
    return Finding(found[1].lower(), found[0], _SURE) if found else None


def _choice(text: str, asked: CustomQuestion) -> Finding | None:
    """Return the only option that is in the text; None if there are several."""
    labels = json.loads(asked.wanted.removeprefix(_CHOICES))
    found = [(label, match) for label in labels if (match := _word(label).search(text))]
    return Finding(found[0][0], found[0][1][0], _LIKELY) if len(found) == 1 else None


def _amount(text: str, asked: CustomQuestion) -> Finding | None:
    labels = _SUMS if _ABOUT_AMOUNTS.search(asked.name) else (re.escape(asked.name),)
    for label in labels:
        for line, amount in _amounts_beside(text, label):
            currency = _currency_of(amount, text)
            value = f"{currency} {_plain(amount['number'])}".strip()
            return Finding(value, line, _SURE)
    return None


def _amounts_beside(text: str, label: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the last amount after each label that is followed by amounts only: the gross amount."""
    for line in text.splitlines():
        begins = re.search(rf"(?:^|\s{{2,}})(?:{label})(?!\w)", line, re.IGNORECASE)
        amounts = list(_AMOUNT.finditer(line, begins.end())) if begins else []
        if begins and amounts and not line[begins.end() : amounts[0].start()].strip(" :"):
            yield line[begins.start() : amounts[-1].end()].strip(), amounts[-1]


def _currency_of(amount: re.Match[str], text: str) -> str:
    """Return the currency at the amount, else in its line, else the first in the document."""
    beside = amount["before"] or amount["after"]
    found = _CURRENCY.search(amount.string) or _CURRENCY.search(text)
    sign = beside or (found[0] if found else "")
    return _SIGNS.get(sign, sign)


def _plain(number: str) -> str:
    whole, cents = number[:-3], number[-2:]
    return f"{re.sub('[^0-9]', '', whole)}.{cents}"


def _beside(text: str, label: str) -> Finding | None:
    """Return the text to the right of a label, up to the next column."""
    for line in text.splitlines():
        found = re.search(rf"(?<!\w)(?:{label})\s*:?\s+(?P<rest>\S.*)", line, re.IGNORECASE)
        if found and re.search(r"\d", found["rest"]):
            value = next(columns_of(found["rest"]))
            return Finding(value, line[found.start() : found.start("rest") + len(value)], _SURE)
    return None


def _word(label: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(label)}(?!\w)", re.IGNORECASE)


_BY_KIND: dict[str, Callable[[str, CustomQuestion], Finding | None]] = {
    "text": _text,
    "a date": _date,
    '"yes" or "no"': _answer,
    "an amount of money": _amount,
    _CHOICES: _choice,
}
