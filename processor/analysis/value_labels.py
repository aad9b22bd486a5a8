"""Identify numbers and amounts by the labels beside them: invoice number, customer, total."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import accumulate, islice

from core.text import fold, split_words
from processor.analysis.dates import find_dates
from processor.analysis.layout import Cell, in_column_of, rows_of
from processor.analysis.numbers import find_currencies, find_numbers


class Subject(StrEnum):
    """What a number identifies, or what an amount is paid for."""

    INVOICE = "invoice"
    CUSTOMER = "customer"
    ORDER = "order"
    CONTRACT = "contract"
    TAX = "tax"
    BANK = "bank"
    DELIVERY = "delivery"
    REFERENCE = "reference"
    THING = "thing"
    PERSON = "person"
    CONTACT = "contact"
    TOTAL = "total"
    AMOUNT = "amount"
    """Some amount: the total if no other is called so."""
    NET = "net"
    PART = "part"
    """Neither the total nor the net amount: a discount, a deposit, a payment, a unit price."""


# Folded: small letters, no accents. German, English, French, Dutch.
_NUMBERS: Mapping[Subject, str] = {
    Subject.INVOICE: (
        r"rechnung(?!s?(?:empf|adr|ansch|kunde))|invoice|\binv\b|factu(?:re|ur)|faktura?|\bbill\b"
        r"|receipt|beleg(?!datum)|quittung|gutschrift|credit note|\bavoir\b|\bnota\b|\bfolio\b"
        r"|note d'honoraires"
    ),
    Subject.CUSTOMER: (
        r"kunde|kundin|customer|\bclient|klant|debit(?:or|eur)|mitglied|\bmember|adherent|abonne"
        r"|relatie|teilnehmer|account|konto|compte|rekening"
    ),
    Subject.ORDER: r"bestell|auftrag|\border|commande|booking|buchung|reserv|boeking",
    Subject.CONTRACT: (
        r"vertrag|contract|contrat|agreement|overeenkomst|polic[ey]|polis\b|versicherungs(?:schein"
        r"|nummer|nr)|tarif|licen[cs]e"
    ),
    Subject.TAX: (
        r"\bust|umsatzst|steuer|\bvat\b|\btva\b|\bbtw|\btax|sire[nt]|\bkvk|\bhr[ab]\b|handelsreg"
        r"|amtsgericht|regist|\breg\b|\bcvr\b|\borg\b|finanzamt|\bgst\b|\bsst\b|\buid\b|\bein\b"
    ),
    Subject.BANK: (
        r"\biban|\bbic\b|swift|konto|\bblz\b|sort code|account|compte|rekening|glaubiger|creditor"
        r"|mandat|\bbank"
    ),
    Subject.DELIVERY: (
        r"liefer|deliver|livraison|lever(?:ing|bon)|versand|shipment|tracking|sendung"
    ),
    Subject.REFERENCE: (
        r"aktenz|\baz\b|referen|\bref\b|zeichen|kenmerk|verwendungszweck|dossier|vorgang|\bticket"
        r"|betreff|bestatigung|confirmation|schaden|claim|angebot|quot(?:e|ation)|devis|offerte"
    ),
    Subject.THING: (
        r"zahler|meter|compteur|serien|serial|artikel|article|\bitem|\bsku\b|\bean\b|kennzeichen"
        r"|chassis|fahrgestell|\bvin\b|kasse\b|till\b|terminal|\bpos\b|objekt|wohnung|gerat|model"
    ),
    Subject.PERSON: (
        r"personal|employee|\bpatient|sozialvers|rentenvers|insurance (?:no|number)|matricule"
        r"|ausweis|passport|\bbsn\b|versicherten|bediener|cashier|student|schuler"
    ),
    Subject.CONTACT: r"\btel|phone|\bfax|mobil|hotline|\bplz\b|postfach|durchwahl|\bgsm\b",
}
_AMOUNTS: Mapping[Subject, str] = {
    Subject.TOTAL: (
        r"gesamt(?!brutto)|rechnungs(?:betrag|summe)|end(?:betrag|summe|preis)|zahl(?:ungs)?betrag"
        r"|zu (?:be)?zahlen|auszahlung|jahresbetrag|nachzahlung|erstattung|\btotal\b"
        r"|total(?:e|betrag)|amount (?:now )?(?:due|payable|outstanding|owing|received)"
        r"|balance due|\bto pay\b|net pay\b|\bttc\b|net a payer|a (?:payer|regler)|montant du"
        r"|totaal|te (?:betalen|voldoen)|\bincl\b|\bi alt\b|you pay|krijgt terug|summe|\bsum\b"
    ),
    Subject.AMOUNT: (
        r"betrag|beitrag|brutto|gross\b|preis|gebuhr|honorar|kosten|entschadigung|forderung|amount|premium|\bfee\b"
        r"|\bcost|price|penalty|charge|\brent\b|montant|prime|prix|droits|cotisation|honoraires"
        r"|berechne|in rechnung|betragt|belauft|amounts? to|s'eleve|facturons|bedraagt"
        r"|bedrag|premie|leges|\bprijs|eigenanteil|miete|huur|loyer"
        r"|\bnet\b(?! (?:pay|amount|price))"
    ),
    Subject.NET: (
        r"netto|(?<!\w)net (?:amount|price|total|value)|zwischensumme|sub-? ?total|sous-? ?total"
        r"|subtotaal|\bht\b|\bh\.t|\bexcl|\bexkl|\bohne\b|\bexclu|\bbefore (?:tax|vat)"
    ),
    Subject.TAX: r"mwst|\bust\b|umsatzst|mehrwertst|\bvat\b|\btva\b|\bbtw\b|steuer|\btax\b|\bgst\b",
    Subject.PART: (
        r"skonto|rabatt|discount|remise|korting|versand|shipping|postage|\bporto\b|livraison"
        r"|anzahlung|deposit|acompte|aanbetaling|bereits|\bpaid\b|bezahlt|gezahlt|\bpaye\b|betaald"
        r"|\bchange\b|ruckgeld|wechselgeld|gegeben|\bcash\b|\bbar\b|rendu|vorjahr|previous|brought"
        r"|ubertrag|alter saldo|solde precedent|einzelpreis|stuckpreis|\bunit\b|\bper\b|\bpro\b"
        r"|\bje\b"
        r"|monatlich|monthly|par mois|per maand|mensuel|\brate\b|raten\b|instal|abschlag|acomptes"
        r"|limit|deckung|\bcover\b|insured|versicherungssumme|franchise|selbstbe|\bexcess\b"
        r"|eigen risico"
        r"|guthaben|kaution|mahn|\breminder fee|zinsen|interest|rounding|rundung|arrondi|vorauszahl"
        r"|\bruckerst|spar|bonus|(?<!aus)(?<!nach)zahlung\b|payment\b"
    ),
}
_INCLUDED = re.compile(
    r"\b(?:in[ck]l(?:usive|uding|udes?|us)?|einschl(?:ie(?:ss|ß)lich)?|enthalt(?:en)?|y compris)\b"
    r"\.?(?: [^\d\W]+\.?| \d[\d.,]* ?%?){0,5}? (?:mwst|ust|mehrwertsteuer|umsatzsteuer|\w*steuer"
    r"|vat|tax|tva|btw|gst)\b\.?"
)
"""A note on the tax in a total, which is no label of its own: incl. 19 % VAT."""
_CONTAINED = re.compile(r"\b(?:in[ck]l|davon|darin|dont|waarvan|including|of which|thereof)\b")
_AROUND = 200
"""Characters of a cell before and after a value that are kept."""
_NEAR = 70
"""Characters before a value in which its label is searched."""
_SENTENCE = re.compile(r"(?<=[a-z)\d]{2})[.;!?] (?=[a-z])")
_GENERIC_WORDS = frozenset(
    {"no", "nr", "nummer", "number", "numero", "num", "id", "date", "datum", "der", "die", "des",
     "of", "the", "de", "du", "la", "le", "van", "in", "eur", "field", "feld", "wert", "value"}
)  # fmt: skip
"""Words of a field's name that no label needs to have."""
_NUMBER_NAME = re.compile(r"nummer|nr\b|\b(?:no|num|number|numero)\b")


