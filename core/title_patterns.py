"""Patterns of titles, such as `{correspondent} {type} {month} {year}`.

A pattern can be filled in steps: placeholders without a value stay open until they are dropped.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from core.fields import FieldName, Name, Value
from core.text import clean_line

LIKE_EARLIER = "like_earlier"
"""Setting that takes the pattern from earlier titles of the same correspondent."""
PLACEHOLDERS: Mapping[str, FieldName] = {
    "correspondent": FieldName.CORRESPONDENT,
    "type": FieldName.DOCUMENT_TYPE,
    "date": FieldName.DATE,
    "year": FieldName.DATE,
    "month": FieldName.DATE,
    "day": FieldName.DATE,
}
# fmt: off
_MONTHS: Mapping[str, Sequence[str]] = {
    "de": (
        "Januar", "Februar", "März", "April", "Mai", "Juni",
        "Juli", "August", "September", "Oktober", "November", "Dezember",
    ),
    "en": (
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
    "fr": (
        "janvier", "février", "mars", "avril", "mai", "juin",
        "juillet", "août", "septembre", "octobre", "novembre", "décembre",
    ),
    "nl": (
        "januari", "februari", "maart", "april", "mei", "juni",
        "juli", "augustus", "september", "oktober", "november", "december",
    ),
    "it": (
        "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno",
        "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre",
    ),
}
# fmt: on
_PLACEHOLDER = re.compile(r"{(?P<name>\w+)(?::(?P<language>[a-z]{2}))?}")
_BRACES = str.maketrans("{}", "()")
_MARKS = r"[-–·|,/:]"
_MARKS_IN_A_ROW = re.compile(rf"(?P<first>\s*{_MARKS})(?:\s+{_MARKS})+(?=\s|$)")
_MARKS_AT_THE_EDGE = re.compile(rf"^(?:{_MARKS}\s+)+|(?:\s*{_MARKS})+$")


def find_unknown_placeholder(pattern: str) -> str | None:
    """Return the first part in braces that is not a placeholder; "" for a single brace."""
    for found in _PLACEHOLDER.finditer(pattern):
        is_known = found["name"] in PLACEHOLDERS
        if not is_known or (found["language"] and not _has_month_names(found)):
            return found[0]
    return "" if set("{}") & set(_PLACEHOLDER.sub("", pattern)) else None


def list_fields(pattern: str) -> tuple[FieldName, ...]:
    """Return the fields of the placeholders that are open, each once."""
    names = (found["name"] for found in _PLACEHOLDER.finditer(pattern))
    return tuple(dict.fromkeys(PLACEHOLDERS[name] for name in names if name in PLACEHOLDERS))


def set_language(pattern: str, language: str | None) -> str:
    """Return the pattern with the language of the months; without one they are numbers."""
    return pattern.replace("{month}", f"{{month:{language}}}") if language in _MONTHS else pattern


def fill(pattern: str, values: Mapping[FieldName, Value]) -> str:
    """Fill in the values; placeholders of other fields stay open."""

    def replace(found: re.Match[str]) -> str:
        value = values.get(PLACEHOLDERS[found["name"]])
        return found[0] if value is None else _format(value, found).translate(_BRACES)

    return _PLACEHOLDER.sub(replace, pattern)


def drop_open(pattern: str) -> str:
    """Return the title without the placeholders that are still open, and their separators."""
    text = clean_line(_PLACEHOLDER.sub("", pattern))
    return clean_line(_MARKS_AT_THE_EDGE.sub("", _MARKS_IN_A_ROW.sub(r"\g<first>", text)))


def derive(title: str, values: Mapping[FieldName, Value], language: str | None) -> list[str]:
    """Return the patterns that make `title` of these values, those with most placeholders first.

    The name of a month may be of several languages: of equal ones, `language` comes first.
    """
    languages = sorted(_MONTHS, key=lambda known: known != language)
    patterns = (_derive_in(known, title.translate(_BRACES), values) for known in languages)
    found = [pattern for pattern in dict.fromkeys(patterns) if list_fields(pattern)]
    return sorted(found, key=lambda pattern: -len(_PLACEHOLDER.findall(pattern)))


def _derive_in(language: str, title: str, values: Mapping[FieldName, Value]) -> str:
    for text, placeholder in _spellings(values, language):
        # Not within a word, and not within a placeholder.
        whole = rf"(?<![\w{{:]){re.escape(text)}(?![\w}}:])"
        title = re.sub(whole, placeholder, title, flags=re.IGNORECASE)
    return title


def _has_month_names(found: re.Match[str]) -> bool:
    return found["name"] == "month" and found["language"] in _MONTHS


def _format(value: Value, found: re.Match[str]) -> str:
    if not isinstance(value, date):
        return value.name if isinstance(value, Name) else str(value)
    match found["name"]:
        case "year":
            return f"{value:%Y}"
        case "month" if found["language"]:
            return _MONTHS[found["language"]][value.month - 1]
        case "month":
            return f"{value:%m}"
        case "day":
            return f"{value:%d}"
        case _:
            return value.isoformat()


def _spellings(values: Mapping[FieldName, Value], language: str) -> Iterator[tuple[str, str]]:
    """Yield how values are spelled in titles, with their placeholders; the longest form first."""
    for field, placeholder in (
        (FieldName.CORRESPONDENT, "{correspondent}"),
        (FieldName.DOCUMENT_TYPE, "{type}"),
    ):
        if isinstance(value := values.get(field), Name):
            yield value.name.translate(_BRACES), placeholder
    day = values.get(FieldName.DATE)
    if isinstance(day, date):
        yield f"{day:%Y-%m-%d}", "{date}"
        yield f"{day:%d.%m.%Y}", "{day}.{month}.{year}"
        yield f"{day:%Y-%m}", "{year}-{month}"
        yield f"{day:%m/%Y}", "{month}/{year}"
        yield _MONTHS[language][day.month - 1], f"{{month:{language}}}"
        yield f"{day:%Y}", "{year}"
