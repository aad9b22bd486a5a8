"""Read what is said about a custom field as a value of its type, in the form that Paperless takes.

Paperless 2 stores whatever it is given, and some values bring Paperless 3 down: what is not right
for its type becomes None here, and is never sent.
"""

from collections.abc import Callable, Mapping
from datetime import date
from urllib.parse import urlsplit

from core.custom_fields import DataType, Definition
from core.fields import Money, Option, Value
from core.text import clean_line, split_words
from processor.analysis.dates import parse_date
from processor.analysis.numbers import parse_money, parse_number

TEXT_LENGTH = 128
URL_LENGTH = 200
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
    """Read `text` as a value of a custom field; None if it is none of its type."""
    said = clean_line(text)
    return _READERS[definition.data_type](said, definition) if said else None


def _text(said: str, _: Definition) -> str | None:
    # Half a number is another number: a text that is too long is not cut.
    return said if len(said) <= TEXT_LENGTH else None


def _long_text(said: str, _: Definition) -> str:
    return said


def _url(said: str, _: Definition) -> str | None:
    address = f"https://{said}" if said.lower().startswith("www.") else said
    try:
        parts = urlsplit(address)
        is_web = parts.scheme in {"http", "https"} and "." in (parts.hostname or "")
    except ValueError:
        return None
    fits = len(address) <= URL_LENGTH and not any(letter.isspace() for letter in address)
    return address if is_web and fits else None


def _date(said: str, _: Definition) -> date | None:
    return parse_date(said)


def _boolean(said: str, _: Definition) -> bool | None:
    match split_words(said):
        case [word] if word in _YES:
            return True
        case [word] if word in NO:
            return False
    return {"1": True, "0": False}.get(said)


def _integer(said: str, _: Definition) -> int | None:
    whole = [int(number) for number in parse_number(said) if number == number.to_integral_value()]
    # Of 1.000 both meanings are whole; the larger one is meant where no decimals can be.
    number = max(whole, key=abs, default=None)
    return number if number is not None and abs(number) <= _LARGEST else None


def _float(said: str, _: Definition) -> float | None:
    """Read a number; of one that can be read in two ways, as the model was told to write it."""
    meanings = sorted(parse_number(said), key=abs)
    if not meanings:
        return None
    return float(meanings[0] if "." in said else meanings[-1])


def _money(said: str, definition: Definition) -> Money | None:
    return parse_money(said, currency=definition.currency)


def _option(said: str, definition: Definition) -> Option | None:
    """Return the option that is meant, whatever its case and accents; none is made up."""
    exactly = [option for option in definition.options if option.label == said]
    alike = [option for option in definition.options if _alike(option.label, said)]
    found = exactly or alike
    return found[0] if len(found) == 1 else None


def _alike(label: str, said: str) -> bool:
    return bool(split_words(label)) and split_words(label) == split_words(said)


_READERS: Mapping[DataType, Callable[[str, Definition], Value]] = {
    DataType.STRING: _text,
    DataType.LONGTEXT: _long_text,
    DataType.URL: _url,
    DataType.DATE: _date,
    DataType.BOOLEAN: _boolean,
    DataType.INTEGER: _integer,
    DataType.FLOAT: _float,
    DataType.MONETARY: _money,
    DataType.SELECT: _option,
}
