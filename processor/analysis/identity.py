"""Find numbers and addresses on a page that identify a company: IBAN, VAT id, domain, phone."""

import re
from collections.abc import Callable, Iterator

from stdnum import iban
from stdnum.at import businessid
from stdnum.ch import uid as swiss_uid
from stdnum.de import handelsregisternummer
from stdnum.eu import at_02
from stdnum.eu import vat as eu_vat
from stdnum.exceptions import ValidationError
from stdnum.fr import siren
from stdnum.gb import vat as british_vat

from core.learning import Fact, FactKind
from processor.analysis.layout import Cell, cells_of

_HEAD, _FOOT = 14, 14
"""Lines at the top and at the bottom of a page in which a sender writes about itself."""
_BLOCK = 6
"""Lines that belong to a label such as Seller or Bill to."""
_COLUMNS = 12
"""Cells of a line that are read: tables with more are no letterheads."""
_I = re.IGNORECASE

_SELLER = re.compile(
    r"(?:seller|vendor|supplier|from|sender|issued by|verkäufer(?:in)?|lieferant(?:in)?|absender"
    r"|rechnungssteller(?:in)?|aussteller(?:in)?|leistungserbringer(?:in)?|vendeur|fournisseur"
    r"|émetteur|verkoper|leverancier|afzender)\b",
    _I,
)
_BUYER = re.compile(
    r"(?:(?:bill|billed|sold|ship|shipped|deliver|invoice)(?:ed)? to|to:|buyer|purchaser|payer"
    r"|(?:customer|client)(?! (?:no|number|nr|id|service|care|support)\b)"
    r"|käufer(?:in)?|empfänger(?:in)?|rechnungsempfänger(?:in)?|besteller(?:in)?"
    r"|rechnungs(?:adresse|anschrift)|liefer(?:adresse|anschrift)|leistungsempfänger(?:in)?"
    r"|kund(?:e|in)\b|auftraggeber(?:in)?|kontoinhaber(?:in)?|zahler|zahlungspflichtiger?"
    r"|acheteur|destinataire|koper|afnemer|klant|opdrachtgever)\b",
    _I,
)
_PARTY = re.compile(f"{_SELLER.pattern}|{_BUYER.pattern}", _I)
_YOURS = re.compile(
    r"\b(?:ihre[mnrs]?|your|votre|uw|kunden-?(?:iban|konto|ust|e-?mail)"
    r"|customer(?:'s)? (?:iban|vat)|von konto|from account|abgebucht|belastet|debited)\b",
    _I,
)
"""Beside a number that belongs to the recipient."""

_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z\d]){11,30}\b")
_CREDITOR = re.compile(r"\b[A-Z]{2}\d{2} ?(?:ZZZ|[A-Z\d]{3}) ?(?:[A-Z\d] ?){8,26}")
_LABEL = 60
"""Characters before a number in which it may be labelled."""
_CREDITOR_LABEL = re.compile(r"gläubiger|glaeubiger|creditor|créancier|crediteur|incassant", _I)
_VAT = re.compile(
    r"(?=\b((?:AT ?U|BE|BG|CHE|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO"
    r"|SE|SI|SK|XI)[ -]?[A-Z\d](?:[ .-]?[A-Z\d]){6,14})\b)"
)
"""A lookahead, so that one candidate does not hide the next."""
_GERMAN_REGISTER = re.compile(r"\b(HR ?[AB])[ :.-]{0,3}(?:Nr\.? ?)?(\d{1,6}(?: ?[A-Z]{1,2}\b)?)")
_COURT = re.compile(
    r"(?:Amtsgerichts?|Registergericht|Handelsregister|AG)[ :,]{1,3}(?:Amtsgericht |AG )?"
    r"([A-ZÄÖÜ][\w.()/-]+(?: (?:am|an der|in|im|ob der|\(?[A-ZÄÖÜ])[\w.()/-]*){0,3})"
)
_OTHER_REGISTERS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("FN", re.compile(r"\bFN ?(\d{1,6} ?[a-zA-Z])\b"), businessid.is_valid),
    (
        "SIREN",
        re.compile(r"\b(?:siren|siret|rcs [a-zà-ÿ-]{2,20})[ :n°.]{0,5}(\d{3} ?\d{3} ?\d{3})", _I),
        siren.is_valid,
    ),
    (
        "GB",
        re.compile(
            r"(?:compan(?:y|ies house) (?:registration |reg\.? )?(?:no|number|nr)\.?"
            r"|registered in (?:england|wales|scotland|northern ireland)[a-z &]{0,20}?,? ?"
            r"(?:under )?(?:company )?(?:no|number|nr)\.?)[: ]{0,3}((?:[A-Z]{2}\d{6})|\d{8})\b",
            _I,
        ),
        str.isalnum,
    ),
    (
        "KvK",
        re.compile(r"\bkvk(?:[ -]?(?:nr|nummer|number))?\.?[: ]{0,3}(\d{8})\b", _I),
        str.isdecimal,
    ),
)
"""Registers without courts: what their numbers are called, and whether a number is valid."""
_ADDRESS = re.compile(
    r"(?:@|\bhttps?://|\bwww\.)((?:[a-z0-9äöüß-]+\.)+[a-z]{2,12})(?![a-z0-9@])", _I
)
_PHONE = re.compile(
    r"\b(?:tel(?:efon|ephone|efoon|\.)?|phone|fon|ph|t|fax|telefax|hotline|service|tél(?:éphone)?"
    r"|servicenummer)\b[ .:]{0,4}((?:\+|00?)[\d(][\d ()/.-]{5,22}\d)",
    _I,
)
_PHONE_DIGITS = range(7, 16)

