"""Custom fields: list, get, create and delete."""

from sandbox.paperless.calls import Call
from sandbox.paperless.custom_values import DATA_TYPES
from sandbox.paperless.listing import page_of
from sandbox.paperless.permissions import may_see
from sandbox.paperless.records import CustomField
from sandbox.paperless.replies import Refused, Reply, json_reply, not_found
from sandbox.paperless.values import BLANK, REQUIRED, Invalid, read_text


def list_fields(call: Call) -> Reply:
    fields = sorted(call.world.custom_fields.values(), key=lambda field: field.name.lower())
    return json_reply(page_of(call, fields, lambda field: _json(field) | _count(call, field)))


def show_field(call: Call) -> Reply:
    field = _found(call)
    return json_reply(_json(field) | _count(call, field))


def create_field(call: Call) -> Reply:
    data = call.data()
    errors = {key: [REQUIRED] for key in ("name", "data_type") if key not in data}
    if not errors:
        errors = _errors(call, data["name"], data["data_type"])
    if errors:
        raise Refused(400, errors)
    labels = _labels(data.get("extra_data"))
    field = call.world.add_custom_field(
        read_text(data["name"]),
        str(data["data_type"]),
        labels,
        currency=_currency(data.get("extra_data")),
    )
    return json_reply(_json(field), 201)


def patch_field(call: Call) -> Reply:
    field = _found(call)
    name = call.data().get("name", field.name)
    errors = _errors(call, name, field.data_type) if name != field.name else {}
    if errors:
        raise Refused(400, errors)
    field.name = read_text(name)
    return json_reply(_json(field) | _count(call, field))


def delete_field(call: Call) -> Reply:
    field = _found(call)
    del call.world.custom_fields[field.id]
    for document in call.world.documents.values():
        document.custom_fields.pop(field.id, None)
    return Reply(204)


def _found(call: Call) -> CustomField:
    field = call.world.custom_fields.get(call.id)
    if field is None:
        raise not_found("CustomField")
    return field


def _errors(call: Call, name: object, data_type: object) -> dict[str, list[str]]:
    errors: dict[str, list[str]] = {}
    try:
        _check_name(call, name)
    except Invalid as invalid:
        errors["name"] = [invalid.message]
    if data_type not in DATA_TYPES:
        errors["data_type"] = [f'"{data_type}" is not a valid choice.']
    return errors


def _check_name(call: Call, name: object) -> None:
    text = read_text(name, longest=128)
    if not text:
        raise Invalid(BLANK)
    if any(field.name == text for field in call.world.custom_fields.values()):
        raise Invalid("custom field with this name already exists.")


def _labels(extra_data: object) -> list[str]:
    options = extra_data.get("select_options", []) if isinstance(extra_data, dict) else []
    return [str(option["label"]) for option in options]


def _currency(extra_data: object) -> str | None:
    return extra_data.get("default_currency") if isinstance(extra_data, dict) else None


def _extra_data(field: CustomField) -> dict[str, object] | None:
    details = {"select_options": field.options, "default_currency": field.currency}
    return {key: value for key, value in details.items() if value} or None


def _json(field: CustomField) -> dict[str, object]:
    return {
        "id": field.id,
        "name": field.name,
        "data_type": field.data_type,
        "extra_data": _extra_data(field),
    }


def _count(call: Call, field: CustomField) -> dict[str, object]:
    count = sum(
        field.id in document.custom_fields
        for document in call.world.documents.values()
        if not document.deleted_at and may_see(call.user, document)
    )
    return {"document_count": count}
