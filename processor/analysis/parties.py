"""Distinguish the parties of a document: recipients, the sender, names only mentioned.

Recipients are in the address, after a label or in the salutation. A sender begins a line.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from core.text import fold, split_words
from processor.analysis.layout import Cell, in_column_of, rows_of
from processor.analysis.name_matching import is_same_party, name_words
from processor.analysis.sender_signs import (
    has_sign_of_sender,
    is_postage_mark,
    is_spread_over,
    names_a_company,
)
from processor.analysis.words import any_of, parties

_HEAD = 40
"""Lines that are searched for an address or a salutation."""
_ADDRESS = 4
"""Lines of an address after the name, down to the town."""
_I = re.IGNORECASE
_LABEL = any_of(parties.RECIPIENT)
_TO = re.compile(
    rf"(?:{_LABEL})(?!\w)(?: ?/ ?(?:{_LABEL})(?!\w))?\s*(?P<colon>:?)\s*(?P<name>.*)", _I
)
_CARE_OF = re.compile(rf"(?:{any_of(parties.CARE_OF)})\s*:?\s*(?P<name>\S.*)", _I)
_ATTENTION = re.compile(rf"(?:{any_of(parties.ATTENTION)})(?!\w)", _I)
"""Below the name of a company in an address."""
_HONORIFIC = re.compile(rf"(?:an\s+)?(?:{any_of(parties.HONORIFIC)})(?:\s+(?P<name>\S.*))?", _I)
_TOWN = re.compile(
    r"(?:^|\s|-)\d{4,5}\s+[^\W\d]|\b[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b|\b\d{4} ?[A-Z]{2}\b"
    r"|\b[A-Z]{2} \d{5}(?:-\d{4})?\b|\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b|\b[A-Z]{2,3} \d{4}$"
    r"|\b\d{2}-\d{3} [A-Z]|\b\d{4}-\d{3} [A-Z]|^(?:SE-)?\d{3} \d{2} [A-Z]"
)
_SALUTATION = re.compile(
    r"""(?:sehr\ geehrte[rs]?|liebe[rs]?|werte[rs]?|guten\ (?:tag|morgen|abend)|hallo
    |dear|hello|hi|chère?|bonjour|geachte|beste|monsieur|madame)\s+
    (?P<name>[^,!:;.\d]{2,60}(?:\.[^,!:;.\d]{2,60}){0,2})[,!:]?""",
    _I | re.VERBOSE,
)
_LETTERHEAD = 2
"""Lines at the top in which a name is the sender's."""
_BLOCK = 6
_NAMES = 2
"""Lines below a label that may be names, such as a firm and a person."""
_SEPARATED = re.compile(r"[^\W\d_]{3,}[^,·*|]*(?:[,·*|]| - )")
"""A name, then a sign that separates it from its address."""
_CAPITAL = r"[A-ZÄÖÜÉÈÀÇ][\w'’.&-]*"
_PERSON = re.compile(rf"{_CAPITAL}(?: (?:de|der|van|von|zu|{_CAPITAL})){{1,4}}")
_PARTY = re.compile(
    rf"{_CAPITAL}(?: (?:de|der|van|von|zu|und|and|et|en|og|och|e|y|&|{_CAPITAL})){{1,5}}"
)
_CONTACT = re.compile(
    r"\b(?:tel|telefon|phone|fax|www|iban|bic|ust|vat|tva|btw|kvk|siret|registered)\b|@", _I
)
_AND = re.compile(r"(?<=\)) (?:und|and|et|en) ")
_FOR_COMPANIES = re.compile(r"(?:an\s+)?firma\b", _I)
_IN_BRACKETS = re.compile(r"\([^)]*\)")
_NAME_ENDS = re.compile(r"[,;(]|\s[-–—]\s")
_ENOUGH = 100_000
"""Characters that are searched: a megabyte would take seconds."""
LETTERHEAD = 4
"""Lines at the top in which a sender writes its name."""
_SENTENCE_WORDS = 4
"""Minimum words in small letters of a name that is a sentence."""
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
_BANK_NAME = re.compile(r"bank|sparkasse|kasse\b|banque|\bbanc[oa]\b|\bcaja\b|\bcaixa\b|\bcaisse\b")
_CARD = re.compile(
    r"\bterm(?:inal)?\b|\b[at]id\b|karten(?:zahlung|beleg)|card payment|\bpin\b|\btpe\b|\beftpos\b"
    r"|carte bancaire|\bpinnen\b|\bkortk[oø]b\b|\bdatafono\b|pagamento con carta"
)
_SLIP = re.compile(any_of(parties.PAYMENT_SLIP))
_SENT_BY = re.compile(rf"\W*(?:{any_of(parties.SENT_BY)})\s*")
_CONTACT_LABEL = re.compile(any_of(parties.CONTACT))
_ARTICLE = r"(?: (?:der|die|das|den|dem|the|a|la|le|les|l|het|de))?"
_ABOUT = re.compile(
    rf"(?:\b(?:{any_of(parties.OTHERS)}){_ARTICLE}|\./\.)[\s:]*(?:the )?$"
    r"|\b(?!zwischen |between |entre )\w+,? (?:der|dem|des|the)\s+$"
)
"""What precedes the name of somebody else."""
_SENDER_LABEL = any_of(parties.SENDER_LABEL)
_SENDER_HEADING = re.compile(rf"(?:{_SENDER_LABEL})\b[^\d:]{{0,40}}:?")
"""Above the sender's name and address, as in a form."""
_NUMBERED = re.compile(r"\(?\d\)\s*$")
"""Before each party of a contract."""
_OF_THE_SENDER = re.compile(
    rf"(?:\b(?:{_SENDER_LABEL}|{any_of(parties.SENDER_PARTICLE)}){_ARTICLE}[\s:,.]*|[@./])$"
    r"|^\W*(?:der|die|das|the|la|le|les|l|het|de)\W*$"
)
"""What precedes the sender's name, including the beginning of a web address."""
_ROLE = re.compile(rf"(?:{any_of(parties.ROLES)})[\s:.]*$")
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
_PREFIX = 2
"""Maximum words before a name in the letterhead that belong to it: Stichting, Ets."""


