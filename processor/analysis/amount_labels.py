"""Identify amounts by their labels and by arithmetic: the total, the balance due, a tax."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import accumulate, islice

from core.text import fold
from processor.analysis.document_kinds import is_bill
from processor.analysis.layout import SEARCHED, Cell, fold_label, in_column_of
from processor.analysis.numbers import FoundNumber, find_currencies, find_numbers
from processor.analysis.value_labels import (
    CELLS,
    MAX_PLACES,
    NO_LABEL,
    PRICE,
    WORD,
    Place,
    Subject,
    find_places,
    labels_of,
)
from processor.analysis.words import Words, amounts, any_of

_AMOUNTS: Mapping[Subject, Words] = {
    Subject.PAYABLE: amounts.PAYABLE,
    Subject.TOTAL: amounts.TOTAL,
    Subject.REFUND: amounts.REFUND,
    Subject.AMOUNT: amounts.AMOUNT,
    Subject.NET: amounts.NET,
    Subject.TAX: amounts.TAX,
    Subject.DEDUCTED: amounts.DEDUCTED,
    Subject.PART: amounts.PART,
}
_WORDS = {subject: re.compile(any_of(words)) for subject, words in _AMOUNTS.items()}
TOTALS = (Subject.PAYABLE, Subject.TOTAL, Subject.REFUND)
"""Kinds of amounts that fit a field for the total, in order of preference."""
ANY_PART = frozenset({Subject.PART, Subject.DEDUCTED})
"""There are many of these, so a word of the field's name must identify the right one."""
_EACH = re.compile(any_of(amounts.EACH))
_TIMES = re.compile(rf"\W*(?:[a-z]{{3}}\b|euros?\b)?\W*(?:{any_of(amounts.TIMES)})")
_CONDITIONAL = re.compile(any_of(amounts.CONDITIONAL))
_EARLY = re.compile(any_of(amounts.EARLY))
_SENTENCE_END = re.compile(r"(?<=[a-z)]{2})[.;!?] ")
_NOT_PAYABLE = (Subject.PART, Subject.DEDUCTED, Subject.NET)
_THEN = (Subject.TOTAL, Subject.REFUND, Subject.TAX, Subject.AMOUNT)
_INCLUDED = re.compile(
    r"\b(?:in[ck]l(?:usive|uding|udes?|us)?|einschl(?:ie(?:ss|ß)lich)?|enthalt(?:en)?|y compris)\b"
    r"\.?(?: [^\d\W]+\.?| \d[\d.,]* ?%?){0,5}? (?:mwst|ust|mehrwertsteuer|umsatzsteuer|\w*steuer"
    r"|vat|tax|tva|btw|gst|moms|iva)\b\.?"
)
"""A note on the tax included in a total, which is not a label: incl. 19 % VAT."""
_CONTAINED = re.compile(
    r"\b(?:in[ck]l|davon|darin|dont|waarvan|including|of which|thereof|heraf|varav|di cui)\b"
)
_RANGE = re.compile(
    r"(?:[€£$] ?\d[\d.,]*|\d[.,]\d{2}) ?(?:[a-z]{3} )?(?:to|bis|tot|a|-|–)\W{0,3}(?:[a-z]{3})? ?$"
)
"""Before the upper end of a range of amounts: £90 to."""
_MINUS = re.compile(r"[-−]\s*(?:[a-z]{0,3}[$€£]|[a-z]{3})?\s*$")
"""Before the currency of an amount: -£12.50."""
_CREDIT = re.compile(r"\s*cr\b|-(?! ?[\w€£$])")
"""After an amount: 12.50 CR, or 12,50-."""
_ROUND = re.compile(r"[.,]-")
"""After a round amount: 12,-."""
_BEFORE_DAY = re.compile(r"\b(?:zum|am|bis|vom|ab|den|dem) $")
"""Before 31.12., which is not an amount."""
_WORD_BEFORE = 4
"""Characters before a number in which such a word is searched, with a space."""
_TOTAL_PAID = re.compile(
    rf"(?:{any_of(amounts.TOTAL)})(?: \w+)? (?:{any_of(amounts.PAID)})|\bbetalt (?:i alt|totalt)\b"
)
"""The total of a receipt: importe total pagado."""
_TOTAL_TAX = re.compile(
    rf"\W*(?:(?:{any_of(amounts.TOTAL)})\W*(?:of |de |der )?(?:{any_of(amounts.TAX)})"
    rf"|(?:{any_of(amounts.TAX)})\W*(?:{any_of(amounts.TOTAL)}))(?:\W|\b(?:eur|gbp|usd|chf)\b)*"
)
"""The sum of the taxes: Total VAT."""
_BOTH_SIDES = re.compile(any_of(amounts.BOTH_SIDES))
_CENTS = 2
_CENT = Decimal("0.01")
_RATE = re.compile(r"(?<![\d.,])(\d{1,2}(?:[.,]\d{1,2})?) ?%")
_TOO_LARGE = 10_000_000
"""Without cents, a larger number is not an amount: RS 88.204.471 is not in rupees."""
_UNKNOWN = frozenset({None, Subject.AMOUNT})
"""Labels that any amount may have."""
_NOT_THE_TOTAL = frozenset({Subject.NET, Subject.TAX, Subject.PART, Subject.DEDUCTED})
_SENTENCE = 8
"""Minimum words of a sentence with an amount."""
_MAX_ADDED = 40
_LINE = 400
"""Characters of each cell beside an amount that are searched: a line may be a megabyte long."""
_LINES = 64
"""Cached lines: a thousand amounts may be below the same one."""
_LABELS = 1024
"""Cached labels: the rows of a table share theirs."""
_PAGES = 4
"""Cached pages: all checks of a document read the same one."""
_A_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class LabelledAmount:
    """An amount with the meaning of its label, or None without a label, and its row."""

    amount: Decimal
    subject: Subject | None
    row: Sequence[Cell] = ()
    is_mentioned: bool = False
    """Whether it is within a sentence."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An amount at the end of a row, negative if it is deducted."""

    amount: Decimal
    subject: Subject | None


