"""The TOML files of the config folder: find, parse, write and replace them.

Parsing keeps the line of every key. A new file explains every option. No other module overwrites a
person's file.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from core.errors import PaperclerkError
from core.messages import Message, message, message_in
from core.private_files import replace_file, stage_file
from core.settings.errors import ConfigError, KeyPath, SettingError, SettingSource
from core.settings.instance import DAEMON, check_instance_name

_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)")
_TWICE = ("Cannot overwrite", "Cannot declare", "Duplicate")
# Errors by the beginning of tomllib's message, which has no code.
_SYNTAX = {
    "Invalid value": message('invalid value - put text in quotes, such as "text"'),
    "Unescaped '\\'": message("write \\\\ for a backslash, or put the text in 'single quotes'"),
    "Unterminated string": message("the closing quote is missing"),
    "Illegal character '\\n'": message("the closing quote is missing"),
}
# Strings and comments are whole tokens, so that nothing inside them looks like TOML. Three to five
# quotes end a long string: up to two of them still belong to its text.
_TOKEN = re.compile(
    r'(?P<string>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\')'
    r"|(?P<comment>\#[^\n]*)"
    r"|(?P<newline>\n)"
    r"|(?P<open>[\[{])"
    r"|(?P<close>[\]}])"
    r"|(?P<equals>=)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_Token = tuple[str, str]
OPTION_LINE = re.compile(
    r'(?:# )?(?P<key>[a-z_]+) = (?P<value>"[^"]*"|\[[^]]*\]|\{[^}]*\}|[^\s#]+)'
    r"\s*(?:# (?:<- )?(?P<comment>.*))?"
)
"""A line with an option, or with its default behind a #, and its explanation."""
_EXAMPLE = "config.example.toml"
_HEADER = """\
# Settings of the Paperless-ngx "{name}", written when it was set up.
# A line that begins with # shows a default: remove the # to change it."""
_TABLE = re.compile(r"\[(?P<table>\w+)\]")
_COMMENT_COLUMN = 36
"""Column of the explanations in the example."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_saving = Lock()
SettingText: TypeAlias = bool | str | Sequence[str]
SettingTexts: TypeAlias = Mapping[KeyPath, SettingText]


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The contents of one file, and the lines of its keys."""

    file: str
    raw: Mapping[str, object]
    lines: Mapping[KeyPath, int]

    def source_of(self, path: KeyPath) -> SettingSource:
        """Return the line of a key, else of the table around it, else the first line."""
        prefixes = (path[:end] for end in range(len(path), 0, -1))
        line = next((self.lines[prefix] for prefix in prefixes if prefix in self.lines), 1)
        return SettingSource(self.file, line)


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file, and a hash by which a later change is noticed."""

    text: str
    hash: str


class FileChanged(PaperclerkError):
    """The file is not the one that was edited."""

    code = "settings_changed"
    user_message = "The settings file was changed in the meantime."
    hint = "Check the changes and save again."


def find_files(folder: Path) -> dict[str, Path]:
    """Return the paths of the settings files by stem; none if there is no folder yet.

    Raise ConfigError if the folder cannot be read.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unusable(str(folder), _unreadable(error)) from error
    # Hidden files are made by editors and file managers.
    return {path.stem: path for path in paths if not path.name.startswith(".")}


def describe_missing_instance(folder: Path) -> SettingError:
    """Return the error about a folder without the file of an instance."""
    if not folder.exists():
        none = message("does not exist - run `paperclerk init` to create it and a settings file")
    else:
        example = folder / "home.toml"
        none = message(
            "contains no instance - run `paperclerk init` to write {path}", path=str(example)
        )
    return SettingError(str(folder), None, "", none)


def check_file_names(stems: Collection[str]) -> list[SettingError]:
    """Return the errors in the names of the files: invalid or similar ones."""
    instances = sorted(set(stems) - {DAEMON})
    return [
        SettingError(f"{stem}.toml", None, "", error)
        for stem in instances
        for error in _check_name(stem, instances)
    ]


def read_file(path: Path) -> SettingsFile:
    """Read one file; raise ConfigError if it is not TOML."""
    try:
        # Some editors begin a file with a byte order mark.
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise _unusable(path.name, message("is not UTF-8 text")) from None
    except OSError as error:
        raise _unusable(path.name, _unreadable(error)) from error
    return parse_file(path.name, text)