def find_recipients(text: str) -> Iterator[str]:
    """Yield the recipients as they are written in the address, after "To:" and in the salutation.

    Some results are no names, such as "Damen und Herren"; no sender is called that.
    """
    rows = rows_of(text)[:_HEAD]
    for number, row in enumerate(rows):
        below = rows[number + 1 : number + 1 + _ADDRESS]
        is_below = number >= _LETTERHEAD or (number > 0 and _is_return_address(rows[number - 1]))
        letterhead = [cell.text for row in rows[: min(number, _LETTERHEAD)] for cell in row]
        for column, cell in enumerate(row):
            is_senders = number > 0 and _is_below_sender_label(cell, rows[number - 1])
            is_plain = is_below and not is_senders and not _repeats(cell.text, letterhead)
            for name in (
                *_find_labelled(row, column, below),
                *_find_company_of(cell, below),
                *_find_addressee(cell, below),
                *(_find_plain_addressee(row, column, rows[number + 1 :]) if is_plain else ()),
                *_find_greeted(cell),
            ):
                for part in _AND.split(name):
                    if found := _NAME_ENDS.split(part)[0].strip():
                        yield found


def is_label(name: str) -> bool:
    """Return whether a name is a label or begins with one: Invoice to, Patient-Nr., Landlord: X."""
    if ": " in name.strip():
        return True
    match = _TO.fullmatch(name.strip())
    if match is not None and not match["name"]:
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
    is any name below the letterhead if nothing else shows that it is the sender's.
    """
    if _BEGINS_WITH_ROLE.match(fold(name)) or _reads_like_a_sentence(name):
        return True
    if _is_part_of_a_name(name) and name not in in_use:
        return True
    places = list(_find_places(name, text, in_use))
    if not places:
        return False
    as_sender = [number for number, _, is_mention in places if not is_mention]
    if not as_sender or _has_longer_name(name, text, in_use):
        return True
    rows, addressed = rows_of(text[:_ENOUGH]), list(recipients)
    above = rows[: min(as_sender[0], LETTERHEAD)]
    if is_spread_over(name, above):
        return False
    return _is_opened_by_another(name, above, in_use, addressed) or (
        as_sender[0] >= LETTERHEAD and _is_without_sign(name, rows, as_sender, addressed)
    )


def _is_part_of_a_name(name: str) -> bool:
    """Return whether a name is only general words and a legal form: Baumarkt Handels GmbH."""
    words = name_words(name)
    return words != split_words(name) and all(map(_GENERAL.fullmatch, words))


def _is_without_sign(
    name: str, rows: Sequence[Sequence[Cell]], numbers: Collection[int], recipients: Collection[str]
) -> bool:
    """Return whether nothing shows that a name below the letterhead is the sender's."""
    is_signature = _is_person(name) and names_a_company(rows[:LETTERHEAD], recipients)
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
    return _pattern(name).search(fold(text[:_ENOUGH])) is not None