def amount_subject(name: str) -> Subject | None:
    """Return which amount a field with this name is for; None if unknown."""
    subject = _find_subject(fold(name))
    return Subject.TOTAL if subject is Subject.AMOUNT else subject


@lru_cache(maxsize=_PAGES)
def find_amounts(text: str) -> tuple[LabelledAmount, ...]:
    """Return every amount in a text that has two decimals or a currency, with its label.

    What remains of an amount after the deductions below it is the balance due, unless a later row
    is labelled so. If no row is labelled as the total, an amount that is the sum of those above
    it is, or else the largest one if it is another one with the tax at a rate that the text
    states.
    """
    found: list[LabelledAmount] = []
    sums: list[LabelledAmount] = []
    remainders: list[LabelledAmount] = []
    untaxed: list[LabelledAmount] = []
    column: list[_Entry] = []
    for place, meanings in islice(_find_amount_places(text), MAX_PLACES):
        subject, is_last = _label_amount(place), place.column == len(place.row) - 1
        for amount in meanings:
            labelled = LabelledAmount(amount, subject, place.row, _is_mentioned(place))
            if is_last and _is_left_to_pay(amount, subject, column):
                if subject is not Subject.TOTAL:
                    remainders.append(labelled)
                labelled = replace(labelled, subject=Subject.PAYABLE)
            elif is_last and subject in _UNKNOWN and _is_sum(amount, column):
                sums.append(replace(labelled, subject=Subject.TOTAL))
            found.append(labelled)
        if is_last and len(meanings) == 1:
            # Without tax, the net amount of a bill is also its total.
            untaxed = [
                replace(labelled, subject=Subject.TOTAL)
                for labelled in found[-1:]
                if _is_untaxed_sum(labelled.amount, subject, column)
            ]
            column.append(_Entry(_with_sign(next(iter(meanings)), subject, place), subject))
    found = _without_remainders(found, remainders)
    has_total = any(labelled.subject in TOTALS and not labelled.is_mentioned for labelled in found)
    if has_total:
        return tuple(found)
    gross = sums or _find_gross(found, text) or untaxed or _find_repeated(found, text)
    return (*found, *gross)