def parse_file(file: str, text: str) -> SettingsFile:
    """Parse the text of a file; raise ConfigError with the line if it is not TOML."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([_syntax_error(file, text, str(error))]) from None
    return SettingsFile(file, raw, find_key_lines(text))


def find_key_lines(source: str) -> dict[KeyPath, int]:
    """Return the first line of each table and key of valid TOML.

    Keys of an inline table have no line; use that of the key before it.
    """
    found = list(iterate_statements(source))
    lines: dict[KeyPath, int] = {}
    for path, line in found:
        lines.setdefault(path, line)
    for path, line in found:
        for end in range(1, len(path)):
            lines.setdefault(path[:end], line)
    return lines


def find_repeated_key(source: str) -> tuple[KeyPath, int] | None:
    """Return the first table or key that is given twice, with the line of the second."""
    seen = set()
    try:
        for path, line in iterate_statements(source):
            if path in seen:
                return path, line
            seen.add(path)
    except tomllib.TOMLDecodeError:
        # After the first error the source may not be valid TOML.
        return None
    return None


def iterate_statements(source: str) -> Iterator[tuple[KeyPath, int]]:
    """Yield the full path and the line of every table header and every key, in order."""
    table: KeyPath = ()
    for tokens, line in _logical_lines(source):
        keys = takewhile(lambda token: token[0] not in {"equals", "comment"}, tokens)
        text = "".join(part for _, part in keys).strip()
        if text.startswith("["):
            brackets = 2 if text.startswith("[[") else 1
            table = _parse_keys(text[brackets:-brackets])
            yield table, line
        elif text:
            yield table + _parse_keys(text), line


def read_text(file: Path) -> FileText:
    """Read a settings file; one that does not exist is empty. Raise OSError or UnicodeDecodeError.

    Other than in `Path.read_text`, the ends of lines are kept as they are.
    """
    content = file.read_bytes() if file.exists() else b""
    text = content.removeprefix(_BYTE_ORDER_MARK).decode("utf-8")
    return FileText(text, _hash(content))


def save_text(file: Path, text: str, *, expected: str) -> None:
    """Replace a settings file by its edited text, and keep its former content beside it.

    Mode and owner stay the same; the former content is private. Raise FileChanged if the file does
    not have the expected hash, and OSError, with the file unchanged, if it cannot be replaced.
    """
    # Where the file is a link, what it links to is replaced and not the link.
    file = file.resolve()
    with _saving:
        content = file.read_bytes() if file.exists() else None
        if _hash(content or b"") != expected:
            raise FileChanged(message("{file} was changed", file=file.name))
        if content is None:
            replace_file(file, text.encode())
            return
        mark = _BYTE_ORDER_MARK if content.startswith(_BYTE_ORDER_MARK) else b""
        former = file.with_name(f"{file.name}.before")
        # The former copy is replaced last: if the file cannot be replaced, both stay as they are.
        with stage_file(former, content) as staged:
            replace_file(file, mark + text.encode(), like=file.stat())
            staged.replace(former)


def render_settings(name: str, values: SettingTexts) -> str:
    """Return a settings file like config.example.toml, with only these values set.

    Raise KeyError for an option that the example does not have.
    """
    example = files("core.settings").joinpath(_EXAMPLE).read_text(encoding="utf-8")
    _, body = example.split("\n\n", 1)
    left = dict(values)
    lines = [_HEADER.format(name=name), "", *_render_lines(body, left)]
    if left:
        raise KeyError(*left)
    return "\n".join(lines) + "\n"


def with_comment(setting: str, comment: str | None) -> str:
    """Return a line with its explanation in the column of all explanations."""
    return f"{setting:<{_COMMENT_COLUMN - 1}} # {comment}" if comment else setting


def _check_name(stem: str, instances: list[str]) -> list[Message]:
    try:
        check_instance_name(stem)
    except ValueError as error:
        return [message_in(error)]
    # Both would have the same environment variables.
    twin = stem.replace("-", "_")
    if twin == stem or twin not in instances:
        return []
    return [message("too similar to {name}.toml - rename one of them", name=twin)]


def _syntax_error(file: str, text: str, error: str) -> SettingError:
    position = _POSITION.search(error)
    line = int(position["line"]) if position and position["line"] else len(text.splitlines())
    fault = _POSITION.sub("", error)
    if fault.startswith(_TWICE):
        path, line = find_repeated_key(text) or ((), line)
        return SettingError.at(SettingSource(file, line), path, message("given twice"))
    known = (text for start, text in _SYNTAX.items() if fault.startswith(start))
    return SettingError(file, line, "", next(known, message("not valid TOML: {why}", why=fault)))


def _unreadable(error: OSError) -> Message:
    return message("cannot be read: {why}", why=str(error.strerror))


def _unusable(file: str, error: Message) -> ConfigError:
    return ConfigError([SettingError(file, None, "", error)])


def _logical_lines(source: str) -> Iterator[tuple[list[_Token], int]]:
    """Yield the tokens of each statement with its first line; it may span several lines."""
    tokens: list[_Token] = []
    start = line = 1
    depth = 0
    for match in _TOKEN.finditer(source):
        kind = match.lastgroup or ""
        depth += {"open": 1, "close": -1}.get(kind, 0)
        line += match[0].count("\n")
        if kind == "newline" and depth == 0:
            yield tokens, start
            tokens, start = [], line
        else:
            tokens.append((kind, match[0]))
    yield tokens, start


def _parse_keys(text: str) -> KeyPath:
    """Parse a dotted key, with quotes and escapes, as tomllib does."""
    value: object = tomllib.loads(f"{text} = 0")
    path: list[str] = []
    while isinstance(value, dict):
        key, value = next(iter(value.items()))
        path.append(key)
    return tuple(path)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _render_lines(body: str, left: dict[KeyPath, SettingText]) -> Iterator[str]:
    """Yield the lines with the values, each of which is removed from `left`."""
    table = ""
    for line in body.splitlines():
        option = OPTION_LINE.fullmatch(line)
        if option is None:
            heading = _TABLE.fullmatch(line)
            table = heading["table"] if heading else table
            yield line
            continue
        path = (table, option["key"])
        if path in left:
            setting = f"{option['key']} = {_to_toml(left.pop(path))}"
        elif line.startswith("#"):
            setting = f"# {option['key']} = {option['value']}"
        else:
            # A required line of the example: its value is not a default.
            setting = f'# {option["key"]} = ""'
        yield with_comment(setting, option["comment"])


def _to_toml(value: SettingText) -> str:
    """Return a value as TOML; the escapes of JSON are a part of those of TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # JSON leaves this control character as it is; TOML does not allow it.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(_to_toml(item) for item in value)}]"