def _compile(subjects: Mapping[Subject, str]) -> Mapping[Subject, re.Pattern[str]]:
    return {subject: re.compile(words) for subject, words in subjects.items()}


_NUMBER_WORDS, _AMOUNT_WORDS = _compile(_NUMBERS), _compile(_AMOUNTS)
_JUST_A_NUMBER = re.compile(r"(?:nummer|number|numero|no\.?|nr\.?|n°)[\s:]*")
"""A heading that does not say of what the number is: of the document itself."""
_INVOICE_PREFIX = re.compile(r"(?:re|rg|rnr|rech|inv|fac?|fact|fv)[-/. ]?\d.*|inv[-/].*")
"""Invoice numbers often say what they are: RE-2026-118, INV 4711, FA-2026-031."""
_ABOUT = re.compile(r"\b(?:for|fur|pour|voor)\s*$")
"""What follows is a period or a thing, not a number: your bill for 2026/27."""
_DUE = re.compile(r"fallig|\bdue\b|zahlungs?(?:ziel|frist|termin)|zahlbar|pay by|echeance|verval")
_CENTS = 2
_TOO_LARGE = 10_000_000
"""Without cents, a larger number is no amount: RS 88.204.471 are no rupees."""
_LONG_ENOUGH = 4
"""Minimum letters of a word that may have an ending in a label."""
_NOT_THE_TOTAL = frozenset({Subject.NET, Subject.TAX, Subject.PART})
_MOST_ADDED = 40
_MOST_AMOUNTS = 1000
_CELLS = 8
"""Limits of the work for a text that consists of amounts only."""
_ENOUGH = 100_000
"""Characters in which values are searched: a megabyte would take seconds."""
_ROWS_ABOVE = 25
"""Rows above an amount in which the heading of its column is searched."""
_NO_LABEL = re.compile(
    r"(?:\b(?:no|nr|nummer|number|numero|num|n|eur|euro|gbp|usd|chf|cad|aud|rm|myr|kr|sek|nok|dkk"
    r"|pln|czk|jpy)\b|\b[a-z]{1,2}\$|[\W\d_])*"
)
"""Text that does not say what a value is."""
_PRICE = re.compile(r"\d[.,]\d{2}(?!\d)")
_WORD = re.compile(r"[^\W\d_]{3,}(?![-/]?\d)")


