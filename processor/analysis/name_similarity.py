"""Decide whether a spelling is a misspelled name in use, and find names that are similar.

Spellings that differ by letters which text recognition confuses are the same name. Those that
differ by another letter may be two names: Schmidt and Schmitt, Rotenburg and Rothenburg. Only in a
generic word, or in a very long one, does a wrong letter count as a misspelling.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from core.fields import FieldName, Name
from core.text import split_words
from processor.analysis.name_matching import GENERIC_WORDS, mentions_name, name_words, spelled_out
from processor.analysis.quotes import normalize_lookalikes

_BAR = 90
"""Minimum score, of 100, for the same name."""
_AHEAD = 5
"""Minimum lead of the best score over the next."""
_ALIKE = 88
"""Minimum score at which a new name needs a review."""
_REMINDS = 60
_MOST = 3
_SHORTEST = 6
_COMMON_WORD = 6
_LONG_WORD = 12
_WORD_WITH_DIGITS = 4
"""Minimum letters of a word in which a digit may be a misread letter: Te1ekom, not N26."""
_MISREAD_PAIRS = (("rn", "m"), ("vv", "w"), ("lk", "k"), ("cl", "d"))
_MISREAD_DIGITS = str.maketrans({"5": "s", "8": "b"})
_NOT_IN_NAMES = frozenset("|¦~^")


def is_near(spelling: str, name: str) -> bool:
    """Return whether `spelling` is certainly a misspelled `name`."""
    mine, theirs = _words(spelling), _words(name)
    return _is_same(mine, theirs) and _score(mine, theirs) >= _BAR


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
    return tuple(ranked[:_MOST])


def find_similar_names(field: FieldName, spelling: str, in_use: Iterable[Name]) -> tuple[Name, ...]:
    """Return the names in use that are similar to `spelling`, for a person to choose from."""
    known = tuple(in_use)
    found = [*find_possible_names(field, spelling, known)]
    found += [name for _, name in _rank(spelling, known, _REMINDS) if name not in found]
    return tuple(found[:_MOST])


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


def looks_misread(name: str) -> bool:
    """Return whether a name looks misread by text recognition."""
    return any(sign in _NOT_IN_NAMES for sign in name) or any(
        _is_misread_word(word) for word in split_words(spelled_out(name))
    )


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


def _is_same(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    too_short = len("".join(mine)) < _SHORTEST
    if too_short or len(mine) != len(theirs):
        return False
    return all(_is_same_word(*pair) for pair in zip(mine, theirs, strict=True))


def _is_same_word(mine: str, theirs: str) -> bool:
    if mine == theirs:
        return True
    if not _digits_agree(mine, theirs):
        return False
    return _normalize(mine) == _normalize(theirs) or _is_misspelled(mine, theirs)


def _is_misspelled(mine: str, theirs: str) -> bool:
    common = theirs in GENERIC_WORDS and len(theirs) >= _COMMON_WORD
    long = min(len(mine), len(theirs)) >= _LONG_WORD
    return (common or long) and OSA.distance(mine, theirs) == 1


def _numbers_agree(mine: Sequence[str], name: Name) -> bool:
    theirs = _words(name.name)
    my_numbers = [word for word in mine if _is_number(word)]
    their_numbers = [word for word in theirs if _is_number(word)]
    return my_numbers == their_numbers and _have_same_digits("".join(mine), "".join(theirs))


def _digits_agree(mine: str, theirs: str) -> bool:
    """Return whether two words have the same digits, or at most one of them has digits."""
    either_is_number = _is_number(mine) or _is_number(theirs)
    return not either_is_number and _have_same_digits(mine, theirs)


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
    if not _could_be_short(_words(spelling), _words(name.name)):
        return False
    return mentions_name(spelling, name.name) or mentions_name(name.name, spelling)


def _could_be_short(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return quickly whether a full comparison is needed: a shared word, or a single one."""
    return len(mine) == 1 or len(theirs) == 1 or not set(mine).isdisjoint(theirs)


def _is_misread_word(word: str) -> bool:
    letters = len(word) - len(_digits(word))
    has_digit_within = letters >= _WORD_WITH_DIGITS and any(map(str.isdigit, word[1:-1]))
    if "vv" in word or (has_digit_within and not word[-1].isdigit()):
        return True
    return _is_misspelled_generic_word(word)


def _is_misspelled_generic_word(word: str) -> bool:
    generic = [known for known in GENERIC_WORDS if len(known) >= _COMMON_WORD]
    inflected = any(known.startswith(word) or word.startswith(known) for known in generic)
    return not inflected and any(OSA.distance(word, known) == 1 for known in generic)
