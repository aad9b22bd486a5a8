"""Distinguish the sender of a document from names that it only mentions.

The sender's name begins a line.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.text import fold, split_words
from processor.analysis.layout import SEARCHED, Cell, in_column_of, join_spaced_out, read_page
from processor.analysis.name_matching import is_same_party, name_words
from processor.analysis.recipients import PERSON, is_addressed, is_recipient_label
from processor.analysis.sender_signs import (
    has_sign_of_sender,
    is_postage_mark,
    is_spread_over,
    names_a_company,
)
from processor.analysis.words import any_of, parties

_LETTERHEAD = 4
"""Lines at the top in which a sender writes its name."""
_SENTENCE_WORDS = 4
"""Minimum words in small letters of a name that is a sentence."""
_SMALL_WORDS = 2
"""Minimum words in small letters of a sentence."""
_SMALL_WORD = re.compile(r"(?<![\w.@-])[a-zäöüßàâéèêëïîôùûç]{2,}(?![\w@-]|\.\w)")
_UNFINISHED = re.compile(
    r".{40,} (?:von|vom|der|des|dem|den|die|das|bei|mit|durch|an|und|of|the|by|with|to|from|and"
    r"|de|du|la|le|par|et|van|het|door|en|di|del|della|e|y|por|da|do|av|och|af|og)"
)
"""A line of text that continues in the next one: auf das Konto der."""
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
_BANK_NAME = re.compile(r"bank|sparkasse|kasse\b|banque|\bbanc[oa]\b|\bcaja\b|\bcaixa\b|\bcaisse\b")
_CARD = re.compile(
    r"\bterm(?:inal)?\b|\b[at]id\b|karten(?:zahlung|beleg)|card payment|\bpin\b|\btpe\b|\beftpos\b"
    r"|carte bancaire|\bpinnen\b|\bkortk[oø]b\b|\bdatafono\b|pagamento con carta"
)
_SENT_BY = re.compile(rf"\W*(?:{any_of(parties.SENT_BY)})\s*")
_FROM = re.compile(rf"\W*(?:{any_of(parties.FROM)})\s*:\W*")
_ADDRESS_OF = re.compile(r"[\s\W]*<?[\w.+-]+@")
"""After a name in the head of an e-mail: Muster <info@muster.example>."""
_CONTACT_LABEL = re.compile(any_of(parties.CONTACT))
_ARTICLE = r"(?: (?:der|die|das|den|dem|the|a|la|le|les|l|het|de))?"
_ABOUT = re.compile(
    rf"(?:\b(?:{any_of(parties.OTHERS)}){_ARTICLE}|\./\.)[\s:]*(?:the )?$"
    r"|\b(?!zwischen |between |entre )\w+,? (?:der|dem|des|the)\s+$"
)
"""What precedes the name of somebody else."""
_SENDER_LABEL = any_of(parties.SENDER_LABEL)
_NUMBERED = re.compile(r"\(?\d\)\s*$")
"""Before each party of a contract."""
_OF_THE_SENDER = re.compile(
    rf"(?:\b(?:{_SENDER_LABEL}|{any_of(parties.SENDER_PARTICLE)}){_ARTICLE}[\s:,.]*|[@./])$"
    r"|^\W*(?:der|die|das|the|la|le|les|l|het|de)\W*$"
)
"""What precedes the sender's name, including the beginning of a web address."""
_ROLE = re.compile(rf"(?:{any_of(parties.ROLES)})[\s:.]*$")
_PROPRIETOR = re.compile(rf"(?<!\w)(?:{any_of(parties.PROPRIETOR)})[\s.:]+(?:[a-z]{{1,4}}\.? )?$")
"""Before the name of a person, perhaps with a title: Inh. Dr."""
_ROLE_ABOVE = re.compile(rf"(?:{any_of(parties.ROLES)})\s*:")
_BEGINS_WITH_ROLE = re.compile(rf"(?:{any_of(parties.NO_NAMES)})\b")
_GENERAL = re.compile(any_of(parties.GENERAL))
_FORM_LABEL = re.compile(r"[^\W\d_][^\d:]{1,25}:?")
"""A short cell before another one, as in a form."""
_LABEL_END = re.compile(
    r":$|(?:^|[\s-])(?:nr|no|n[°º]|nummer|number|numero|num)\.?$|\w(?:nr|nummer)\.?$"
)
_SPACED_OUT = 3
"""Minimum letters of a part of a spaced-out heading: H A R K N E S S."""
_FORM_ROWS = 2
"""Rows before and after a name, as many of which must have the same columns in a form."""
_COMMA = re.compile(r"[\s\w.&]{0,15},")
"""After a name, perhaps after its legal form."""
_SHARE_CAPITAL = re.compile(
    r"[\s\w.&]{0,15}\b(?:au capital|cap(?:itale|\.) soc|capital social|mit (?:einem )?stammkapital)"
)
"""After a name in an imprint: X SARL au capital de."""
_HEADING_ROWS = 6
"""Lines at the top in which a sender may say what it is: X GmbH, amtlich anerkannte Prüfstelle."""
_ACCOUNT = 30
"""Characters after a name that may begin with a word for a bank account or with its number."""
_PREFIX = 2
"""Maximum words before a name in the letterhead that belong to it: Stichting, Ets."""


