"""The form of the settings page: its controls, and the values that a person sends."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import TypeAlias

from starlette.datastructures import FormData

from actions.settings import OpenFile
from core.messages import Message, message
from core.settings.edit import ADD_ONLY, EditedValue, Edits, list_editable
from core.settings.errors import KeyPath
from core.settings.options import Option, OptionKind
from dashboard.errors import BadRequest
from dashboard.pages.settings import format_scalar

FormValue: TypeAlias = str | dict[str, str]
FormValues: TypeAlias = dict[str, FormValue]
"""What each control of the form contains, by the dotted path of its setting."""

_SECTIONS = {
    "fields": message("Fields"),
    "names": message("New names"),
    "scan": message("Scans and tags"),
    "ai": message("Model"),
    "limits": message("Limits"),
    "notify": message("Notifications"),
}
_INTRODUCTIONS = {
    "fields": message(
        "Off: the model is not asked. Review: you decide. Fill if empty: written if the field is "
        "empty and all checks pass. Replace: written if all checks pass. Tags are only added; "
        "another storage path moves the file."
    ),
    "names": message(
        "Names that do not exist in Paperless yet. Never: they are left out. Review: you decide. "
        "Create: they are created when the field they belong to is written."
    ),
}
"""What the choices of a section mean; their own descriptions list the words of the file."""
LABELS: Mapping[KeyPath, Message] = {
    ("fields", "title"): message("Title"),
    ("fields", "correspondent"): message("Correspondent"),
    ("fields", "document_type"): message("Document type"),
    ("fields", "tags"): message("Tags"),
    ("fields", "date"): message("Date"),
    ("fields", "storage_path"): message("Storage path"),
    ("fields", "custom_fields"): message("Custom fields"),
    ("fields", "max_tags"): message("Maximum number of tags"),
    ("names", "tags"): message("New tags"),
    ("names", "correspondents"): message("New correspondents"),
    ("names", "document_types"): message("New document types"),
    ("scan", "cron"): message("Schedule"),
    ("scan", "enabled"): message("Scan on schedule"),
    ("scan", "min_age"): message("Minimum age"),
    ("scan", "include_tags"): message("Required tags"),
    ("scan", "exclude_tags"): message("Excluded tags"),
    ("scan", "done_tag"): message("Done tag"),
    ("scan", "remove_tags"): message("Tags to remove"),
    ("ai", "model"): message("Model"),
    ("ai", "instructions"): message("Instructions"),
    ("ai", "type_instructions"): message("Instructions by document type"),
    ("ai", "requests_per_minute"): message("Requests per minute"),
    ("ai", "tokens_per_minute"): message("Tokens per minute"),
    ("ai", "hours"): message("Model hours"),
    ("ai", "hours_for"): message("Documents that wait for these hours"),
    ("limits", "documents_per_day"): message("Documents per day"),
    ("limits", "price_in"): message("Price of input tokens"),
    ("limits", "price_out"): message("Price of output tokens"),
    ("limits", "currency"): message("Currency"),
    ("limits", "cost_per_month"): message("Monthly budget"),
    ("limits", "consent_above"): message("Confirm above"),
    ("notify", "quiet_hours"): message("Quiet hours"),
}
CHOICES = {
    "off": message("Off"),
    "review": message("Review"),
    "fill": message("Fill if empty"),
    "replace": message("Replace"),
    "never": message("Never"),
    "create": message("Create"),
    "all": message("All"),
    "backlog": message("Only older documents"),
}
_WHOLE_NUMBER = re.compile("[+-]?[0-9]+")
_MAX_LENGTH = 100_000


class ControlKind(StrEnum):
    """How a setting is edited."""

    TEXT = "text"
    LONG_TEXT = "long_text"
    NUMBER = "number"
    AMOUNT = "amount"
    SWITCH = "switch"
    CHOICE = "choice"
    LIST = "list"
    ADD_ONLY = "add_only"
    CHOICES_BY_NAME = "choices_by_name"
    TEXTS_BY_NAME = "texts_by_name"


@dataclass(frozen=True, slots=True)
class Control:
    """A setting in the form."""

    key: str
    label: Message
    kind: ControlKind
    value: FormValue
    saved: FormValue
    """The value in the file; it differs from `value` after an edit."""
    meaning: str
    """Its description; "" if its section explains the choices."""
    lock: str = ""
    """The environment variable that sets it; "" if it can be edited."""
    choices: tuple[str, ...] = ()
    errors: tuple[Message, ...] = ()

    @property
    def id(self) -> str:
        return self.key.replace(".", "-")

    @property
    def shown(self) -> str:
        """Return the value as it is shown where it cannot be edited."""
        return _show(self.value)


@dataclass(frozen=True, slots=True)
class Section:
    """The settings of one table in the form."""

    heading: Message
    introduction: Message | None
    controls: list[Control]


def kind_of(option: Option) -> ControlKind:
    """Return how an option is edited."""
    if option.path in ADD_ONLY:
        return ControlKind.ADD_ONLY
    match option.kind:
        case OptionKind.LIST:
            return ControlKind.LIST
        case OptionKind.TABLE:
            return ControlKind.CHOICES_BY_NAME if option.choices else ControlKind.TEXTS_BY_NAME
        case OptionKind.NUMBER:
            return ControlKind.NUMBER
    if option.choices:
        return ControlKind.CHOICE
    by_type = {bool: ControlKind.SWITCH, Decimal: ControlKind.AMOUNT}
    is_long = option.path[-1] == "instructions"
    plain = ControlKind.LONG_TEXT if is_long else ControlKind.TEXT
    return next(
        (kind for type_, kind in by_type.items() if option.field.annotation is type_), plain
    )


def build_sections(
    file: OpenFile, values: FormValues, errors: Mapping[str, tuple[Message, ...]]
) -> list[Section]:
    """Build the controls of a file by table."""
    saved = saved_values(file)
    tables: dict[str, list[Control]] = {name: [] for name in _SECTIONS}
    for option in list_editable(file.stem):
        key = ".".join(option.path)
        tables[option.path[0]].append(
            Control(
                key,
                label=LABELS[option.path],
                kind=(kind := kind_of(option)),
                value=values.get(key, saved[key]),
                saved=saved[key],
                meaning="" if kind is ControlKind.CHOICE else option.field.description or "",
                lock=file.locks.get(option.path, ""),
                choices=tuple(str(choice.value) for choice in option.choices),
                errors=errors.get(key, ()),
            )
        )
    return [
        Section(_SECTIONS[name], _INTRODUCTIONS.get(name), controls)
        for name, controls in tables.items()
        if controls
    ]


def saved_values(file: OpenFile) -> FormValues:
    """Return what the form contains before any edit."""
    return {".".join(path): _format(value) for path, value in file.values.items()}


def read_form(form: FormData, file: OpenFile) -> FormValues:
    """Return what a person sent; a setting that is not in the form keeps its value."""
    values: FormValues = {}
    for option in list_editable(file.stem):
        key, kind = ".".join(option.path), kind_of(option)
        if option.path in file.locks:
            continue
        if kind in {ControlKind.CHOICES_BY_NAME, ControlKind.TEXTS_BY_NAME}:
            values[key] = _read_names(form, key)
        elif kind is ControlKind.SWITCH:
            values[key] = "true" if form.get(key) else "false"
        elif kind is ControlKind.ADD_ONLY:
            current = str(_format(file.values[option.path]))
            values[key] = _clean_lines(f"{current}\n{form.get(key, '')}")
        elif key in form:
            text = str(form[key]).replace("\r\n", "\n")
            values[key] = _clean_lines(text) if kind is ControlKind.LIST else text.strip()
    return values


def find_edits(values: FormValues, before: FormValues, file: OpenFile) -> Edits:
    """Return the settings whose value in the form differs from the one before."""
    return {
        option.path: _parse(values[key], option)
        for option in list_editable(file.stem)
        for key in (".".join(option.path),)
        if key in values and values[key] != before.get(key)
    }


def find_changes_meanwhile(before: FormValues, file: OpenFile) -> list[tuple[str, str, str]]:
    """Return the settings that someone else changed in the file: key, former and present value."""
    return [
        (key, _show(before[key]), _show(now))
        for key, now in saved_values(file).items()
        if key in before and before[key] != now
    ]


def dump_values(values: FormValues) -> str:
    """Return values as the text of a hidden input."""
    return json.dumps(values, ensure_ascii=False)


def load_values(text: str, file: OpenFile) -> FormValues:
    """Parse the text of a hidden input; raise BadRequest. Unknown settings are left out."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or len(text) > _MAX_LENGTH:
        raise BadRequest("the form is not complete")
    known = saved_values(file)
    return {key: value for key, value in found.items() if _is_like(value, known.get(key))}