def find_total(found: Sequence[LabelledAmount]) -> Decimal | None:
    """Return the total of a document; None if no label identifies it.

    The balance due comes before the total, rows before sentences, and refunds last.
    """
    for is_mentioned in (False, True):
        for subject in TOTALS:
            amounts = [
                labelled.amount
                for labelled in found
                if labelled.subject is subject and labelled.is_mentioned is is_mentioned
            ]
            if subject is Subject.PAYABLE:
                amounts = [amount for amount in amounts if not _is_overpaid(amount, found)]
            if any(amounts):
                return max(amounts)
    # Without parts: a sum insured may be more than what is paid.
    whole = [labelled for labelled in found if labelled.subject not in ANY_PART]
    rows = [labelled for labelled in whole if not labelled.is_mentioned]
    for some in (rows, whole):
        largest = max((labelled.amount for labelled in some), default=None)
        if any(
            labelled.amount == largest and labelled.subject is Subject.AMOUNT for labelled in some
        ):
            return largest
    return None


def _without_remainders(
    found: Sequence[LabelledAmount], remainders: Sequence[LabelledAmount]
) -> list[LabelledAmount]:
    """Return the amounts, without those that only remain of another if a later row is payable."""
    last = next((at for at in reversed(range(len(found))) if _is_payable_row(found[at])), -1)
    unlabelled = {(id(remainder.row), remainder.amount): remainder for remainder in remainders}
    earlier = (unlabelled.get((id(row.row), row.amount), row) for row in found[:last])
    return [*earlier, *found[last:]] if last >= 0 else list(found)


def _is_payable_row(labelled: LabelledAmount) -> bool:
    is_payable = labelled.subject is Subject.PAYABLE and not labelled.is_mentioned
    return is_payable and labelled.amount != 0


def _is_overpaid(payable: Decimal, found: Iterable[LabelledAmount]) -> bool:
    """Return whether another amount minus the payable one is a refund in the text."""
    given = {labelled.amount for labelled in found}
    refunds = {labelled.amount for labelled in found if labelled.subject is Subject.REFUND}
    return any(refund and payable + refund in given for refund in refunds)


def _is_left_to_pay(amount: Decimal, subject: Subject | None, above: Sequence[_Entry]) -> bool:
    if subject is Subject.TOTAL:
        return _has_payable(amount, above)
    # The last payment is often all that remained to be paid.
    return subject in {*_UNKNOWN, Subject.DEDUCTED} and _is_rest(amount, above)


def _is_rest(amount: Decimal, above: Sequence[_Entry]) -> bool:
    """Return whether an amount remains of a total after the deductions between them."""
    rest = amount
    for entry in reversed(above[-_MAX_ADDED:]):
        if entry.amount > 0 and entry.subject is not Subject.TAX:
            return amount > 0 and rest == entry.amount and rest != amount
        if rest == -entry.amount and rest != amount:
            # The first amount has the word of a deduction, too: a deposit, less what is kept.
            return True
        rest -= min(entry.amount, Decimal(0))
    return False


def _has_payable(amount: Decimal, above: Sequence[_Entry]) -> bool:
    """Return whether a total is the sum of a balance due and the rows below it, such as fees."""
    rest = amount
    for entry in reversed(above[-_MAX_ADDED:]):
        rest -= entry.amount
        if entry.subject is Subject.PAYABLE:
            return rest == 0
    return False


def _is_sum(amount: Decimal, above: Sequence[_Entry]) -> bool:
    """Return whether an amount is the sum of at least two amounts just above it.

    The tax may be included in the amounts above it.
    """
    untaxed = (entry for entry in reversed(above) if entry.subject is not Subject.TAX)
    for entries in (reversed(above), untaxed):
        rows = [entry.amount for entry in islice(entries, _MAX_ADDED)]
        if amount in list(accumulate(rows))[1:] or amount in list(accumulate(map(abs, rows)))[1:]:
            return True
    return False