def is_label(name: str) -> bool:
    """Return whether a name is a label or begins with one: Invoice to, Patient-Nr., Landlord: X."""
    if ": " in name.strip():
        return True
    if is_recipient_label(name.strip()):
        return True
    words = split_words(name)
    is_spaced_out = len(words) > _SPACED_OUT and all(len(word) == 1 for word in words)
    is_contact = _CONTACT_LABEL.fullmatch(" ".join(words)) is not None
    return is_spaced_out or is_contact or _LABEL_END.search(fold(name)) is not None


def is_only_mentioned(
    name: str, text: str, in_use: Collection[str] = (), recipients: Iterable[str] = ()
) -> bool:
    """Return whether a name stands in the text, but never as a sender writes it.

    A sender's name begins a line without a sentence. Where a longer name in use stands, the
    shorter one does not. If another name in use opens the letter, a name below it is a mention. So
    is the proprietor of a firm, and any name below the letterhead if nothing else shows that it is
    the sender's.
    """
    if _is_no_name(name, in_use):
        return True
    places = list(_find_places(name, text, in_use))
    if not places:
        return False
    as_sender = [number for number, _, is_mention in places if not is_mention]
    if not as_sender or _has_longer_name(name, text, in_use):
        return True
    rows, addressed = read_page(text).rows, list(recipients)
    if _is_person(name) and _is_proprietor(name, rows):
        return True
    above = rows[: min(as_sender[0], _LETTERHEAD)]
    if is_spread_over(name, above):
        return False
    return _is_opened_by_another(name, above, in_use, addressed) or (
        as_sender[0] >= _LETTERHEAD and _is_without_sign(name, rows, as_sender, addressed)
    )


def _is_no_name(name: str, in_use: Collection[str]) -> bool:
    """Return whether a name is a sentence, begins with a role, or has only general words."""
    is_text = _BEGINS_WITH_ROLE.match(fold(name)) is not None or _reads_like_a_sentence(name)
    return is_text or (name not in in_use and _is_part_of_a_name(name))


def _is_part_of_a_name(name: str) -> bool:
    """Return whether a name is only general words and a legal form: Baumarkt Handels GmbH."""
    words = name_words(name)
    # Text recognition may read m as rn.
    plain = (word.replace("rn", "m") for word in words)
    is_general = all(map(_GENERAL.fullmatch, words)) or all(map(_GENERAL.fullmatch, plain))
    return words != split_words(name) and is_general


def _is_proprietor(name: str, rows: Sequence[Sequence[Cell]]) -> bool:
    """Return whether a label calls a person the proprietor or manager: Inhaberin, prop."""
    pattern = _pattern(name)
    found = ((cell, pattern.search(fold(cell.text))) for row in rows for cell in row)
    return any(
        match is not None and _PROPRIETOR.search(fold(cell.text)[: match.start()]) is not None
        for cell, match in found
    )


def _is_without_sign(
    name: str, rows: Sequence[Sequence[Cell]], numbers: Collection[int], recipients: Collection[str]
) -> bool:
    """Return whether nothing shows that a name below the letterhead is the sender's."""
    is_signature = _is_person(name) and names_a_company(rows[:_LETTERHEAD], recipients)
    return is_signature or not has_sign_of_sender(name, rows, numbers)


def find_sender_rows(name: str, text: str, in_use: Iterable[str] = ()) -> Iterator[Sequence[Cell]]:
    """Yield the rows in which a name stands in full, as a sender writes it."""
    return (row for _, row, is_mention in _find_places(name, text, in_use) if not is_mention)


def find_longer_names(name: str, in_use: Iterable[str]) -> list[str]:
    """Return the names in use that have all words of a name, and more."""
    words = set(name_words(name))
    return [other for other in in_use if words < set(name_words(other))]


def stands_in(name: str, text: str) -> bool:
    """Return whether a name stands in a text in full."""
    return _pattern(name).search(fold(text[:SEARCHED])) is not None