def _is_like(value: object, known: FormValue | None) -> bool:
    if isinstance(known, dict):
        return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
    return isinstance(known, str) and isinstance(value, str)


def _read_names(form: FormData, key: str) -> dict[str, str]:
    """Return the rows of a table; one without a name or without a value is left out."""
    names, texts = form.getlist(f"{key}.name"), form.getlist(f"{key}.value")
    rows = (
        (str(name).strip(), str(text).strip()) for name, text in zip(names, texts, strict=False)
    )
    return {name: text.replace("\r\n", "\n") for name, text in rows if name and text}


def _format(value: object) -> FormValue:
    """Return a value as the form sends it back, so that only an edit makes a difference."""
    match value:
        case Mapping():
            return {str(name): format_scalar(entry).strip() for name, entry in value.items()}
        case tuple():
            return _clean_lines("\n".join(map(format_scalar, value)))
    return format_scalar(value).strip()


def _show(value: FormValue) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {text}" for name, text in value.items())
    return value.replace("\n", ", ")


def _parse(value: FormValue, option: Option) -> EditedValue:
    """Return a value of the form as the value in the file; what is malformed stays text."""
    if isinstance(value, dict):
        return value
    match kind_of(option):
        case ControlKind.LIST | ControlKind.ADD_ONLY:
            return tuple(value.split("\n")) if value else ()
        case ControlKind.SWITCH:
            return value == "true"
        case ControlKind.NUMBER if _WHOLE_NUMBER.fullmatch(value):
            return int(value)
        case ControlKind.AMOUNT:
            return _parse_amount(value)
    return value


def _parse_amount(text: str) -> Decimal | str:
    try:
        amount = Decimal(text.replace(",", "."))
    except InvalidOperation:
        return text
    return amount if amount.is_finite() else text


def _clean_lines(text: str) -> str:
    """Return the lines of a list without empty ones and repetitions."""
    return "\n".join(dict.fromkeys(line.strip() for line in text.split("\n") if line.strip()))
