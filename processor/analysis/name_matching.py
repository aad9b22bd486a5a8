"""Match a suggested name to the names in use, regardless of spelling and legal form."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from core.fields import Name, Value
from core.text import fold, split_words

# fmt: off
_LEGAL_FORMS = frozenset(
    {
        "ab", "ag", "aps", "as", "bhd", "bv", "co", "corp", "corporation", "eg", "ek", "ev", "gbr",
        "gesellschaft", "gmbh", "haftungsbeschraenkt", "haftungsbeschrankt", "inc", "kg", "kgaa",
        "limited", "llc", "llp", "ltd", "mbb", "mbh", "nv", "ohg", "oy", "partg", "partgmbb", "plc",
        "pte", "sa", "sarl", "sas", "sdn", "se", "spa", "srl", "ug", "vvag",
    }
)
# fmt: on
_LONGEST_APART = 4
"""Maximum words of a legal form: with dots it is split into letters, as in e.V. or S.p.A."""
_NEEDLESS_SPACE = re.compile(r"(?<!\d) | (?!\d)")
"""E.ON is EON, but 1.1 is not 11."""
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def match_name(suggested: str, in_use: Iterable[Name]) -> Name:
    """Return the name in use that `suggested` means, or a new one without an id.

    The same spelling wins; then case, accents, spaces and punctuation are ignored, then the
    spelling of umlauts, then the legal form. If two names in use match equally, the match is
    ambiguous and the name is new.
    """
    known = tuple(in_use)
    for name in known:
        if name.name == suggested:
            return name
    for step, key in enumerate(_keys(suggested)):
        matches = [name for name in known if _keys(name.name)[step] == key]
        if len(matches) == 1:
            return matches[0]
    return Name(None, suggested)


def identity_key(value: Value) -> object:
    """Return a key that is equal for all spellings of one value."""
    if isinstance(value, Name):
        return value.id if value.id is not None else name_key(value.name)
    return value


def name_key(name: str) -> str:
    """Return the key that spellings of one name share: its letters without the legal form."""
    return _join(name_words(name)) or fold(name)


def spelling_key(name: str) -> str:
    """Return the key under which a spelling is stored, independent of how umlauts are written."""
    return name_key(spelled_out(name))


def name_words(name: str) -> list[str]:
    """Return the words of a name without its legal form."""
    kept = split_words(name)
    while (shorter := _drop_legal_form(kept)) != kept:
        kept = shorter
    return kept


def spelled_out(name: str) -> str:
    """Return a name in lower case with its umlauts as two letters."""
    return unicodedata.normalize("NFC", name).casefold().translate(_SPELLED_OUT)


@lru_cache(maxsize=8192)
def _keys(name: str) -> tuple[str, ...]:
    """Return the keys by which a name is compared, from the strictest to the most lenient."""
    other = spelled_out(name)
    return _plain_key(name), _plain_key(other), name_key(name), name_key(other)


def _plain_key(name: str) -> str:
    # A name of symbols only, such as an emoji, has no words to compare.
    return _join(split_words(name)) or fold(name)


def _join(parts: Sequence[str]) -> str:
    return _NEEDLESS_SPACE.sub("", " ".join(parts))


def _drop_legal_form(parts: list[str]) -> list[str]:
    for count in range(1, min(_LONGEST_APART, len(parts) - 1) + 1):
        if "".join(parts[-count:]) in _LEGAL_FORMS:
            return parts[:-count]
    return parts