# fmt: off
_IBAN_LENGTHS = {
    "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20,
    "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IS": 26,
    "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15,
    "PL": 28, "PT": 25, "RO": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27,
}
"""Characters of an IBAN by country: without them, words after it could be taken for a part."""
_VAT_LENGTHS = {
    "AT": (11,), "BE": (12,), "BG": (12, 11), "CH": (12,), "CY": (11,), "CZ": (12, 11, 10),
    "DE": (11,), "DK": (10,), "EE": (11,), "EL": (11,), "ES": (11,), "FI": (10,), "FR": (13,),
    "GB": (14, 11), "HR": (13,), "HU": (10,), "IE": (11, 10), "IT": (13,), "LT": (14, 11),
    "LU": (10,), "LV": (13,), "MT": (10,), "NL": (14,), "PL": (12,), "PT": (11,), "RO": (12, 10),
    "SE": (14,), "SI": (10,), "SK": (12,), "XI": (11,),
}
"""Characters of a VAT id with the country, the longest first."""
_SECOND_LEVEL = frozenset({"ac", "co", "com", "gov", "gv", "net", "nhs", "or", "org", "police"})
"""Labels below which domains are registered, as in co.uk."""
_FREE_MAIL = frozenset(
    {
        "aol.com", "arcor.de", "bluewin.ch", "bol.com", "email.de", "fastmail.com", "free.fr",
        "freenet.de", "gmail.com", "gmx.at", "gmx.ch", "gmx.com", "gmx.de", "gmx.net",
        "googlemail.com", "hotmail.co.uk", "hotmail.com", "hotmail.de", "hotmail.fr", "icloud.com",
        "kpnmail.nl", "laposte.net", "live.com", "live.de", "live.nl", "mac.com", "mail.com",
        "mail.de", "mailbox.org", "me.com", "msn.com", "online.de", "orange.fr", "outlook.com",
        "outlook.de", "outlook.fr", "planet.nl", "posteo.de", "proton.me", "protonmail.com",
        "sfr.fr", "t-online.de", "vodafone.de", "wanadoo.fr", "web.de", "xs4all.nl", "yahoo.co.uk",
        "yahoo.com", "yahoo.de", "yahoo.fr", "ziggo.nl",
    }
)
_OF_AUTHORITIES = frozenset(
    {
        "admin.ch", "bafin.de", "belastingdienst.nl", "bund.de", "bundesbank.de",
        "bundesnetzagentur.de", "elster.de", "europa.eu", "gesetze-im-internet.de",
        "impots.gouv.fr", "ombudsmann.de", "oesterreich.gv.at", "overheid.nl",
        "rijksoverheid.nl", "service-public.fr", "verbraucher-schlichter.de",
    }
)
_OF_EVERYBODY = frozenset(
    {
        "apple.com", "facebook.com", "google.com", "instagram.com", "linkedin.com", "paypal.com",
        "tiktok.com", "trustpilot.com", "twitter.com", "whatsapp.com", "x.com", "xing.com",
        "youtube.com",
    }
)
# fmt: on
_OTHER_PEOPLES = _FREE_MAIL | _OF_AUTHORITIES | _OF_EVERYBODY
_STATE_LABELS = frozenset({"gov", "gouv", "gv", "mil", "police"})
"""Labels of the domains of authorities, as in gov.uk."""


def find_numbers(text: str) -> frozenset[Fact]:
    """Return all identifying numbers on a page, whoever they belong to."""
    lines = text.splitlines()
    return frozenset(number for line in _with_next(lines) for number in _find_in(line))


def find_sender_numbers(text: str) -> frozenset[Fact]:
    """Return the numbers in the sender's own block: letterhead, footer, or beside Seller.

    Numbers below a label such as Bill to, or called yours, belong to the recipient.
    """
    return frozenset(
        number
        for page in text.split("\f")
        for part in _with_next(list(_own_parts(page.splitlines())))
        for number in _find_in(part)
    )


