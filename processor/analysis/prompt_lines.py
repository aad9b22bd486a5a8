"""Lines of a prompt about frequent mistakes, and about the form of the answer."""

import json
from collections.abc import Collection, Mapping, Sequence

from core.calendar import DateOrder
from core.custom_fields import DataType
from core.fields import Field, FieldName
from processor.analysis.answer import answer_key, answer_schema

_DATE_ORDERS: Mapping[DateOrder, str] = {
    DateOrder.DOCUMENT: "the other dates of the document show which comes first",
    DateOrder.DAY_FIRST: "the day comes first unless other dates show the opposite",
    DateOrder.MONTH_FIRST: "the month comes first unless other dates show the opposite",
}
_DATE_ORDER = (
    "Where day and month of a date in figures could be swapped, {order}; in dates with dots the "
    "day comes first."
)
_VOM = (
    '"Rechnung Nr. ... vom ..." in the heading names the date of this document; "Ihr Schreiben '
    'vom ..." or "zur Rechnung vom ..." names that of another one.'
)
_AMOUNTS = (
    "Of several amounts, a total is the one to be paid in the end: with taxes, after discounts and "
    "rounding; not a net amount, a subtotal or a payment already made."
)
_CREDIT_NOTES = (
    "A credit note (Gutschrift, avoir, creditnota) is not an invoice: its own date, number and "
    "amount count, not those of the invoice that it corrects."
)


def hint_lines(
    fields: Collection[FieldName], types: Collection[DataType], date_order: DateOrder
) -> str:
    """Return a line on each frequent mistake that is possible with these fields."""
    has_date, has_amount = FieldName.DATE in fields, DataType.MONETARY in types
    hints = {
        _DATE_ORDER.format(order=_DATE_ORDERS[date_order]): has_date or DataType.DATE in types,
        _VOM: has_date,
        _AMOUNTS: has_amount,
        _CREDIT_NOTES: has_date or has_amount,
    }
    return "".join(f"{hint}\n" for hint, applies in hints.items() if applies)


def form_line(fields: Sequence[Field]) -> str:
    """Return the form of an answer by an example: the rest is enforced by the server."""
    item = {"value": "...", "evidence": "...", "confidence": 0.9}
    first = [answer_key(field) for field in fields if field is not FieldName.TAGS][:1]
    example: dict[str, object] = dict.fromkeys(first, item)
    if FieldName.TAGS in fields:
        example[answer_key(FieldName.TAGS)] = [item]
    return f"The form of the JSON object, with a key for each of them: {json.dumps(example)}"


def schema_lines(fields: Sequence[Field]) -> str:
    """Return the form of an answer as a JSON schema."""
    return f"The answer has this JSON schema:\n{json.dumps(answer_schema(fields))}"
