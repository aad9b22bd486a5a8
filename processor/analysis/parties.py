"""Tell whether two ways of writing mean the same person or company."""

import re
from collections.abc import Sequence

from core.text import split_words
from processor.analysis.name_matching import name_key, name_words, spelled_out
from processor.analysis.quotes import normalize_lookalikes, occurs_in

_PARTS = re.compile(r"[,;:|·•()\n]| [-–—] ")
# fmt: off
_AROUND_A_NAME = frozenset(
    {
        "absender", "bonjour", "by", "com", "cordialement", "de", "dein", "deine", "der", "des",
        "die", "eu", "from", "grussen", "freundlichen", "gruss", "het", "http", "https", "ihr",
        "ihre", "info", "kind", "kontakt", "kundenservice", "le", "la", "les", "mail", "mit",
        "net", "nl", "of", "org", "our", "regards", "sender", "service", "team", "the",
        "uw", "van", "vom", "von", "votre", "www", "your",
    }
)
"""What a quote may say beside a name without saying another one."""
GENERIC_WORDS = frozenset(
    {
        "amt", "bank", "clinic", "company", "deutsche", "deutscher", "finanzamt", "gesellschaft",
        "group", "gruppe", "hotel", "insurance", "international", "klinik", "praxis", "schule",
        "school", "stadt", "stadtwerke", "verein", "versicherung", "versicherungen",
    }
)
"""Half the firms of a town are called so: not a short form of any one of them."""
_FORMS_OF_ADDRESS = frozenset(
    {
        "an", "dhr", "dipl", "dr", "eheleute", "fam", "familie", "firma", "frau", "heer", "herr",
        "herrn", "ing", "madame", "med", "mevr", "mevrouw", "miss", "mlle", "mme", "monsieur",
        "mr", "mrs", "ms", "mx", "prof",
    }
)
# fmt: on
_LONGEST_ABBREVIATION = 6


def mentions_name(quote: str, name: str) -> bool:
    """Tell whether a quote names `name`: in full, by a short form, or by its initials."""
    spellings = ((quote, name), (spelled_out(quote), spelled_out(name)))
    return any(_shows(said, sought) for said, sought in spellings)


def is_same_party(name: str, other: str) -> bool:
    """Tell whether `name` means the person or company that is elsewhere written as `other`.

    First names may be initials, and forms of address are passed over. One word is a family's
    name: Mustermann is any Mustermann, but no firm.
    """
    if name_key(name) == name_key(other):
        return True
    mine, theirs = _person(name), _person(other)
    if len(theirs) == 1:
        return (
            mine[-1:] == theirs
            and len(mine) <= 2
            and len(name_words(name)) == len(split_words(name))
        )
    return _all_among(mine, theirs) or (len(mine) == len(theirs) and _all_among(theirs, mine))


def _shows(quote: str, name: str) -> bool:
    sought = name_words(name)
    if occurs_in(" ".join(sought), " ".join(split_words(quote))):
        return True
    return any(_is_short_for(name_words(part), sought) for part in _PARTS.split(quote))


def _is_short_for(part: Sequence[str], sought: Sequence[str]) -> bool:
    said = [word for word in part if word not in _AROUND_A_NAME]
    if len(said) == 1 and _abbreviates(said[0], sought):
        return True
    if len(sought) == 1 and _abbreviates(sought[0], said):
        return True
    if all(word in GENERIC_WORDS for word in said):
        return False
    begins = len("".join(said)) > 1 and said == list(sought[: len(said)])
    return begins or _all_among(said, sought)


def _all_among(said: Sequence[str], sought: Sequence[str]) -> bool:
    """Tell whether each word said is one of those sought, or the initial of one."""
    known, spoken = (
        {normalize_lookalikes(word) for word in sought},
        {normalize_lookalikes(word) for word in said},
    )
    initials = {word[0] for word in known - spoken}
    return any(len(word) > 2 for word in known & spoken) and spoken - known <= initials


def _abbreviates(short: str, long: Sequence[str]) -> bool:
    """Tell whether `short` has the first letter of every word of `long`: DKB, Deutsche Kreditbank.

    Small words may be passed over: TUM, Technische Universität von München.
    """
    telling = [word for word in long if len(word) > 3]
    if len(telling) < 2 or not 2 <= len(short) <= _LONGEST_ABBREVIATION:
        return False
    initials = "".join(word[0] for word in telling)
    first = short[0] == initials[0]
    return first and _in_order(initials, short) and _in_order(short, "".join(long))


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _person(name: str) -> list[str]:
    return [word for word in name_words(name) if word not in _FORMS_OF_ADDRESS]