@dataclass(frozen=True, slots=True)
class LabelledAmount:
    """An amount, what its label says about it, and its row; None if there is no label."""

    amount: Decimal
    subject: Subject | None
    row: Sequence[Cell] = ()


@dataclass(frozen=True, slots=True)
class LabelledPlace:
    """A place of a value: its row, and the texts that may be its label, nearest first."""

    row: Sequence[Cell]
    labels: tuple[str, ...]

    @property
    def number_subjects(self) -> frozenset[Subject]:
        """Return what the nearest label that says so calls it the number of."""
        subjects = map(_find_number_subjects, self.labels)
        return next(filter(None, subjects), frozenset())

    @property
    def is_documents_own(self) -> bool:
        """Return whether a heading just says number, above a row that also has a date."""
        if not any(map(_JUST_A_NUMBER.fullmatch, self.labels)) or len(self.row) > _CELLS:
            return False
        cells = [fold(cell.text[:_NEAR]) for cell in self.row]
        has_date = any(any(find_dates(cell)) for cell in cells)
        return has_date and not any(map(_PRICE.search, cells[1:]))

    @property
    def is_labelled(self) -> bool:
        return not all(map(_NO_LABEL.fullmatch, self.labels))


@dataclass(frozen=True, slots=True)
class _Place:
    """A value on the page: its cell, what is before and after it there, and the rows above."""

    row: Sequence[Cell]
    column: int
    before: str
    after: str
    above: Sequence[Sequence[Cell]]


def number_subjects(name: str) -> frozenset[Subject]:
    """Return what a field with this name has the number of; nothing if it is not known."""
    folded = fold(name)
    return frozenset(s for s, words in _NUMBER_WORDS.items() if words.search(folded))


