"""Values of custom fields: what Paperless refuses, and what it accepts and then fails on."""

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from urllib.parse import urlparse

from sandbox.paperless.permissions import may_change
from sandbox.paperless.records import CustomField, User
from sandbox.paperless.replies import Crashed, Refused
from sandbox.paperless.values import WRONG_DATE, Invalid, read_day
from sandbox.paperless.world import World

DATA_TYPES = (
    "string", "longtext", "url", "date", "boolean", "integer", "float", "monetary",
    "documentlink", "select",
)  # fmt: skip

_MONEY = re.compile(r"[A-Z]{3}-?\d+\.\d{1,2}")
_NO_MONEY = "Must be a two-decimal number with optional currency code e.g. GBP123.45"
_LARGEST = 2**31 - 1


def check(world: World, user: User, field: CustomField, value: object) -> None:
    """Refuse what Paperless refuses. It validates neither booleans nor floats.

    Values that the document already has are validated as well.
    """
    if value is not None and field.data_type in _CHECKS:
        _CHECKS[field.data_type](world, field, value)
    if isinstance(value, list) and field.data_type == "documentlink":
        _check_rights(world, user, value)


def to_stored_value(field: CustomField, value: object) -> object:
    """Return the stored form of a value; crash where the real Paperless does."""
    store = _STORES.get(field.data_type, str)
    return None if value is None else store(value)


def _stored_boolean(value: object) -> bool:
    if value in (True, False):
        return bool(value)
    raise Crashed(f"not a boolean: {value!r}")


def _stored_float(value: object) -> float:
    try:
        return float(str(value))
    except ValueError as error:
        raise Crashed(f"not a number: {value!r}") from error


def _stored_date(value: object) -> str:
    day = read_day(str(value))
    if day is None:
        raise Crashed(f"not a date: {value!r}")
    return day.isoformat()


def _stored_integer(value: object) -> int:
    try:
        return int(str(value))
    except ValueError as error:
        raise Crashed(f"not an integer: {value!r}") from error


def _check_string(_: World, __: CustomField, value: object) -> None:
    length = len(str(value))
    if length > 128:
        message = f"Ensure this value has at most 128 characters (it has {length})."
        raise Invalid(message)


def _check_date(_: World, __: CustomField, value: object) -> None:
    if not isinstance(value, str) or read_day(value) is None:
        raise Invalid(WRONG_DATE)


def _check_money(_: World, __: CustomField, value: object) -> None:
    text = str(value)
    if text and not _is_amount(text) and not _MONEY.fullmatch(text):
        raise Invalid(_NO_MONEY)


def _is_amount(text: str) -> bool:
    try:
        exponent = Decimal(text).as_tuple().exponent
    except InvalidOperation:
        return False
    return isinstance(exponent, int) and exponent >= -2


def _check_integer(_: World, __: CustomField, value: object) -> None:
    if not re.fullmatch(r"-?\d+", str(value)):
        raise Invalid("Enter a valid integer.")
    if int(str(value)) > _LARGEST:
        raise Invalid(f"Ensure this value is less than or equal to {_LARGEST}.")
    if int(str(value)) < -_LARGEST - 1:
        raise Invalid(f"Ensure this value is greater than or equal to {-_LARGEST - 1}.")


def _check_url(_: World, __: CustomField, value: object) -> None:
    if value and not urlparse(str(value)).scheme:
        raise Invalid(f"Unable to parse URI {value}, missing scheme")


def _check_select(_: World, field: CustomField, value: object) -> None:
    if value not in [option["id"] for option in field.options]:
        raise Invalid(f"Value must be an id of an element in {field.options}")


def _check_links(world: World, _: CustomField, value: object) -> None:
    if not isinstance(value, list):
        raise Invalid("Value must be a list")
    there = [id_ for id_, document in world.documents.items() if not document.deleted_at]
    if len(set(value)) < len(value) or not set(value) <= set(there):
        raise Invalid("Some documents in value don't exist or were specified twice.")


def _check_rights(world: World, user: User, linked: list[int]) -> None:
    """Refuse the request if the user may not change a link's target, which is written, too."""
    if not all(may_change(user, world.documents[id_]) for id_ in linked):
        raise Refused(403, {"detail": "Insufficient permissions."})


def _as_sent(value: object) -> object:
    return value


_STORES: dict[str, Callable[[object], object]] = {
    "boolean": _stored_boolean,
    "float": _stored_float,
    "integer": _stored_integer,
    "date": _stored_date,
    "documentlink": _as_sent,
    "select": _as_sent,
}
_CHECKS: dict[str, Callable[[World, CustomField, object], None]] = {
    "string": _check_string,
    "date": _check_date,
    "monetary": _check_money,
    "integer": _check_integer,
    "url": _check_url,
    "select": _check_select,
    "documentlink": _check_links,
}