def _find_gross(found: Sequence[LabelledAmount], text: str) -> list[LabelledAmount]:
    """Return the largest amount as the total if it is another one with tax at a stated rate."""
    rates = {Decimal(match[1].replace(",", ".")) for match in _RATE.finditer(text[:SEARCHED])}
    amounts = {labelled.amount for labelled in found if labelled.subject not in ANY_PART}
    plain = {next(iter(number.meanings)) for number in find_numbers(fold(text[:SEARCHED]))}
    largest = max(found, key=lambda labelled: labelled.amount, default=None)
    if largest is None or largest.amount not in amounts:
        return []
    nets = (largest.amount / (1 + rate / 100) for rate in rates if rate)
    taxes = {labelled.amount for labelled in found if labelled.subject is Subject.TAX}
    is_gross = any(net.quantize(_CENT) in plain for net in nets) or any(
        largest.amount - labelled.amount in taxes
        for labelled in found
        if labelled.subject is Subject.NET
    )
    return [replace(largest, subject=Subject.TOTAL)] if is_gross else []


def _is_untaxed_sum(amount: Decimal, subject: Subject | None, column: Sequence[_Entry]) -> bool:
    """Return whether a net amount is the sum of those above it, none of which is a tax."""
    if subject is not Subject.NET:
        return False
    is_taxed = any(entry.subject is Subject.TAX and entry.amount for entry in column)
    return not is_taxed and _is_sum(amount, column)


def _find_repeated(found: Sequence[LabelledAmount], text: str) -> list[LabelledAmount]:
    """Return the largest amount of a bill as the total if it is repeated, or the only one."""
    rows = [labelled for labelled in found if not labelled.is_mentioned]
    whole = [labelled for labelled in rows if labelled.subject in _UNKNOWN]
    largest = max(whole, key=lambda labelled: labelled.amount, default=None)
    if largest is None or not largest.amount or not is_bill(text):
        return []
    if any(labelled.subject in TOTALS for labelled in found):
        return []
    same = (labelled.row for labelled in rows if labelled.amount == largest.amount)
    is_repeated = any(row is not largest.row for row in same)
    is_only = len({labelled.amount for labelled in found}) == 1
    return [replace(largest, subject=Subject.TOTAL)] if is_only or is_repeated else []


def _with_sign(amount: Decimal, subject: Subject | None, place: Place) -> Decimal:
    is_negative = (
        subject is Subject.DEDUCTED
        or _MINUS.search(place.before) is not None
        or _CREDIT.match(place.after) is not None
    )
    return -amount if is_negative else amount


def _is_mentioned(place: Place) -> bool:
    words = _A_WORD.findall(f"{place.before} {place.after}")
    return len(words) >= _SENTENCE


def _find_amount_places(text: str) -> Iterator[tuple[Place, frozenset[Decimal]]]:
    found: list[frozenset[Decimal]] = []

    def spans(folded: str) -> Iterator[tuple[int, int]]:
        for number in find_numbers(folded):
            meanings = frozenset(abs(meaning) for meaning in number.meanings)
            if _is_amount(meanings, folded, number):
                found.append(meanings)
                # The sign stays outside, so that it can be seen beside the amount.
                is_signed, ends_so = (folded[at] == "-" for at in (number.start, number.end - 1))
                yield number.start + is_signed, number.end - ends_so

    for place in find_places(text, spans):
        yield place, found[-1]


def _is_amount(meanings: Iterable[Decimal], folded: str, number: FoundNumber) -> bool:
    """Return whether a number has cents or a currency, and is not a day of a month."""
    after = folded[number.end : number.end + 5]
    if any(meaning.as_tuple().exponent == -_CENTS for meaning in meanings):
        nearest = max(0, number.start - _WORD_BEFORE)
        is_day = after.startswith(".") and _BEFORE_DAY.search(folded, nearest, number.start)
        return not is_day
    before = folded[max(0, number.start - 5) : number.start]
    beside = f"{re.split('[,;:(]', before)[-1]}1{re.split('[,;:(]', after)[0]}"
    is_round = _ROUND.match(after) is not None
    return max(meanings) < _TOO_LARGE and (is_round or bool(find_currencies(beside)))