def _has_longer_name(name: str, text: str, in_use: Iterable[str]) -> bool:
    """Return whether the first lines have a longer name in use, even across lines."""
    opening = _read_opening(read_page(text).rows[:_LETTERHEAD])
    return any(
        f" {' '.join(name_words(other))} " in opening for other in find_longer_names(name, in_use)
    )


def _read_opening(rows: Iterable[Sequence[Cell]]) -> str:
    head = [join_spaced_out(cell.text) for row in rows for cell in row]
    return f" {' '.join(word for line in head for word in name_words(line))} "


def _is_opened_by_another(
    name: str, above: Sequence[Sequence[Cell]], in_use: Collection[str], recipients: Collection[str]
) -> bool:
    """Return whether the first lines have another name in use that is not a recipient's."""
    opening = _read_opening(above)
    mine = name_words(name)
    # A surname that a person shares with a firm does not show that they are the same.
    telling = mine[:-1] if _is_person(name) else mine
    # A new name below one in use is at most another name of the same sender.
    is_new = not any(mine == name_words(other) for other in in_use)
    return any(
        f" {' '.join(words)} " in opening
        for other in in_use
        if (words := name_words(other))
        and (is_new or not set(telling) & set(words))
        and not any(is_same_party(other, recipient) for recipient in recipients)
    )


def _find_places(
    name: str, text: str, in_use: Iterable[str]
) -> Iterator[tuple[int, Sequence[Cell], bool]]:
    """Yield the number of each row with a name, the row, and whether it only mentions the name."""
    pattern, others = _pattern(name), [_pattern(other) for other in find_longer_names(name, in_use)]
    rows = read_page(text).rows
    for number, row in enumerate(rows):
        found = list(_find_cells(pattern, others, row))
        if not found:
            continue
        whole = _Row.of(name, rows, number)
        for column, match in found:
            yield number, row, _is_of_another(name, whole, column, match)


def _find_cells(
    pattern: re.Pattern[str], others: Sequence[re.Pattern[str]], row: Sequence[Cell]
) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the columns of a row in which a name stands, but not as a part of other names."""
    for column, cell in enumerate(row):
        folded = fold(cell.text)
        for other in others:
            folded = other.sub(lambda match: "#" * len(match[0]), folded)
        if match := pattern.search(folded):
            yield column, match


@dataclass(frozen=True, slots=True)
class _Row:
    """A row with a name, and what all of its cells say; a row may have thousands."""

    rows: Sequence[Sequence[Cell]]
    number: int
    is_entry: bool
    """Whether it is an entry of a list: a day, and an amount at the end."""
    is_bank: bool
    is_signed: bool

    @classmethod
    def of(cls, name: str, rows: Sequence[Sequence[Cell]], number: int) -> "_Row":
        line = " ".join(cell.text for cell in rows[number])
        return cls(
            rows=rows,
            number=number,
            is_entry=bool(_DAY.match(line) and _PRICE.search(line)),
            is_bank=_is_bank(name, rows, number),
            is_signed=_is_signed(rows[number], number),
        )

    @property
    def cells(self) -> Sequence[Cell]:
        return self.rows[self.number]

    @property
    def in_head(self) -> bool:
        return self.number < _LETTERHEAD

    @property
    def above(self) -> Sequence[Cell]:
        """The row above; empty in the first row."""
        return self.rows[self.number - 1] if self.number else ()


def _is_of_another(name: str, row: _Row, column: int, match: re.Match[str]) -> bool:
    """Return whether a cell only mentions a name that is found in it."""
    cell = row.cells[column]
    before, after = _NUMBERED.sub("", match.string[: match.start()]), match.string[match.end() :]
    in_form = not row.in_head and _is_in_form(row, column)
    return (
        _is_mention(row, column, before, after)
        or row.is_bank
        or (in_form and not before and not _is_labelled_sender(row, column))
        or _is_sentence_with(name, cell.text, before, after, row.number)
        or (not before and _continues(row, cell.text[match.end() :]))
        or row.is_signed
        or _is_named_above(cell, row.above)
        or (row.number > 0 and is_postage_mark(cell, row.rows[row.number + 1 : row.number + 2]))
    )


def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern for folded text; one that never matches for a name without words."""
    spelling = r"\W+".join(map(re.escape, name_words(name)))
    return re.compile(rf"(?<!\w){spelling}(?!\w)" if spelling else r"(?!)")


def _is_mention(row: _Row, column: int, before: str, after: str) -> bool:
    if _FROM.fullmatch(before) and _ADDRESS_OF.match(after):
        return False
    if row.is_entry:
        return True
    if _SENT_BY.fullmatch(before):
        return False
    if before.startswith("(") or is_addressed(row.cells[column].text):
        return True
    rest = _read_rest(row.cells, column, after)
    if _ABOUT.search(before) or _BANK.search(before) or _BANK.match(rest):
        return True
    return _belongs_to_another(row, column, before)