def _find_labelled(
    row: Sequence[Cell], column: int, below: Sequence[Sequence[Cell]]
) -> Iterator[str]:
    if match := _CARE_OF.fullmatch(row[column].text):
        yield match["name"]
    match = _TO.fullmatch(row[column].text)
    if match is None or _is_payment_slip(row):
        return
    if match["name"]:
        # Without a colon it is a sentence: "Customer service is open from nine to five".
        if match["colon"]:
            yield match["name"]
        return
    if column + 1 < len(row) and ":" not in row[column + 1].text:
        yield row[column + 1].text
        yield from _find_second(row[column], row[column + 1], below)
    for under in islice(_column_below(row[column], below), _NAMES):
        if any(map(str.isdigit, under.text)):
            break
        yield under.text


def _is_below_sender_label(cell: Cell, above: Sequence[Cell]) -> bool:
    """Return whether the cell above a name, or the only one of that row, is a sender's label."""
    heading = above[0] if len(above) == 1 else in_column_of(cell, above)
    return heading is not None and _SENDER_HEADING.fullmatch(fold(heading.text)) is not None


def _find_company_of(cell: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """Yield the company above a line such as "for the attention of"."""
    under = in_column_of(cell, below[0]) if below else None
    if under and _ATTENTION.match(under.text):
        yield cell.text


def _find_second(label: Cell, first: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """Yield the person below the first one after a label, if that line has no label itself."""
    for cell in (below or [()])[0]:
        if cell.start <= label.end:
            return
        if cell.start == first.start and _PERSON.fullmatch(cell.text):
            yield cell.text


def _is_payment_slip(row: Sequence[Cell]) -> bool:
    """Return whether a row is part of a payment slip, whose recipient is the sender."""
    return any(_SLIP.search(fold(cell.text)) for cell in row)


def _column_below(cell: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[Cell]:
    return (under for row in below if (under := in_column_of(cell, row)))


def _find_addressee(cell: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[str]:
    match = _HONORIFIC.fullmatch(cell.text)
    if match is None or _is_company(match):
        return
    column = [under for row in below if (under := in_column_of(cell, row))]
    if any(_TOWN.search(under.text) for under in column):
        yield match["name"] or column[0].text
    elif match["name"] and _PERSON.fullmatch(_NAME_ENDS.split(match["name"])[0].strip()):
        yield match["name"]


def _find_plain_addressee(
    row: Sequence[Cell], column: int, below: Sequence[Sequence[Cell]]
) -> Iterator[str]:
    """Yield a name above a street and a town, unless the block goes on like a letterhead."""
    cell = row[column]
    if not _PARTY.fullmatch(cell.text) or _is_return_address(row):
        return
    lines = [under.text for under in _column_below(cell, below[:_BLOCK])]
    # A town just below the name is the sender's, unless its street is before it.
    streets = [line for line in lines[:1] if "," in line]
    has_town = any(_TOWN.search(line) for line in (*streets, *lines[1:_ADDRESS]))
    towns = [at for at, line in enumerate(lines) if _TOWN.search(line)]
    if towns and any(_HONORIFIC.fullmatch(line) for line in lines[towns[0] :]):
        # The addressee is below: this is the sender's own address.
        return
    if has_town and not any(_CONTACT.search(line) for line in lines):
        yield cell.text


def _repeats(name: str, letterhead: Iterable[str]) -> bool:
    """Return whether a name has all words of a line of the letterhead: the sender's address."""
    words = f" {' '.join(split_words(name))} "
    lines = (" ".join(split_words(line)) for line in letterhead)
    return any(f" {line} " in words for line in lines if line)


def _is_return_address(row: Sequence[Cell]) -> bool:
    """Return whether a row is the small line above an address: the sender, its street and town."""
    text = " , ".join(cell.text for cell in row)
    return bool(_TOWN.search(text) and _SEPARATED.search(text))


def _is_company(match: re.Match[str]) -> bool:
    """Return whether a form of address is part of a company's name: MR. D.I.Y. is no person."""
    name = match["name"]
    if not name or _FOR_COMPANIES.match(match[0]):
        return False
    bare = _IN_BRACKETS.sub(" ", name)
    words = split_words(bare)
    return name_words(bare) != words or all(len(word) == 1 for word in words)


def _find_greeted(cell: Cell) -> Iterator[str]:
    match = _SALUTATION.fullmatch(cell.text)
    if match:
        yield match["name"]


def _has_longer_name(name: str, text: str, in_use: Iterable[str]) -> bool:
    """Return whether the first lines have a longer name in use, even across lines."""
    opening = _read_opening(rows_of(text[:_ENOUGH])[:LETTERHEAD])
    return any(
        f" {' '.join(name_words(other))} " in opening for other in find_longer_names(name, in_use)
    )


def _read_opening(rows: Iterable[Sequence[Cell]]) -> str:
    head = [cell.text for row in rows for cell in row]
    return f" {' '.join(word for line in head for word in name_words(line))} "


def _is_opened_by_another(
    name: str, above: Sequence[Sequence[Cell]], in_use: Collection[str], recipients: Collection[str]
) -> bool:
    """Return whether the first lines have another name in use that is not a recipient's."""
    opening = _read_opening(above)
    mine = name_words(name)
    # A new name below one in use is at most another name of the same sender.
    is_new = not any(mine == name_words(other) for other in in_use)
    return any(
        f" {' '.join(words)} " in opening
        for other in in_use
        if (words := name_words(other))
        and (is_new or not set(mine) & set(words))
        and not any(is_same_party(other, recipient) for recipient in recipients)
    )


def _find_places(
    name: str, text: str, in_use: Iterable[str]
) -> Iterator[tuple[int, Sequence[Cell], bool]]:
    """Yield the number of each row with a name, the row, and whether it only mentions the name."""
    pattern, others = _pattern(name), [_pattern(other) for other in find_longer_names(name, in_use)]
    rows = rows_of(text[:_ENOUGH])
    for number, row in enumerate(rows):
        for cell in row:
            folded = fold(cell.text)
            for other in others:
                folded = other.sub(lambda match: "#" * len(match[0]), folded)
            if match := pattern.search(folded):
                before = _NUMBERED.sub("", folded[: match.start()])
                after = folded[match.end() :]
                in_form = number >= LETTERHEAD and _is_in_form(cell, rows, number)
                in_head = number < LETTERHEAD
                yield (
                    number,
                    row,
                    _is_mention(row, cell, before, after, in_head=in_head)
                    or _is_bank(name, rows, number)
                    or (in_form and not before and not _is_labelled_sender(row, cell))
                    or _is_sentence_with(name, cell.text, before, after, number)
                    or _is_signed(row, number)
                    or _is_named_above(cell, rows[:number])
                    or (number > 0 and is_postage_mark(cell, rows[number + 1 : number + 2])),
                )


def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern for folded text; one that never matches for a name without words."""
    spelling = r"\W+".join(map(re.escape, name_words(name)))
    return re.compile(rf"(?<!\w){spelling}(?!\w)" if spelling else r"(?!)")


def _is_mention(row: Sequence[Cell], cell: Cell, before: str, after: str, *, in_head: bool) -> bool:
    line = " ".join(other.text for other in row)
    if _DAY.match(line) and _PRICE.search(line):
        return True
    if _SENT_BY.fullmatch(before):
        return False
    if before.startswith("("):
        return True
    rest = " ".join([after, *(fold(other.text) for other in row if other.start > cell.start)])
    if _ABOUT.search(before) or _BANK.search(before) or _BANK.match(rest.lstrip(" ,:")):
        return True
    return _belongs_to_another(row, cell, before, in_head=in_head)


def _is_signed(row: Sequence[Cell], number: int) -> bool:
    """Return whether a row is nothing but the names of several persons, as below a letter."""
    are_persons = all(_is_person(cell.text) for cell in row)
    return number >= LETTERHEAD and len(row) > 1 and are_persons


def _is_named_above(cell: Cell, above: Sequence[Sequence[Cell]]) -> bool:
    """Return whether the cell above a name is the label of another party, as in a form."""
    label = in_column_of(cell, above[-1]) if above else None
    return label is not None and _ROLE_ABOVE.fullmatch(fold(label.text)) is not None


def _is_person(name: str) -> bool:
    return _PERSON.fullmatch(name) is not None and name_words(name) == split_words(name)


def _reads_like_a_sentence(name: str) -> bool:
    words = (fold(word) for word in _SMALL_WORD.findall(name))
    return sum(word not in _IN_NAMES for word in words) >= _SENTENCE_WORDS


def _is_bank(name: str, rows: Sequence[Sequence[Cell]], number: int) -> bool:
    """Return whether a name is that of a bank beside or above an account, or on a card receipt."""
    if number < LETTERHEAD:
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
    goes_on = text[0].islower() and len(split_words(before)) > _PREFIX and number >= LETTERHEAD
    return goes_on or (not is_owner and _is_sentence(text, name))


def _is_sentence(text: str, name: str) -> bool:
    """Return whether a cell has several words in small letters that are not part of the name."""
    own = {*_IN_NAMES, *split_words(name)}
    return sum(fold(word) not in own for word in _SMALL_WORD.findall(text)) >= _SMALL_WORDS


def _is_in_form(cell: Cell, rows: Sequence[Sequence[Cell]], number: int) -> bool:
    """Return whether a cell is a value of a form: rows around it have a label and a value, too."""
    label = next((other for other in rows[number] if other.end <= cell.start), None)
    if label is None or not _FORM_LABEL.fullmatch(label.text):
        return False
    around = (*rows[max(0, number - _FORM_ROWS) : number], *rows[number + 1 :][:_FORM_ROWS])
    same = (
        len(row) > 1 and row[0].start == label.start and any(c.start == cell.start for c in row)
        for row in around
    )
    return sum(same) >= _FORM_ROWS


def _is_labelled_sender(row: Sequence[Cell], cell: Cell) -> bool:
    """Return whether the cell before a name is a word for the sender: Seller."""
    left = [other for other in row if other.end <= cell.start]
    return _OF_THE_SENDER.search(f"{fold(left[-1].text)} ") is not None


def _belongs_to_another(row: Sequence[Cell], cell: Cell, before: str, *, in_head: bool) -> bool:
    """Return whether words before a name, or the label of its row, refer to another party."""
    words = split_words(before)
    if words and not _OF_THE_SENDER.search(before):
        is_label = ":" in before or _ROLE.search(before) is not None
        return is_label or not in_head or len(words) > _PREFIX or cell.text[0].islower()
    left = [other for other in row if other.end <= cell.start]
    if words or not left:
        return False
    label = fold(left[-1].text)
    if _ROLE.search(label):
        return True
    is_form = not in_head and _FORM_LABEL.fullmatch(label) is not None
    return is_form and label.endswith(":") and not _OF_THE_SENDER.search(label)
