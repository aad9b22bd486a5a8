"""Match suggested names to those in use, as a person would."""

from collections.abc import Iterable

from core.fields import Name
from processor.text import words

# fmt: off
_LEGAL_FORMS = frozenset(
    {
        "ab", "ag", "bv", "co", "corp", "corporation", "eg", "ek", "ev", "gbr", "gesellschaft",
        "gmbh", "inc", "kg", "kgaa", "limited", "llc", "llp", "ltd", "mbh", "nv", "ohg", "oy",
        "plc", "sa", "sarl", "sas", "se", "spa", "srl", "ug",
    }
)
# fmt: on
_SPELLED_APART = (("e", "v"), ("e", "k"), ("e", "g"), ("s", "a"), ("b", "v"), ("n", "v"))


def match_name(suggested: str, in_use: Iterable[Name]) -> Name:
    """Return the name in use that `suggested` means, or a new one without an id.

    The same spelling wins; then case, accents, punctuation and legal form are passed over. Where
    two names in use are the same in that way, nobody knows which is meant: the name is new.
    """
    known = tuple(in_use)
    for name in known:
        if name.name == suggested:
            return name
    for key in (_plain, name_key):
        alike = [name for name in known if key(name.name) == key(suggested)]
        if len(alike) == 1:
            return alike[0]
        if alike:
            break
    return Name(None, suggested)


def name_key(name: str) -> str:
    """Return what two spellings of one name share: its words without the legal form."""
    kept = words(name)
    while len(kept) > 1 and (shorter := _without_legal_form(kept)) != kept:
        kept = shorter
    return " ".join(kept)


def _plain(name: str) -> str:
    return " ".join(words(name))


def _without_legal_form(parts: list[str]) -> list[str]:
    if len(parts) > 2 and tuple(parts[-2:]) in _SPELLED_APART:
        return parts[:-2]
    return parts[:-1] if parts[-1] in _LEGAL_FORMS else parts