def _label_amount(place: Place) -> Subject | None:
    near = place.row[max(0, place.column - CELLS) : place.column + CELLS]
    prices = sum(PRICE.search(cell.text[-70:]) is not None for cell in near)
    if prices > 1 and NO_LABEL.fullmatch(place.before):
        # Only the columns tell several amounts of a row apart.
        heading = _find_heading(place)
        if heading in _NOT_THE_TOTAL:
            return heading
    line = fold(" ".join(cell.text[:_LINE] for cell in near))
    if _is_part(place, line):
        return Subject.PART
    if _RANGE.search(place.before):
        return None
    labels = list(labels_of(place))
    if _CONTAINED.search(labels[0]) and _WORDS[Subject.TAX].search(place.after):
        return Subject.TAX
    found = ((_find_subject(label), label) for label in labels)
    subject, label = next((pair for pair in found if pair[0] is not None), (None, ""))
    if subject in TOTALS and _is_item(place, label):
        return Subject.AMOUNT
    is_early = subject in {*_UNKNOWN, Subject.DEDUCTED} and _EARLY.search(line)
    row = " ".join(
        fold(cell.text[:_LINE]) for cell in place.row[max(0, place.column - CELLS) : place.column]
    )
    is_each = subject in _UNKNOWN and _EACH.search(row)
    return Subject.PART if is_early or is_each else subject


def _is_part(place: Place, line: str) -> bool:
    """Return whether an amount is a price of something or is due only in some case."""
    if _TIMES.match(place.after) or _BOTH_SIDES.search(line):
        return True
    sentence = _SENTENCE_END.split(place.before)[-1]
    return _is_mentioned(place) and _CONDITIONAL.search(sentence) is not None


def _is_item(place: Place, label: str) -> bool:
    """Return whether a label is the heading of a column, and the row has a name of its own."""
    cells = [fold_label(cell.text) for cell in place.row[max(0, place.column - CELLS) :][:CELLS]]
    if not label.strip() or any(label.strip() in cell for cell in cells) or label == place.stacked:
        return False
    named = cells[: min(place.column, CELLS)]
    return any(map(_is_name, named))


@lru_cache(maxsize=_LINES)
def _is_name(cell: str) -> bool:
    return WORD.search(cell) is not None and not NO_LABEL.fullmatch(cell)


def _find_heading(place: Place) -> Subject | None:
    """Return what the heading of an amount's column says."""
    cell = place.row[place.column]
    for row in place.above:
        over = in_column_of(cell, row)
        if over and _is_heading(over.text):
            return _find_subject(_fold_heading(over.text))
    return None


@lru_cache(maxsize=_LINES)
def _is_heading(text: str) -> bool:
    return WORD.search(text) is not None and not any(map(str.isdigit, text))


_fold_heading = lru_cache(maxsize=_LINES)(fold)


@lru_cache(maxsize=_LABELS)
def _find_subject(label: str) -> Subject | None:
    """Return which amount a label means.

    A word for the balance due counts if no word for a part of the total follows it.
    """
    bare = _INCLUDED.sub(" ", label)
    if _EACH.search(bare):
        return Subject.PART
    if _TOTAL_TAX.fullmatch(bare):
        return Subject.TAX
    ends = {subject: _last_end(words, bare) for subject, words in _WORDS.items()}
    payable = ends[Subject.PAYABLE]
    if payable and payable >= max(ends[subject] for subject in _NOT_PAYABLE):
        return Subject.PAYABLE
    if _TOTAL_PAID.search(bare):
        return Subject.TOTAL
    subject = next((subject for subject in (*_NOT_PAYABLE, *_THEN) if ends[subject]), None)
    # A subtotal that includes tax may be the amount to pay.
    return Subject.AMOUNT if subject is Subject.NET and bare != label else subject


def _last_end(words: re.Pattern[str], label: str) -> int:
    return max((match.end() for match in words.finditer(label)), default=0)
