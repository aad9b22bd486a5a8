"""Match a name to the names in use and to a text, regardless of spelling and legal form.

Short forms, initials and forms of address belong to the name.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from core.fields import Name, Value
from core.text import fold, split_words
from processor.analysis.quotes import normalize_lookalikes, occurs_in

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