def is_number(name: str) -> bool:
    """Return whether a field with this name has a number, such as an invoice number."""
    return _NUMBER_NAME.search(fold(name)) is not None


def amount_subject(name: str) -> Subject | None:
    """Return which amount a field with this name has; None if it is not known."""
    subject = _find_amount_subject(fold(name))
    return Subject.TOTAL if subject is Subject.AMOUNT else subject


def is_due_date(name: str) -> bool:
    """Return whether a field with this name has the day on which something is due."""
    return _DUE.search(fold(name)) is not None


def find_labelled_places(value: str | Decimal, text: str) -> Iterator[LabelledPlace]:
    """Yield every place of a value in a text, with its labels; at most 1,000."""
    spans = _spans_of_number(value) if isinstance(value, Decimal) else _spans_of_text(value)
    for place in islice(_find_places(text, spans), _MOST_AMOUNTS):
        yield LabelledPlace(place.row, tuple(_labels_of(place)))


def has_invoice_prefix(value: str) -> bool:
    """Return whether a number begins like an invoice number."""
    return _INVOICE_PREFIX.fullmatch(fold(value)) is not None


def has_word_of(name: str, labels: Iterable[str]) -> bool:
    """Return whether labels have a word of a field's name that says what the field is."""
    telling = [word for word in split_words(name) if word not in _GENERIC_WORDS]
    words = {word for label in labels for word in split_words(label)}
    return any(is_form_of(word, form) for word in telling for form in words)


def is_form_of(word: str, form: str) -> bool:
    """Return whether `form` is the word, or the word with an ending: bezahlt, bezahlter."""
    return word == form or (len(word) >= _LONG_ENOUGH and form.startswith(word))


def find_amounts(text: str) -> tuple[LabelledAmount, ...]:
    """Return every amount of a text with two decimals or a currency, by its label.

    If none is called the total, it is the sum of the amounts above it.
    """
    found: list[LabelledAmount] = []
    sums: list[LabelledAmount] = []
    column: list[Decimal] = []
    untaxed: list[Decimal] = []
    for place, amounts in islice(_find_amount_places(text), _MOST_AMOUNTS):
        subject, is_last = _label_amount(place), place.column == len(place.row) - 1
        for amount in amounts:
            found.append(LabelledAmount(amount, subject, place.row))
            is_sum = _is_sum(amount, column) or _is_sum(amount, untaxed)
            if subject is None and is_last and is_sum:
                sums.append(LabelledAmount(amount, Subject.TOTAL, place.row))
        added = [*amounts] if is_last and len(amounts) == 1 else []
        column += added
        # The tax may be included in the amounts above it.
        untaxed += added if subject is not Subject.TAX else []
    has_total = any(labelled.subject is Subject.TOTAL for labelled in found)
    return tuple(found if has_total else found + sums)


def _is_sum(amount: Decimal, above: Sequence[Decimal]) -> bool:
    """Return whether an amount is the sum of at least two amounts just above it."""
    sums = list(accumulate(reversed(above[-_MOST_ADDED:])))
    return amount in sums[1:]


def _find_places(
    text: str, spans_in: Callable[[str], Iterable[tuple[int, int]]]
) -> Iterator[_Place]:
    rows = rows_of(text[:_ENOUGH])
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            folded = fold(cell.text) if any(map(str.isdigit, cell.text)) else ""
            for start, end in spans_in(folded) if folded else ():
                above = rows[max(0, number - _ROWS_ABOVE) : number][::-1]
                before = folded[max(0, start - _AROUND) : start]
                yield _Place(row, column, before, folded[end : end + _AROUND], above)


def _spans_of_text(value: str) -> Callable[[str], Iterable[tuple[int, int]]]:
    letters = [re.escape(letter) for letter in fold(value) if letter.isalnum()]
    spelling = r"[\W_]*".join(letters)
    pattern = re.compile(rf"(?<![^\W_]){spelling}(?![^\W_])" if letters else r"(?!)")
    return lambda folded: (match.span() for match in pattern.finditer(folded))