def _own_parts(lines: list[str]) -> Iterator[str]:
    """Yield the cells of a page in which a sender writes about itself."""
    rows = [cells_of(line)[:_COLUMNS] for line in lines if line and not line.isspace()]
    for number, row in enumerate(rows):
        is_at_edge = number < _HEAD or number >= len(rows) - _FOOT
        is_buyers = False
        for cell in row:
            label = _find_label(cell, rows[max(0, number - _BLOCK) : number])
            # What has no label of its own belongs to whom the cell before it belongs.
            is_buyers = is_buyers if label is None else bool(_BUYER.match(label))
            is_own = is_at_edge or label is not None
            if is_own and not is_buyers and not _YOURS.search(cell.text):
                yield cell.text


def _find_label(cell: Cell, above: list[list[Cell]]) -> str | None:
    """Return the nearest label of seller or buyer: in the cell, or above it in its column."""
    column = [other.text for row in above for other in row if _is_in_column(cell, other)]
    labels = (text for text in (cell.text, *reversed(column)) if _PARTY.match(text))
    return next(labels, None)


def _is_in_column(cell: Cell, other: Cell) -> bool:
    return other.start <= cell.end and cell.start <= other.end


def _with_next(lines: list[str]) -> Iterator[str]:
    """Yield each line with the next one: court and register number may be in two."""
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        yield f"{line}\n{following}"


def _find_in(lines: str) -> Iterator[Fact]:
    line = lines.split("\n", 1)[0]
    yield from _find_ibans(line)
    yield from _find_creditor_ids(line)
    yield from _find_vat_ids(line)
    yield from _find_registers(lines)
    yield from _find_domains(line)
    yield from _find_phones(line)


def _find_ibans(line: str) -> Iterator[Fact]:
    for match in _IBAN.finditer(line):
        number = _compact(match[0])[: _IBAN_LENGTHS.get(match[0][:2], 0)]
        if number and iban.is_valid(number):
            yield Fact(FactKind.IBAN, number)


def _find_creditor_ids(line: str) -> Iterator[Fact]:
    for match in _CREDITOR.finditer(line):
        before = line[max(0, match.start() - _LABEL) : match.start()]
        if "ZZZ" in match[0] or _CREDITOR_LABEL.search(before):
            for word_count in (1, 2, 3, 4):
                number = "".join(match[0].split()[:word_count])
                if len(number) > 12 and at_02.is_valid(number) and not iban.is_valid(number):
                    yield Fact(FactKind.CREDITOR_ID, number)
                    break


def _find_vat_ids(line: str) -> Iterator[Fact]:
    for match in _VAT.finditer(line):
        number = _compact(match[1])
        lengths = _VAT_LENGTHS.get(number[:2], ())
        valid = (number[:length] for length in lengths if _is_vat_id(number[:length]))
        for found in valid:
            yield Fact(FactKind.VAT_ID, found)
            break


def _is_vat_id(number: str) -> bool:
    match number[:2]:
        case "CH":
            return swiss_uid.is_valid(number)
        case "GB":
            return british_vat.is_valid(number)
        case _:
            return eu_vat.is_valid(number)


def _compact(text: str) -> str:
    return re.sub(r"[ .-]", "", text)


def _find_registers(lines: str) -> Iterator[Fact]:
    line = lines.split("\n", 1)[0]
    for match in _GERMAN_REGISTER.finditer(line):
        if number := _add_court(f"{match[1].replace(' ', '')} {match[2]}", lines):
            yield Fact(FactKind.REGISTER, number)
    for country, pattern, is_valid in _OTHER_REGISTERS:
        for match in pattern.finditer(line):
            number = match[1].replace(" ", "")
            if is_valid(number):
                yield Fact(FactKind.REGISTER, f"{country} {number}")


def _add_court(number: str, lines: str) -> str | None:
    """Return a German register number with its court, without which it is not unique."""
    for match in _COURT.finditer(lines):
        words = match[1].rstrip(".,;").split()
        for count in range(len(words), 0, -1):
            try:
                return handelsregisternummer.validate(f"{' '.join(words[:count])} {number}")
            except ValidationError:
                continue
    return None


def _find_domains(line: str) -> Iterator[Fact]:
    for match in _ADDRESS.finditer(line):
        labels = match[1].lower().split(".")
        is_below = len(labels) > 2 and labels[-2] in _SECOND_LEVEL
        domain = ".".join(labels[-3:] if is_below else labels[-2:])
        is_state = not _STATE_LABELS.isdisjoint(domain.split("."))
        if not is_state and domain not in _OTHER_PEOPLES:
            yield Fact(FactKind.DOMAIN, domain)


def _find_phones(line: str) -> Iterator[Fact]:
    for match in _PHONE.finditer(line):
        number = re.sub(r"\(0\)|[^\d+]", "", re.sub(r"^00", "+", match[1]))
        if len(number.lstrip("+")) in _PHONE_DIGITS:
            yield Fact(FactKind.PHONE, number)
