"""Match a name to the names in use and to a text, regardless of spelling and legal form.

Short forms, initials and forms of address belong to the name. Spellings that differ by letters
which text recognition confuses are the same name. Those that differ by another letter may be two
names: Schmidt and Schmitt, Rotenburg and Rothenburg. Only in a generic word, or in a very long one,
does a wrong letter count as a misspelling.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from core.fields import FieldName, Name, Value
from core.text import fold, split_folded, split_words
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
_MAX_LEGAL_FORM_WORDS = 4
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
_DEGREES = frozenset(
    {"dent", "dipl", "habil", "ing", "jur", "med", "nat", "phil", "pol", "rer", "vet"}
)
"""Between a doctor's title and name: Dr. med. dent."""
# fmt: on
_MAX_ABBREVIATION_LENGTH = 6

_BAR = 90
"""Minimum score, of 100, for the same name."""
_AHEAD = 5
"""Minimum lead of the best score over the next."""
_ALIKE = 88
"""Minimum score at which a new name needs a review."""
_REMINDS = 60
_MAX_SIMILAR = 3
_MIN_LETTERS = 6
_COMMON_WORD = 6
_LONG_WORD = 12
_WORD_WITH_DIGITS = 4
"""Minimum letters of a word in which a digit may be a misread letter: Te1ekom, not N26."""
_MISREAD_PAIRS = (("rn", "m"), ("vv", "w"), ("lk", "k"), ("cl", "d"))
_MISREAD_DIGITS = str.maketrans({"5": "s", "8": "b"})
_NOT_IN_NAMES = frozenset("|¦~^")


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
    words = split_folded(fold(name))
    kept = len(words)
    while (form := _count_legal_form(words[max(0, kept - _MAX_LEGAL_FORM_WORDS - 1) : kept])) > 0:
        kept -= form
    return words[:kept]


def spelled_out(name: str) -> str:
    """Return a name in lower case with its umlauts as two letters."""
    return unicodedata.normalize("NFC", name).casefold().translate(_SPELLED_OUT)


def mentions_name(quote: str, name: str) -> bool:
    """Return whether a quote names `name`: in full, by a short form, or by its initials."""
    for text, spelling in ((quote, name), (spelled_out(quote), spelled_out(name))):
        sought = name_words(spelling)
        words = split_words(text)
        without_degrees = [word for word in words if word not in _DEGREES]
        if any(occurs_in(" ".join(sought), " ".join(said)) for said in (words, without_degrees)):
            return True
        if any(_is_short_for(name_words(part), sought) for part in _PARTS.split(text)):
            return True
    return False


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


def is_near(spelling: str, name: str) -> bool:
    """Return whether `spelling` is certainly a misspelled `name`."""
    mine, theirs = _words(spelling), _words(name)
    if len("".join(mine)) < _MIN_LETTERS or len(mine) != len(theirs):
        return False
    is_same = all(_is_same_word(*pair) for pair in zip(mine, theirs, strict=True))
    return is_same and _score(mine, theirs) >= _BAR


def find_nearest(spelling: str, in_use: Iterable[Name]) -> Name | None:
    """Return the name in use that `spelling` misspells; None if that is not certain."""
    ranked = _rank(spelling, in_use, _BAR - _AHEAD)
    if not ranked or not is_near(spelling, ranked[0][1].name):
        return None
    best, runner_up = ranked[0][0], ranked[1][0] if len(ranked) > 1 else 0
    return ranked[0][1] if best - runner_up > _AHEAD else None


def find_possible_names(
    field: FieldName, spelling: str, in_use: Iterable[Name]
) -> tuple[Name, ...]:
    """Return the names in use that `spelling` may mean, the most similar first.

    For a correspondent, short and long forms are included.
    """
    known, mine = tuple(in_use), _words(spelling)
    ranked = [name for _, name in _rank(spelling, known, _ALIKE) if _numbers_agree(mine, name)]
    if field is FieldName.CORRESPONDENT:
        ranked += [name for name in known if name not in ranked and _is_short_form(spelling, name)]
    return tuple(ranked[:_MAX_SIMILAR])


def find_similar_names(field: FieldName, spelling: str, in_use: Iterable[Name]) -> tuple[Name, ...]:
    """Return the names in use that are similar to `spelling`, for a person to choose from."""
    known = tuple(in_use)
    found = [*find_possible_names(field, spelling, known)]
    found += [name for _, name in _rank(spelling, known, _REMINDS) if name not in found]
    return tuple(found[:_MAX_SIMILAR])


def is_related(spelling: str, name: str) -> bool:
    """Return whether one may be a short form or a misspelling of the other."""
    alike = _score(_words(spelling), _words(name)) >= _ALIKE
    return alike or mentions_name(spelling, name) or mentions_name(name, spelling)


def find_better_names(name: str, quote: str, in_use: Iterable[str]) -> tuple[str, ...]:
    """Return the names in use that fit a quote better than `name` does.

    A name that stands in the quote fits better than one that does not, and better than one that is
    only a part of it there. Legal forms count if two names differ by nothing else.
    """
    text = _padded(_words_with_form(quote))
    stands = _padded(_words(name)) in text
    others = [other for other in in_use if other != name and _stands_in(other, text)]
    if not stands:
        return tuple(others)
    longer = [other for other in others if not _is_part(other, name)]
    rest = text
    for other in longer:
        if _is_part(name, other):
            rest = rest.replace(_padded(_words(other)), "  ")
    if _padded(_words(name)) in rest:
        return tuple(other for other in longer if _differs_by_form(name, other, text))
    return tuple(longer)


