"""Parse the values of an e-invoice, and compare them with the fields of a document."""

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from core.fields import DataType, Definition, Field, FieldName, Money, Name, Value, is_same_value
from core.text import clean_line, fold
from processor.analysis.amount_labels import amount_subject, find_amounts
from processor.analysis.dates import dates_in
from processor.analysis.layout import SEARCHED
from processor.analysis.name_matching import is_same_party, mentions_name
from processor.analysis.value_labels import (
    Subject,
    find_labelled_places,
    is_due_date,
    number_subjects,
)

_INVOICE = re.compile(
    r"rechnung|invoice|factu(?:re|ur)|faktura|gutschrift|credit ?note|\bavoir\b|creditnota"
)
_AMOUNT = re.compile(r"\d[.,]\d\d(?!\d)")
_CENTS = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class EInvoice:
    """The values of an e-invoice; "" or None if it does not say, or says it twice."""

    seller: str = ""
    number: str = ""
    currency: str = ""
    total: Decimal | None = None
    date: dt.date | None = None
    due: dt.date | None = None

    @property
    def amount(self) -> Money | None:
        if self.total is None or not self.currency:
            return None
        return Money(self.total.quantize(_CENTS), self.currency)


def parse_e_invoice(values: Mapping[str, object]) -> EInvoice:
    """Parse the values of the reader; what is malformed counts as missing."""
    texts = {key: clean_line(value) for key, value in values.items() if isinstance(value, str)}
    return EInvoice(
        seller=texts.get("seller", ""),
        number=texts.get("number", ""),
        currency=texts.get("currency", "").upper(),
        total=_parse_amount(texts.get("total", "")),
        date=_parse_day(texts.get("date", "")),
        due=_parse_day(texts.get("due", "")),
    )


def may_be_invoice(text: str) -> bool:
    """Return whether a text has a word for an invoice and an amount."""
    folded = fold(text[:SEARCHED])
    return _INVOICE.search(folded) is not None and _AMOUNT.search(folded) is not None


def list_values(
    invoice: EInvoice, seller: Name | None, custom_fields: Iterable[Definition]
) -> dict[Field, Value]:
    """Return what the invoice says about the fields of a document, as values of these fields."""
    values: dict[Field, Value] = {FieldName.DATE: invoice.date, FieldName.CORRESPONDENT: seller}
    for definition in custom_fields:
        values[definition.field] = _custom_value(invoice, definition)
    return {field: value for field, value in values.items() if value is not None}


def is_same(value: Value, said: Value) -> bool:
    """Return whether a value of a document is the one that the invoice says."""
    match value, said:
        case Name(), Name(id=None):
            # No name in use is spelled like the seller.
            return is_same_party(str(value), str(said))
        case Name(), Name():
            return is_same_value(value, said)
        case Money(), Money():
            # A credit note may have its amount with a minus, or without.
            same_amount = abs(value.amount) == abs(said.amount)
            return same_amount and value.currency == said.currency
        case str(), str():
            return _letters(value) == _letters(said)
    return value == said


def is_on_page(said: Value, page: str) -> bool:
    """Return whether the text of the document shows what the invoice says."""
    match said:
        case Name():
            return mentions_name(page, said.name)
        case dt.date():
            return said in set(dates_in(page))
        case Money(amount=amount):
            return any(abs(amount) == found.amount for found in find_amounts(page))
        case str():
            return any(True for _ in find_labelled_places(said, page))
    return False


def _custom_value(invoice: EInvoice, definition: Definition) -> Value:
    name = definition.field.name
    match definition.data_type:
        case DataType.STRING if number_subjects(name) == {Subject.INVOICE}:
            return invoice.number or None
        case DataType.MONETARY if amount_subject(name) is Subject.TOTAL:
            return invoice.amount
        case DataType.DATE if is_due_date(name):
            return invoice.due
        case DataType.DATE if Subject.INVOICE in number_subjects(name):
            return invoice.date
    return None


def _letters(text: str) -> str:
    return "".join(letter for letter in fold(text) if letter.isalnum())


def _parse_day(text: str) -> dt.date | None:
    with suppress(ValueError):
        return dt.datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007 - a day has no time zone
    return None


def _parse_amount(text: str) -> Decimal | None:
    with suppress(InvalidOperation):
        amount = Decimal(text)
        return amount if amount.is_finite() else None
    return None
