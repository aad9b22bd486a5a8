"""Find the recipients of a letter: in the address, after a label, in the salutation."""

import re
from collections.abc import Iterator, Sequence

from core.text import split_words
from processor.analysis.layout import Cell, in_column_of, rows_of
from processor.analysis.name_matching import name_words

_HEAD = 40
"""Lines that are searched for an address or a salutation."""
_ADDRESS = 4
"""Lines of an address after the name, down to the town."""
_I = re.IGNORECASE

_TO = re.compile(
    r"""(?:an|to|aan|à|empfänger(?:in)?|rechnungsempfänger(?:in)?|rechnungs(?:adresse|anschrift)
    |rechnung\ an|lieferung\ an|liefer(?:adresse|anschrift)|kund(?:e|in)|patient(?:in)?
    |versicherungsnehmer(?:in)?|mieter(?:in)?|arbeitnehmer(?:in)?
    |(?:bill|billed|sold|ship|shipped|deliver|invoice|addressed)\ to|customer|client|guest
    |policy\ ?holder|employee|tenant|käufer(?:in)?|leistungsempfänger(?:in)?|besteller(?:in)?
    |auftraggeber(?:in)?|kontoinhaber(?:in)?|darlehensnehmer(?:in)?|antragsteller(?:in)?|mitglied
    |versicherte(?:r|\ person)?|buyer|purchaser|account\ holder|borrower|applicant|insured|member
    |received\ from|erhalten\ von|reçu\ de|acheteur|titulaire|locataire|patiente|assurée?|abonnée?
    |koper|afnemer|opdrachtgever|huurder|rekeninghouder|verzekerde|passenger
    |destinataire|factur[ée]e?\ à|livr[ée]e?\ à|adress[ée]e?\ à
    |factuuradres|afleveradres|geadresseerde|klant)\s*(?P<colon>:?)\s*(?P<name>.*)""",
    _I | re.VERBOSE,
)
_HONORIFIC = re.compile(
    r"""(?:an\s+)?(?:frau|herrn?|fam(?:ilie|\.)|eheleute|firma|mr\.?|mrs\.?|ms\.?|miss|mx\.?|mme\.?
    |mlle\.?|m\.|monsieur|madame|de\ heer|dhr\.?|mevr(?:ouw|\.)?)(?:\s+(?P<name>\S.*))?""",
    _I | re.VERBOSE,
)
_TOWN = re.compile(
    r"(?:^|\s|-)\d{4,5}\s+\w|\b[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b|\b\d{4} ?[A-Z]{2}\b"
)
_SALUTATION = re.compile(
    r"""(?:sehr\ geehrte[rs]?|liebe[rs]?|werte[rs]?|guten\ (?:tag|morgen|abend)|hallo
    |dear|hello|hi|chère?|bonjour|geachte|beste|monsieur|madame)\s+
    (?P<name>[^,!:;.\d]{2,60}(?:\.[^,!:;.\d]{2,60}){0,2})[,!:]?""",
    _I | re.VERBOSE,
)
_LETTERHEAD = 3
"""Lines at the top in which a name is the sender's."""
_BLOCK = 6
_CAPITAL = r"[A-ZÄÖÜÉÈÀÇ][\w'’.&-]*"
_PERSON = re.compile(rf"{_CAPITAL}(?: (?:de|der|van|von|zu|{_CAPITAL})){{1,4}}")
_PARTY = re.compile(rf"{_CAPITAL}(?: (?:de|der|van|von|zu|und|and|et|en|&|{_CAPITAL})){{1,5}}")
_CONTACT = re.compile(
    r"\b(?:tel|telefon|phone|fax|www|iban|bic|ust|vat|tva|btw|kvk|siret|registered)\b|@", _I
)
_AND = re.compile(r"(?<=\)) (?:und|and|et|en) ")
_FOR_COMPANIES = re.compile(r"(?:an\s+)?firma\b", _I)
_IN_BRACKETS = re.compile(r"\([^)]*\)")
_NAME_ENDS = re.compile(r"[,;(]|\s[-–—]\s")


def find_recipients(text: str) -> Iterator[str]:
    """Yield the recipients as they are written in the address, after "To:" and in the salutation.

    Some results are no names, such as "Damen und Herren"; no sender is called that.
    """
    rows = rows_of(text)[:_HEAD]
    for number, row in enumerate(rows):
        below = rows[number + 1 : number + 1 + _ADDRESS]
        for column, cell in enumerate(row):
            for name in (
                *_find_labelled(row, column, below),
                *_find_addressee(cell, below),
                *(_find_plain_addressee(cell, rows[number + 1 :]) if number >= _LETTERHEAD else ()),
                *_find_greeted(cell),
            ):
                for part in _AND.split(name):
                    if found := _NAME_ENDS.split(part)[0].strip():
                        yield found


def _find_labelled(
    row: Sequence[Cell], column: int, below: Sequence[Sequence[Cell]]
) -> Iterator[str]:
    match = _TO.fullmatch(row[column].text)
    if match is None:
        return
    if match["name"]:
        # Without a colon it is a sentence: "Customer service is open from nine to five".
        if match["colon"]:
            yield match["name"]
        return
    if column + 1 < len(row) and ":" not in row[column + 1].text:
        yield row[column + 1].text
    if below and (under := in_column_of(row[column], below[0])):
        yield under.text


def _find_addressee(cell: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[str]:
    match = _HONORIFIC.fullmatch(cell.text)
    if match is None or _is_company(match):
        return
    column = [under for row in below if (under := in_column_of(cell, row))]
    if any(_TOWN.search(under.text) for under in column):
        yield match["name"] or column[0].text
    elif match["name"] and _PERSON.fullmatch(_NAME_ENDS.split(match["name"])[0].strip()):
        yield match["name"]


def _find_plain_addressee(cell: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """Yield a name above a street and a town, unless the block goes on like a letterhead."""
    if not _PARTY.fullmatch(cell.text):
        return
    column = [under.text for row in below[:_BLOCK] if (under := in_column_of(cell, row))]
    has_town = any(_TOWN.search(line) for line in column[1:_ADDRESS])
    if has_town and not any(_CONTACT.search(line) for line in column):
        yield cell.text


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
