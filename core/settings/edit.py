"""Edit settings in the dashboard: which ones can be edited, and the text of their file.

Only the edited values change; comments and formatting are kept.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import SequenceMatcher
from typing import Any, TypeAlias

import tomlkit
from pydantic import BaseModel
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array, InlineTable, Item

from core.errors import PaperclerkError
from core.messages import message
from core.settings.daemon import DaemonSettings
from core.settings.errors import KeyPath
from core.settings.files import OPTION_LINE, iterate_statements, with_comment
from core.settings.instance import DAEMON, InstanceTables
from core.settings.options import Option, default_text, list_options
from core.settings.sources import variable_name

EditedValue: TypeAlias = str | bool | int | Decimal | tuple[str, ...] | Mapping[str, str]
Edits: TypeAlias = Mapping[KeyPath, EditedValue]
"""The edited values by the paths of their settings."""
HIDDEN = "••••••••"
ADD_ONLY = frozenset({("scan", "exclude_tags")})
"""Lists that can be added to. Taking away from them would send more documents to the model."""
_MIN_SECRET_LENGTH = 4
"""Shorter ones are not secrets, and would hide parts of other words."""
# Listed one by one, so that a setting added later cannot be edited unless someone decides so. None
# of them may name an address, a file or a secret: a stolen session must not send documents away.
_OF_INSTANCES = frozenset(
    {
        ("ai", "model"),
        ("ai", "instructions"),
        ("ai", "type_instructions"),
        ("ai", "requests_per_minute"),
        ("ai", "tokens_per_minute"),
        ("ai", "hours"),
        ("ai", "hours_for"),
        ("scan", "cron"),
        ("scan", "enabled"),
        ("scan", "min_age"),
        ("scan", "include_tags"),
        ("scan", "exclude_tags"),
        ("scan", "done_tag"),
        ("scan", "remove_tags"),
        ("fields", "title"),
        ("fields", "correspondent"),
        ("fields", "document_type"),
        ("fields", "tags"),
        ("fields", "date"),
        ("fields", "storage_path"),
        ("fields", "custom_fields"),
        ("fields", "max_tags"),
        ("names", "tags"),
        ("names", "correspondents"),
        ("names", "document_types"),
        ("limits", "documents_per_day"),
        ("limits", "price_in"),
        ("limits", "price_out"),
        ("limits", "currency"),
        ("limits", "cost_per_month"),
        ("limits", "consent_above"),
    }
)
_OF_DAEMON = frozenset({("notify", "quiet_hours")})


class CannotEdit(PaperclerkError):
    """The file is written in a way in which single values cannot be replaced."""

    code = "settings_not_editable"
    user_message = "This file cannot be edited here."
    hint = "Edit the file itself: its tables are written in a way that this form does not support."


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line that an edit removes or adds."""

    sign: str
    """`-` or `+`."""
    number: int
    """Of the line, in the text before or after the edit."""
    text: str


def settings_model(stem: str) -> type[BaseModel]:
    """Return the model of a file: daemon.toml, or that of an instance."""
    return DaemonSettings if stem == DAEMON else InstanceTables


def list_editable(stem: str) -> tuple[Option, ...]:
    """Return the settings of a file that can be edited, in the order of declaration."""
    editable = _OF_DAEMON if stem == DAEMON else _OF_INSTANCES
    return tuple(option for option in list_options(settings_model(stem)) if option.path in editable)


def find_locks(stem: str, environ: Mapping[str, str]) -> dict[KeyPath, str]:
    """Return the environment variables that set an editable key: there the file has no effect."""
    return {
        option.path: name
        for option in list_editable(stem)
        for path in option.paths
        if environ.get(name := variable_name(stem, path), "").strip()
    }


def apply_edits(text: str, edits: Edits, options: Iterable[Option]) -> str:
    """Return the text of a settings file with other values; comments and order are kept.

    Raise CannotEdit if that is not possible.
    """
    by_path = {option.path: option for option in options}
    try:
        edited = text
        for path, value in edits.items():
            edited = _set_value(edited, path, value, default_text(by_path[path]))
        # The text is written over someone's file: it must contain this and nothing else.
        expected = tomllib.loads(text)
        for (table, key), value in edits.items():
            expected.setdefault(table, {})[key] = _to_plain(value)
        is_exact = tomllib.loads(edited) == expected
    except (TOMLKitError, tomllib.TOMLDecodeError, TypeError) as error:
        raise CannotEdit(message("the edited text is not valid TOML")) from error
    if not is_exact:
        raise CannotEdit(message("the edited text would contain other values"))
    return edited


def build_lines_to_paste(edits: Edits) -> str:
    """Return the edited values as TOML, for a person who edits the file by hand."""
    tables: dict[str, list[str]] = {}
    for (table, key), value in edits.items():
        tables.setdefault(table, []).append(f"{key} = {_to_toml(value)}")
    return "\n\n".join("\n".join([f"[{table}]", *lines]) for table, lines in tables.items())


def diff(before: str, after: str, stem: str) -> tuple[DiffLine, ...]:
    """Return the lines that differ between two texts of a file; secrets in them are hidden."""
    hide = _build_hider(stem, before, after)
    old, new = before.rstrip("\n").split("\n"), after.rstrip("\n").split("\n")
    found: list[DiffLine] = []
    for kind, *spans in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            first, past, new_first, new_past = spans
            found += [DiffLine("-", n + 1, hide(old[n])) for n in range(first, past)]
            found += [DiffLine("+", n + 1, hide(new[n])) for n in range(new_first, new_past)]
    return tuple(found)


