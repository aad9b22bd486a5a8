"""Match suggested names to those in use, as a person would."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from core.fields import Name, Value
from core.text import fold, split_words

# fmt: off
_LEGAL_FORMS = frozenset(
    {
        "ab", "ag", "bv", "co", "corp", "corporation", "eg", "ek", "ev", "gbr", "gesellschaft",
        "gmbh", "haftungsbeschraenkt", "haftungsbeschrankt", "inc", "kg", "kgaa", "limited", "llc",
        "llp", "ltd", "mbb", "mbh", "nv", "ohg", "oy", "partg", "partgmbb", "plc", "sa", "sarl",
        "sas", "se", "spa", "srl", "ug", "vvag",
    }
)
# fmt: on
_LONGEST_APART = 4
"""Written with dots a legal form falls apart into its letters: e.V., S.p.A., S.à r.l."""
_NEEDLESS_SPACE = re.compile(r"(?<!\d) | (?!\d)")
"""E.ON is EON, but 1.1 is not 11."""
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def match_name(suggested: str, in_use: Iterable[Name]) -> Name:
    """Return the name in use that `suggested` means, or a new one without an id.

    The same spelling wins; then case, accents, spaces and punctuation are passed over, then how
    umlauts are written, then the legal form. Where two names in use are the same in that way,
    nobody knows which is meant: the name is new.
    """
    known = tuple(in_use)
    for name in known:
        if name.name == suggested:
            return name
    for step, key in enumerate(_keys(suggested)):
        alike = [name for name in known if _keys(name.name)[step] == key]
        if len(alike) == 1:
            return alike[0]
    return Name(None, suggested)


def identity_key(value: Value) -> object:
    """Return what is the same for one value however it is spelled."""
    if isinstance(value, Name):
        return value.id if value.id is not None else name_key(value.name)
    return value


def name_key(name: str) -> str:
    """Return what two spellings of one name share: its letters without the legal form."""
    return _joined(name_words(name)) or fold(name)


def spelling_key(name: str) -> str:
    """Return what a spelling is remembered by: its key, however its umlauts are written."""
    return name_key(spelled_out(name))


def name_words(name: str) -> list[str]:
    """Return the words of a name without its legal form."""
    kept = split_words(name)
    while (shorter := _without_legal_form(kept)) != kept:
        kept = shorter
    return kept


def spelled_out(name: str) -> str:
    """Return a name with its umlauts as two letters, in small letters."""
    return unicodedata.normalize("NFC", name).casefold().translate(_SPELLED_OUT)


@lru_cache(maxsize=8192)
def _keys(name: str) -> tuple[str, ...]:
    """Return what a name is compared by, from the strictest to the most lenient."""
    other = spelled_out(name)
    return _plain(name), _plain(other), name_key(name), name_key(other)


def _plain(name: str) -> str:
    # A name of signs alone, such as an emoji, has no words to compare.
    return _joined(split_words(name)) or fold(name)


def _joined(parts: Sequence[str]) -> str:
    return _NEEDLESS_SPACE.sub("", " ".join(parts))


def _without_legal_form(parts: list[str]) -> list[str]:
    for count in range(1, min(_LONGEST_APART, len(parts) - 1) + 1):
        if "".join(parts[-count:]) in _LEGAL_FORMS:
            return parts[:-count]
    return parts
