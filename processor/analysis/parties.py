"""Compare how persons and companies are written: short forms, initials, forms of address."""

import re
from collections.abc import Sequence

from core.text import split_words
from processor.analysis.name_matching import name_key, name_words, spelled_out
from processor.analysis.quotes import normalize_lookalikes, occurs_in

_PARTS = re.compile(r"[,;:|·•()\n\t]| [-–—] |\s{2,}")
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
"""Words around a name in a quote that are no part of it."""
GENERIC_WORDS = frozenset(
    {
        "amt", "bank", "clinic", "company", "deutsche", "deutscher", "finanzamt", "gesellschaft",
        "group", "gruppe", "hotel", "insurance", "international", "klinik", "praxis", "schule",
        "school", "stadt", "stadtwerke", "verein", "versicherung", "versicherungen",
    }
)
"""Words in so many names that they are no short form of one."""
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
    """Return whether a quote names `name`: in full, by a short form, or by its initials."""
    spellings = ((quote, name), (spelled_out(quote), spelled_out(name)))
    return any(_contains_name(*spelling) for spelling in spellings)


def is_same_party(name: str, other: str) -> bool:
    """Return whether `name` and `other` are the same person or company.

    First names may be initials, and forms of address are ignored. A single word is a family
    name: Mustermann matches any person of that name, but no company.
    """
    if name_key(name) == name_key(other):
        return True
    mine, theirs = _person_words(name), _person_words(other)
    if len(theirs) == 1:
        has_legal_form = len(name_words(name)) != len(split_words(name))
        return mine[-1:] == theirs and len(mine) <= 2 and not has_legal_form
    return _all_among(mine, theirs) or (len(mine) == len(theirs) and _all_among(theirs, mine))


def drop_form_of_address(name: str) -> str:
    """Return a name without the forms of address before it: Frau Dr. Muster is Muster."""
    words = name.split()
    while words and words[0].rstrip(".:").casefold() in _FORMS_OF_ADDRESS:
        words = words[1:]
    return " ".join(words)


def _contains_name(quote: str, name: str) -> bool:
    sought = name_words(name)
    if occurs_in(" ".join(sought), " ".join(split_words(quote))):
        return True
    return any(_is_short_for(name_words(part), sought) for part in _PARTS.split(quote))


def _is_short_for(part: Sequence[str], sought: Sequence[str]) -> bool:
    words = [word for word in part if word not in _AROUND_A_NAME]
    if len(words) == 1 and _abbreviates(words[0], sought):
        return True
    if len(sought) == 1 and _abbreviates(sought[0], words):
        return True
    if all(word in GENERIC_WORDS for word in words):
        return False
    begins = len("".join(words)) > 1 and words == list(sought[: len(words)])
    return begins or _all_among(words, sought)


def _all_among(words: Sequence[str], sought: Sequence[str]) -> bool:
    """Return whether each word is one of those sought, or the initial of one."""
    given = {normalize_lookalikes(word) for word in words}
    known = {normalize_lookalikes(word) for word in sought}
    initials = {word[0] for word in known - given}
    return any(len(word) > 2 for word in known & given) and given - known <= initials


def _abbreviates(short: str, long: Sequence[str]) -> bool:
    """Return whether `short` has the initials of `long`: DKB, Deutsche Kreditbank.

    Small words may be left out: TUM, Technische Universität von München.
    """
    significant = [word for word in long if len(word) > 3]
    if len(significant) < 2 or not 2 <= len(short) <= _LONGEST_ABBREVIATION:
        return False
    initials = "".join(word[0] for word in significant)
    first = short[0] == initials[0]
    return first and _in_order(initials, short) and _in_order(short, "".join(long))


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _person_words(name: str) -> list[str]:
    return [word for word in name_words(name) if word not in _FORMS_OF_ADDRESS]