def _set_value(text: str, path: KeyPath, value: EditedValue, default: str = "") -> str:
    document = tomlkit.parse(text)
    table = _find_table(document, path[:-1])
    current = None if table is None else table.get(path[-1])
    if table is None or current is None:
        return _insert(text, path, value, default)
    match current, value:
        case Array(), tuple():
            _update_array(current, value)
            if list(current) != list(value):
                # In another order.
                table[path[-1]] = _build_item(value)
        case MutableMapping(), Mapping() if not isinstance(current, InlineTable):
            return _set_names(text, path, current, value)
        case _:
            table[path[-1]] = _build_item(value)
    return tomlkit.dumps(document)


def _set_names(
    text: str, path: KeyPath, table: Mapping[str, object], value: Mapping[str, str]
) -> str:
    """Return the text with other entries in a table that has a header or dotted keys."""
    document = tomlkit.parse(text)
    found = _find_table(document, path)
    for name in [name for name in table if name not in value]:
        found.remove(name)
    text = tomlkit.dumps(document)
    for name, entry in value.items():
        if table.get(name) != entry:
            text = _set_value(text, (*path, name), entry)
    return text


def _find_table(document: MutableMapping[str, Any], path: KeyPath) -> Any:
    """Return the table at a path; None if there is none."""
    table: Any = document
    for key in path:
        table = table.get(key) if isinstance(table, MutableMapping) else None
    return table


def _update_array(array: Array, items: tuple[str, ...]) -> None:
    """Change a list item by item, which keeps the comments between them."""
    for item in [item for item in array if item not in items]:
        array.remove(item)
    for item in items:
        if item not in array:
            array.append(item)


def _insert(text: str, path: KeyPath, value: EditedValue, default: str) -> str:
    """Return the text with a key that it does not have: where its default is, or after the others.

    A line `# key = default  # explanation` becomes the setting, as these lines are meant.
    """
    lines = text.split("\n")
    setting = f"{_to_key(path[-1])} = {_to_toml(value)}"
    span = _find_lines_of_table(text, path[:-1])
    if span is None:
        name = ".".join(map(_to_key, path[:-1]))
        return f"{text.rstrip()}\n\n[{name}]\n{setting}\n".lstrip()
    for index in span:
        option = OPTION_LINE.fullmatch(lines[index].rstrip("\r"))
        if option and lines[index].startswith("#") and option["key"] == path[-1]:
            if _is_same_toml(option["value"], default):
                lines[index] = with_comment(setting, option["comment"])
            else:
                lines.insert(index + 1, setting)
            return "\n".join(lines)
    last = max((n for n in span if lines[n].strip() and not lines[n].startswith("#")), default=0)
    lines.insert(max(last, span.start - 1) + 1, setting)
    return "\n".join(lines)


def _find_lines_of_table(text: str, table: KeyPath) -> range | None:
    """Return the indexes of the lines between a table's header and the next header."""
    lines = text.split("\n")
    headers = [
        (path, line)
        for path, line in iterate_statements(text)
        if lines[line - 1].lstrip()[:1] == "["
    ]
    for index, (path, line) in enumerate(headers):
        if path == table:
            following = headers[index + 1][1] - 1 if index + 1 < len(headers) else len(lines)
            return range(line, following)
    return None


def _is_same_toml(text: str, other: str) -> bool:
    try:
        return tomllib.loads(f"value = {text}") == tomllib.loads(f"value = {other}")
    except tomllib.TOMLDecodeError:
        return False


def _to_key(name: str) -> str:
    return tomlkit.key(name).as_string()


def _to_toml(value: EditedValue) -> str:
    return _build_item(value).as_string()


def _build_item(value: EditedValue) -> Item:
    match value:
        # TOML reads CRLF in a multi-line string as LF. Escaped in a single line, it is kept.
        case str() if "\n" in value and "\r" not in value:
            # A line break after the opening quotes is not a part of the text.
            written = tomlkit.string(f"\N{PILCROW SIGN}{value}", multiline=True).as_string()
            return tomlkit.value(f'"""\n{written[4:]}')
        case Decimal():
            return tomlkit.value(f"{value:f}")
        case Mapping():
            # An inline table must be on one line, so line breaks in a text are escaped.
            entries = (
                f"{_to_key(name)} = {tomlkit.item(text).as_string()}"
                for name, text in value.items()
            )
            return tomlkit.value("{ " + ", ".join(entries) + " }" if value else "{}")
        case tuple():
            return tomlkit.item(list(value))
    return tomlkit.item(value)


def _to_plain(value: EditedValue) -> object:
    """Return the value as tomllib would read it."""
    match value:
        case Decimal():
            return float(value)
        case tuple():
            return list(value)
    return value


def _build_hider(stem: str, *texts: str) -> Callable[[str], str]:
    """Return a function that replaces the secrets of a file in a text."""
    secrets = {
        form
        for text in texts
        for secret in _list_secrets(stem, tomllib.loads(text))
        for form in (secret, _to_toml(secret)[1:-1])
        if len(secret) >= _MIN_SECRET_LENGTH
    }

    def hide(line: str) -> str:
        for secret in sorted(secrets, key=len, reverse=True):
            line = line.replace(secret, HIDDEN)
        return line

    return hide


def _list_secrets(stem: str, values: dict[str, Any]) -> Iterator[str]:
    for option in list_options(settings_model(stem)):
        table = _find_table(values, option.path[:-1])
        if option.holds_secrets and isinstance(table, dict):
            match table.get(option.path[-1]):
                case str(secret):
                    yield secret
                case list(secrets):
                    yield from map(str, secrets)
                case dict(secrets):
                    yield from map(str, secrets.values())
