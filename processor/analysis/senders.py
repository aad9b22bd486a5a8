"""Distinguish the sender of a document from names that it only mentions."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from core.text import fold, split_words
from processor.analysis.layout import Cell, rows_of
from processor.analysis.name_matching import name_words
from processor.analysis.parties import is_same_party
from processor.analysis.words import any_of, parties

_ENOUGH = 100_000
"""Characters that are searched: a megabyte would take seconds."""
LETTERHEAD = 4
"""Lines at the top in which a sender writes its name."""
_SMALL_WORDS = 2
"""Minimum words in small letters of a sentence."""
_SMALL_WORD = re.compile(r"(?<![\w.@-])[a-zäöüßàâéèêëïîôùûç]{2,}(?![\w@-]|\.\w)")
_IN_NAMES = frozenset(
    {"am", "an", "and", "aan", "bei", "by", "de", "den", "der", "des", "die", "du", "en", "et",
     "for", "in", "inh", "la", "le", "les", "of", "op", "sur", "the", "und", "van", "vom", "von"}
)  # fmt: skip
"""Words in small letters that names and addresses have, too."""
_PRICE = re.compile(r"\d[.,]\d{2}(?!\d)\W*(?:[^\W\d_]{0,3}[+-]?)$")
_DAY = re.compile(r"\d{1,2}[./-]\d{1,2}(?:[./-]|\b)|\d{1,2}\.? [^\W\d_]{3,9}\.? \d{4}")
_BANK = re.compile(
    r"\biban\b|\bbic\b|bankverbindung|\bkonto\b|\bkto\b|\bblz\b|sort code|\baccount\b|\bcompte\b"
    r"|virement|rekening|lastschrift|\b[a-z]{2}\d{2}(?: ?[\da-z*]{4}){2,}"
)
_ARTICLE = r"(?: (?:der|die|das|den|dem|the|a|la|le|les|l|het|de))?"
_ABOUT = re.compile(
    rf"(?:\b(?:{any_of(parties.OTHERS)}){_ARTICLE}|\./\.)[\s:]*(?:the )?$"
    r"|\b(?!zwischen |between |entre )\w+,? (?:der|dem|des|the)\s+$"
)
"""What precedes the name of somebody else."""
_OF_THE_SENDER = re.compile(
    rf"(?:\b(?:{any_of(parties.SENDER)}){_ARTICLE}[\s:,.]*|[@./])$"
    r"|^\W*(?:der|die|das|the|la|le|les|l|het|de)\W*$"
)
"""What precedes the sender's name, including the beginning of a web address."""
_ROLE = re.compile(rf"(?:{any_of(parties.ROLES)})[\s:.]*$")
_BEGINS_WITH_ROLE = re.compile(rf"(?:{any_of(parties.NO_NAMES)})\b")
_FORM_LABEL = re.compile(r"[^\W\d_][^\d:]{1,25}:?")
"""A short cell before another one, as in a form."""
_PREFIX = 2
"""Maximum words before a name in the letterhead that belong to it: Stichting, Ets."""


def is_only_mentioned(
    name: str, text: str, in_use: Collection[str] = (), recipients: Iterable[str] = ()
) -> bool:
    """Return whether a name stands in the text, but never as a sender writes it.

    A sender's name begins a line without a sentence. Where a longer name in use stands, the
    shorter one does not. If another name in use opens the letter, a name below it is a mention.
    """
    if _BEGINS_WITH_ROLE.match(fold(name)):
        return True
    places = list(_find_places(name, text, in_use))
    if not places:
        return False
    as_sender = [number for number, _, is_mention in places if not is_mention]
    if not as_sender:
        return True
    return as_sender[0] >= LETTERHEAD and _is_opened_by_another(name, text, in_use, recipients)


def find_sender_rows(name: str, text: str, in_use: Iterable[str] = ()) -> Iterator[Sequence[Cell]]:
    """Yield the rows in which a name stands in full, as a sender writes it."""
    return (row for _, row, is_mention in _find_places(name, text, in_use) if not is_mention)


def find_longer_names(name: str, in_use: Iterable[str]) -> list[str]:
    """Return the names in use that have all words of a name, and more."""
    words = set(name_words(name))
    return [other for other in in_use if words < set(name_words(other))]


def stands_in(name: str, text: str) -> bool:
    """Return whether a name stands in a text in full."""
    return _pattern(name).search(fold(text[:_ENOUGH])) is not None


def _is_opened_by_another(
    name: str, text: str, in_use: Iterable[str], recipients: Iterable[str]
) -> bool:
    """Return whether the first lines have another name in use that is not a recipient's."""
    head = [cell.text for row in rows_of(text[:_ENOUGH])[:LETTERHEAD] for cell in row]
    opening = f" {' '.join(word for line in head for word in name_words(line))} "
    addressed = list(recipients)
    return any(
        f" {' '.join(words)} " in opening
        for other in in_use
        if (words := name_words(other))
        and not set(name_words(name)) & set(words)
        and not any(is_same_party(other, recipient) for recipient in addressed)
    )


def _find_places(
    name: str, text: str, in_use: Iterable[str]
) -> Iterator[tuple[int, Sequence[Cell], bool]]:
    """Yield the number of each row with a name, the row, and whether it only mentions the name."""
    pattern, others = _pattern(name), [_pattern(other) for other in find_longer_names(name, in_use)]
    for number, row in enumerate(rows_of(text[:_ENOUGH])):
        for cell in row:
            folded = fold(cell.text)
            for other in others:
                folded = other.sub(lambda match: "#" * len(match[0]), folded)
            if match := pattern.search(folded):
                before, after = folded[: match.start()], folded[match.end() :]
                is_mention = _is_mention(row, cell, before, after, in_head=number < LETTERHEAD)
                yield number, row, is_mention


def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern for folded text; one that never matches for a name without words."""
    spelling = r"\W+".join(map(re.escape, name_words(name)))
    return re.compile(rf"(?<!\w){spelling}(?!\w)" if spelling else r"(?!)")


def _is_mention(row: Sequence[Cell], cell: Cell, before: str, after: str, *, in_head: bool) -> bool:
    line = " ".join(other.text for other in row)
    if _DAY.match(line) and _PRICE.search(line):
        return True
    rest = " ".join([after, *(fold(other.text) for other in row if other.start > cell.start)])
    if _ABOUT.search(before) or _BANK.search(before) or _BANK.match(rest.lstrip(" ,:")):
        return True
    if _belongs_to_another(row, cell, before, in_head=in_head):
        return True
    small = [word for word in _SMALL_WORD.findall(cell.text) if word not in _IN_NAMES]
    return len(small) >= _SMALL_WORDS


def _belongs_to_another(row: Sequence[Cell], cell: Cell, before: str, *, in_head: bool) -> bool:
    """Return whether words before a name, or the label of its row, refer to another party."""
    words = split_words(before)
    if words and not _OF_THE_SENDER.search(before):
        is_label = before.rstrip().endswith(":") or _ROLE.search(before) is not None
        return is_label or not in_head or len(words) > _PREFIX
    left = [other for other in row if other.end <= cell.start]
    if words or not left:
        return False
    label = fold(left[-1].text)
    if _ROLE.search(label):
        return True
    is_form = not in_head and _FORM_LABEL.fullmatch(label) is not None
    return is_form and label.endswith(":") and not _OF_THE_SENDER.search(label)