def _read_rest(row: Sequence[Cell], column: int, after: str) -> str:
    """Return as much of the text after a name as shows whether it begins with a bank account."""
    rest = after.lstrip(" ,:")
    while len(rest) < _ACCOUNT and (column := column + 1) < len(row):
        rest = f"{rest} {fold(row[column].text)}".lstrip(" ,:")
    return rest


def _is_signed(row: Sequence[Cell], number: int) -> bool:
    """Return whether a row is nothing but the names of several persons, as below a letter."""
    are_persons = all(_is_person(cell.text) for cell in row)
    return number >= _LETTERHEAD and len(row) > 1 and are_persons


def _is_named_above(cell: Cell, above: Sequence[Cell]) -> bool:
    """Return whether the cell above a name is the label of another party, as in a form."""
    label = in_column_of(cell, above)
    return label is not None and _ROLE_ABOVE.fullmatch(fold(label.text)) is not None


def _is_person(name: str) -> bool:
    return PERSON.fullmatch(name) is not None and name_words(name) == split_words(name)


def _reads_like_a_sentence(name: str) -> bool:
    words = (fold(word) for word in _SMALL_WORD.findall(name))
    return sum(word not in _IN_NAMES for word in words) >= _SENTENCE_WORDS


def _is_bank(name: str, rows: Sequence[Sequence[Cell]], number: int) -> bool:
    """Return whether a name is that of a bank beside or above an account, or on a card receipt."""
    if number < _LETTERHEAD:
        return False
    here = fold(" ".join(cell.text for cell in rows[number]))
    if _CARD.search(here):
        return True
    near = fold(" ".join(cell.text for row in rows[number : number + 2] for cell in row))
    is_beside = _BANK.search(near) is not None or _CARD.search(near) is not None
    return is_beside and _BANK_NAME.search(fold(name)) is not None


def _is_sentence_with(name: str, text: str, before: str, after: str, number: int) -> bool:
    """Return whether a name is within a sentence, and not before what its owner is."""
    if _SENT_BY.fullmatch(before):
        return False
    in_heading = number < _HEADING_ROWS and _COMMA.match(after) is not None
    is_owner = not before and (in_heading or _SHARE_CAPITAL.match(after) is not None)
    goes_on = text[0].islower() and len(split_words(before)) > _PREFIX and number >= _LETTERHEAD
    return goes_on or (not is_owner and _is_sentence(text, name))


def _continues(row: _Row, after: str) -> bool:
    """Return whether a line that begins with a name continues the sentence of the line above."""
    is_line = not row.in_head and len(row.above) == 1
    if not is_line or _UNFINISHED.fullmatch(row.above[0].text) is None:
        return False
    return _SMALL_WORD.search(" ".join(after.split()[:_PREFIX])) is not None


def _is_sentence(text: str, name: str) -> bool:
    """Return whether a cell has several words in small letters that are not part of the name."""
    own = {*_IN_NAMES, *split_words(name)}
    return sum(fold(word) not in own for word in _SMALL_WORD.findall(text)) >= _SMALL_WORDS


def _is_in_form(row: _Row, column: int) -> bool:
    """Return whether a cell is a value of a form: rows around it have a label and a value, too."""
    rows, number = row.rows, row.number
    label, start = row.cells[0], row.cells[column].start
    if not column or not _FORM_LABEL.fullmatch(label.text):
        return False
    below = rows[number + 1 : number + 1 + _FORM_ROWS]
    around = (*rows[max(0, number - _FORM_ROWS) : number], *below)
    same = (
        len(other) > 1 and other[0].start == label.start and any(c.start == start for c in other)
        for other in around
    )
    return sum(same) >= _FORM_ROWS


def _is_labelled_sender(row: _Row, column: int) -> bool:
    """Return whether the cell before a name is a word for the sender: Seller."""
    return _OF_THE_SENDER.search(f"{fold(row.cells[column - 1].text)} ") is not None


def _belongs_to_another(row: _Row, column: int, before: str) -> bool:
    """Return whether words before a name, or the label of its row, refer to another party."""
    words = split_words(before)
    if words and not _OF_THE_SENDER.search(before):
        is_label = ":" in before or _ROLE.search(before) is not None
        begins_small = row.cells[column].text[0].islower()
        return is_label or not row.in_head or len(words) > _PREFIX or begins_small
    if words or not column:
        return False
    label = fold(row.cells[column - 1].text)
    if _ROLE.search(label):
        return True
    is_form = not row.in_head and _FORM_LABEL.fullmatch(label) is not None
    return is_form and label.endswith(":") and not _OF_THE_SENDER.search(label)