def looks_misread(name: str) -> bool:
    """Return whether a name looks misread by text recognition."""
    return any(sign in _NOT_IN_NAMES for sign in name) or any(
        _is_misread_word(word) for word in split_words(spelled_out(name))
    )


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


def _count_legal_form(last: Sequence[str]) -> int:
    """Return how many of the last words of a name are a legal form; it needs one before them."""
    counts = range(1, min(_MAX_LEGAL_FORM_WORDS, len(last) - 1) + 1)
    return next((count for count in counts if "".join(last[-count:]) in _LEGAL_FORMS), 0)


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
    if len(significant) < 2 or not 2 <= len(short) <= _MAX_ABBREVIATION_LENGTH:
        return False
    initials = "".join(word[0] for word in significant)
    first = short[0] == initials[0]
    return first and _in_order(initials, short) and _in_order(short, "".join(long))


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _person_words(name: str) -> list[str]:
    return [word for word in name_words(name) if word not in _FORMS_OF_ADDRESS]


def _stands_in(name: str, text: str) -> bool:
    return bool(_words(name)) and _padded(_words(name)) in text


def _is_part(name: str, other: str) -> bool:
    """Return whether all of `name` stands within a longer `other`."""
    mine, theirs = _padded(_words(name)), _padded(_words(other))
    return mine in theirs and mine != theirs


def _differs_by_form(name: str, other: str, text: str) -> bool:
    """Return whether only the legal form tells two names apart, and the text has the other's."""
    mine, theirs = _padded(_words_with_form(name)), _padded(_words_with_form(other))
    return _words(name) == _words(other) and theirs in text and mine not in text


def _padded(words: Iterable[str]) -> str:
    return f" {' '.join(map(_normalize, words))} "


def _words_with_form(name: str) -> list[str]:
    return split_words(spelled_out(name))


@lru_cache(maxsize=16384)
def _words(name: str) -> tuple[str, ...]:
    return tuple(name_words(spelled_out(name)))


def _rank(spelling: str, in_use: Iterable[Name], at_least: float) -> list[tuple[float, Name]]:
    mine = _words(spelling)
    scored = ((_score(mine, _words(name.name)), name) for name in in_use)
    similar = [(score, name) for score, name in scored if score >= at_least]
    return sorted(similar, key=lambda pair: -pair[0])


def _score(mine: Sequence[str], theirs: Sequence[str]) -> float:
    spelled, others = " ".join(mine), " ".join(theirs)
    return max(fuzz.ratio(spelled, others), fuzz.ratio(_normalize(spelled), _normalize(others)))


def _is_same_word(mine: str, theirs: str) -> bool:
    if mine == theirs:
        return True
    if _is_number(mine) or _is_number(theirs) or not _have_same_digits(mine, theirs):
        return False
    if _normalize(mine) == _normalize(theirs):
        return True
    is_common = theirs in GENERIC_WORDS and len(theirs) >= _COMMON_WORD
    is_long = min(len(mine), len(theirs)) >= _LONG_WORD
    return (is_common or is_long) and OSA.distance(mine, theirs) == 1


def _numbers_agree(mine: Sequence[str], name: Name) -> bool:
    theirs = _words(name.name)
    my_numbers = [word for word in mine if _is_number(word)]
    their_numbers = [word for word in theirs if _is_number(word)]
    return my_numbers == their_numbers and _have_same_digits("".join(mine), "".join(theirs))


def _have_same_digits(mine: str, theirs: str) -> bool:
    ours, others = _digits(mine), _digits(theirs)
    return not (ours and others) or ours == others


def _is_number(word: str) -> bool:
    digits = len(_digits(word))
    return digits > 0 and len(word) - digits < max(_WORD_WITH_DIGITS, digits + 1)


def _digits(word: str) -> str:
    return "".join(letter for letter in word if letter.isdigit())


@lru_cache(maxsize=16384)
def _normalize(word: str) -> str:
    """Return a word with characters made the same that text recognition confuses."""
    plain = normalize_lookalikes(word.translate(_MISREAD_DIGITS))
    for misread, letter in _MISREAD_PAIRS:
        plain = plain.replace(misread, letter)
    return plain


def _is_short_form(spelling: str, name: Name) -> bool:
    mine, theirs = _words(spelling), _words(name.name)
    if 1 not in {len(mine), len(theirs)} and set(mine).isdisjoint(theirs):
        # Without a shared word, only a single one can be short for the other.
        return False
    return mentions_name(spelling, name.name) or mentions_name(name.name, spelling)


def _is_misread_word(word: str) -> bool:
    letters = len(word) - len(_digits(word))
    has_digit_within = letters >= _WORD_WITH_DIGITS and any(map(str.isdigit, word[1:-1]))
    if "vv" in word or (has_digit_within and not word[-1].isdigit()):
        return True
    generic = [known for known in GENERIC_WORDS if len(known) >= _COMMON_WORD]
    if any(known.startswith(word) or word.startswith(known) for known in generic):
        # An inflected generic word.
        return False
    return any(OSA.distance(word, known) == 1 for known in generic)
