"""Parse a suggestion for a custom field as a value of its type, in the form Paperless accepts.

Paperless 2 stores any value without validation, and some values crash Paperless 3: a value that is
not valid for its type becomes None here and is never sent.
"""

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from core.fields import DataType, Definition, Option, Value
from core.text import clean_line, split_words
from processor.analysis.dates import parse_date
from processor.analysis.numbers import parse_money, parse_number
from processor.analysis.value_labels import number_subjects

TEXT_LENGTH = 128
URL_LENGTH = 200
_LABELLED = re.compile(
    r"(?P<label>[^\W\d_]{3,}[^\W\d]*(?:[ -][^\W\d_]+)*)\.?(?: ?(?:nr|no|n°|nº|#)\.?)?[:\s]+"
    r"(?P<number>\S*\d.*)",
    re.IGNORECASE,
)
_LARGEST = 2**31 - 1
# fmt: off
_YES = frozenset({
    "checked", "correct", "ja", "jawohl", "on", "oui", "true", "vrai", "waar", "wahr", "x", "y",
    "yes",
})
NO = frozenset({
    "aucun", "aucune", "cannot", "faux", "falsch", "false", "geen", "kein", "keine", "keinen",
    "keiner", "n", "nee", "nein", "never", "nicht", "niet", "no", "non", "not", "off", "ohne",
    "onwaar", "pas", "sans", "unchecked", "without", "zonder",
})
# fmt: on
"""German, English, French and Dutch, folded."""


def read_custom_value(text: str, definition: Definition) -> Value:
    """Parse `text` as a value of a custom field; None if it is not valid for its type."""
    line = clean_line(text)
    return _PARSERS[definition.data_type](line, definition) if line else None


def _parse_text(text: str, definition: Definition) -> str | None:
    if number_subjects(definition.field.name):
        # A number is kept without the words before it: Rechnung 181301674.
        labelled = _LABELLED.fullmatch(text)
        text = labelled["number"] if labelled and number_subjects(labelled["label"]) else text
    # A text that is too long is not cut: half of a number is another number.
    return text if len(text) <= TEXT_LENGTH else None


def _parse_url(text: str, _: Definition) -> str | None:
    address = f"https://{text}" if text.lower().startswith("www.") else text
    try:
        parts = urlsplit(address)
        is_web = parts.scheme in {"http", "https"} and "." in (parts.hostname or "")
    except ValueError:
        return None
    fits = len(address) <= URL_LENGTH and not any(letter.isspace() for letter in address)
    return address if is_web and fits else None


def _parse_boolean(text: str, _: Definition) -> bool | None:
    match split_words(text):
        case [word] if word in _YES:
            return True
        case [word] if word in NO:
            return False
    return {"1": True, "0": False}.get(text)


def _parse_integer(text: str, _: Definition) -> int | None:
    whole = [int(number) for number in parse_number(text) if number == number.to_integral_value()]
    # 1.000 has two whole meanings; a field without decimals means the larger one.
    number = max(whole, key=abs, default=None)
    return number if number is not None and abs(number) <= _LARGEST else None


def _parse_float(text: str, _: Definition) -> float | None:
    """Parse a number; an ambiguous one is read in the format that the prompt asks for."""
    meanings = sorted(parse_number(text), key=abs)
    if not meanings:
        return None
    return float(meanings[0] if "." in text else meanings[-1])


def _parse_option(text: str, definition: Definition) -> Option | None:
    """Return the option with this label, regardless of case and accents."""
    same = [option for option in definition.options if option.label == text]
    words = split_words(text)
    similar = [
        option for option in definition.options if words and split_words(option.label) == words
    ]
    found = same or similar
    return found[0] if len(found) == 1 else None


_PARSERS: Mapping[DataType, Callable[[str, Definition], Value]] = {
    DataType.STRING: _parse_text,
    DataType.LONGTEXT: lambda text, _: text,
    DataType.URL: _parse_url,
    DataType.DATE: lambda text, _: parse_date(text),
    DataType.BOOLEAN: _parse_boolean,
    DataType.INTEGER: _parse_integer,
    DataType.FLOAT: _parse_float,
    DataType.MONETARY: lambda text, field: parse_money(text, currency=field.currency),
    DataType.SELECT: _parse_option,
}