def _spans_of_number(value: Decimal) -> Callable[[str], Iterable[tuple[int, int]]]:
    return lambda folded: (
        (number.start, number.end)
        for number in find_numbers(folded)
        if value in number.meanings or -value in number.meanings
    )


def _find_amount_places(text: str) -> Iterator[tuple[_Place, frozenset[Decimal]]]:
    found: list[frozenset[Decimal]] = []

    def spans(folded: str) -> Iterator[tuple[int, int]]:
        for number in find_numbers(folded):
            amounts = frozenset(abs(meaning) for meaning in number.meanings)
            around = folded[max(0, number.start - 5) : number.end + 5]
            if _is_amount(amounts) or (max(amounts) < _TOO_LARGE and find_currencies(around)):
                found.append(amounts)
                yield number.start, number.end

    for place in _find_places(text, spans):
        yield place, found[-1]


def _is_amount(meanings: Iterable[Decimal]) -> bool:
    return any(meaning.as_tuple().exponent == -_CENTS for meaning in meanings)


def _labels_of(place: _Place) -> Iterator[str]:
    """Yield the texts that may say what a value is, the nearest first."""
    before = _SENTENCE.split(place.before)[-1]
    yield before[-_NEAR:]
    if not _NO_LABEL.fullmatch(before):
        return
    for cell in reversed(place.row[max(0, place.column - _CELLS) : place.column]):
        label = fold(cell.text)
        if _WORD.search(label) and not _NO_LABEL.fullmatch(label):
            yield label[-_NEAR:]
            break
    above = place.above[0] if place.above else ()
    if over := in_column_of(place.row[place.column], above):
        yield fold(over.text)[-_NEAR:]
    values = place.row[place.column].text.split()
    heads = " ".join(cell.text for cell in above).split()
    if len(place.row) == 1 and len(heads) == len(values):
        yield fold(heads[len(place.before.split())])
    elif len(place.row) == 1 and len(above) == 1:
        yield fold(above[0].text)[-_NEAR:]


def _find_number_subjects(label: str) -> frozenset[Subject]:
    """Return what the last word of a label that says it is the number of."""
    if _ABOUT.search(label):
        return frozenset()
    ends = {
        subject: max((match.end() for match in words.finditer(label)), default=0)
        for subject, words in _NUMBER_WORDS.items()
    }
    last = max(ends.values())
    return frozenset(subject for subject, end in ends.items() if end == last and last)


def _label_amount(place: _Place) -> Subject | None:
    near = place.row[max(0, place.column - _CELLS) : place.column + _CELLS]
    prices = sum(_PRICE.search(cell.text[-_NEAR:]) is not None for cell in near)
    if prices > 1 and _NO_LABEL.fullmatch(place.before):
        # Only the columns tell several amounts of a row apart.
        heading = _find_heading(place)
        if heading in _NOT_THE_TOTAL:
            return heading
    labels = list(_labels_of(place))
    if _CONTAINED.search(labels[0]) and _AMOUNT_WORDS[Subject.TAX].search(place.after):
        return Subject.TAX
    found = (_find_amount_subject(label) for label in labels)
    return next((subject for subject in found if subject is not None), None)


def _find_heading(place: _Place) -> Subject | None:
    """Return what the heading of an amount's column says."""
    cell = place.row[place.column]
    for row in place.above:
        over = in_column_of(cell, row)
        if over and _WORD.search(over.text) and not any(map(str.isdigit, over.text)):
            return _find_amount_subject(fold(over.text))
    return None


def _find_amount_subject(label: str) -> Subject | None:
    """Return which amount a label means; a word for a part of the total outranks the others."""
    bare = _INCLUDED.sub(" ", label)
    for subject in (Subject.PART, Subject.NET):
        if _AMOUNT_WORDS[subject].search(bare):
            return subject
    if _AMOUNT_WORDS[Subject.TOTAL].search(bare):
        return Subject.TOTAL
    for subject in (Subject.TAX, Subject.AMOUNT):
        if _AMOUNT_WORDS[subject].search(bare):
            return subject
    return None
