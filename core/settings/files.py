"""The files of the config folder: which there are, and what TOML says in each."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from core.messages import Message, message, message_in
from core.settings.errors import ConfigError, KeyPath, SettingError, SettingSource
from core.settings.instance import DAEMON, check_instance_name

_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)")
_TWICE = ("Cannot overwrite", "Cannot declare", "Duplicate")
# What tomllib says about a fault: it has no other way to say which one it is.
_SYNTAX = {
    "Invalid value": message('this is not a value - text needs quotes, as in "text"'),
    "Unescaped '\\'": message("write \\\\ for a backslash, or put the text in 'single quotes'"),
    "Unterminated string": message("text without a closing quote"),
    "Illegal character '\\n'": message("text without a closing quote"),
}


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What stands in one file."""

    file: str
    raw: Mapping[str, object]
    lines: Mapping[KeyPath, int]

    def source_of(self, path: KeyPath) -> SettingSource:
        """Return the place of a key; failing that of the table around it, or the file's start."""
        prefixes = (path[:end] for end in range(len(path), 0, -1))
        line = next((self.lines[prefix] for prefix in prefixes if prefix in self.lines), 1)
        return SettingSource(self.file, line)


def find_files(folder: Path) -> dict[str, Path]:
    """Map the stems of the settings files to their paths; raise ConfigMistakes if it cannot."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except FileNotFoundError:
        missing = message(
            "there is no such folder - create it, and copy config.example.toml to home.toml in it"
        )
        raise _unusable(str(folder), missing) from None
    except OSError as error:
        raise _unusable(str(folder), _unreadable(error)) from error
    # Hidden files are an editor's or a file manager's, not the owner's.
    return {path.stem: path for path in paths if not path.name.startswith(".")}


def check_file_names(folder: Path, stems: Collection[str]) -> list[SettingError]:
    """Check what the files are called: there must be an instance, and names must not clash."""
    instances = sorted(set(stems) - {DAEMON})
    if not instances:
        example = folder / "home.toml"
        none = message(
            "no instance here - copy config.example.toml to {path} and fill it in",
            path=str(example),
        )
        return [SettingError(str(folder), None, "", none)]
    return [
        SettingError(f"{stem}.toml", None, "", said)
        for stem in instances
        for said in _about_name(stem, instances)
    ]


def read_file(path: Path) -> SettingsFile:
    """Read one file; raise ConfigMistakes if it is not TOML."""
    try:
        # Some editors begin a file with a byte order mark.
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise _unusable(path.name, message("is not UTF-8 text")) from None
    except OSError as error:
        raise _unusable(path.name, _unreadable(error)) from error
    return parse_file(path.name, text)


def parse_file(file: str, text: str) -> SettingsFile:
    """Parse the text of a file; raise ConfigMistakes with the line if it is not TOML."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([_syntax_error(file, text, str(error))]) from None
    return SettingsFile(file, raw, find_key_lines(text))


def _about_name(stem: str, instances: list[str]) -> list[Message]:
    try:
        check_instance_name(stem)
    except ValueError as error:
        return [message_in(error)]
    # Both would listen to the same environment variables.
    twin = stem.replace("-", "_")
    if twin == stem or twin not in instances:
        return []
    return [message("too much like {name}.toml - rename one", name=twin)]


def _syntax_error(file: str, text: str, error: str) -> SettingError:
    position = _POSITION.search(error)
    line = int(position["line"]) if position and position["line"] else len(text.splitlines())
    fault = _POSITION.sub("", error)
    if fault.startswith(_TWICE):
        path, line = find_repeated_key(text) or ((), line)
        return SettingError.at(SettingSource(file, line), path, message("given twice"))
    known = (said for start, said in _SYNTAX.items() if fault.startswith(start))
    return SettingError(file, line, "", next(known, message("not valid TOML: {why}", why=fault)))


def _unreadable(error: OSError) -> Message:
    return message("cannot be read: {why}", why=str(error.strerror))


def _unusable(file: str, said: Message) -> ConfigError:
    return ConfigError([SettingError(file, None, "", said)])


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


def find_key_lines(source: str) -> dict[KeyPath, int]:
    """Map each table and key of valid TOML to the line where it first stands.

    What is inside an inline table has no line of its own: look for the key in front of it.
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
    """Find the first table or key that stands twice, with the line of its second place."""
    seen = set()
    try:
        for path, line in iterate_statements(source):
            if path in seen:
                return path, line
            seen.add(path)
    except tomllib.TOMLDecodeError:
        # Beyond the first mistake the source need not make sense.
        return None
    return None


def iterate_statements(source: str) -> Iterator[tuple[KeyPath, int]]:
    """Yield the full path and the line of every table header and every key, in order."""
    table: KeyPath = ()
    for tokens, line in _logical_lines(source):
        text = "".join(text for _, text in takewhile(_is_key, tokens)).strip()
        if text.startswith("["):
            table = _header(text)
            yield table, line
        elif text:
            yield table + _keys(text), line


def _logical_lines(source: str) -> Iterator[tuple[list[_Token], int]]:
    """Yield the tokens of each statement with its first line: brackets and strings join lines."""
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


def _is_key(token: _Token) -> bool:
    return token[0] not in {"equals", "comment"}


def _header(text: str) -> KeyPath:
    brackets = 2 if text.startswith("[[") else 1
    return _keys(text[brackets:-brackets])


def _keys(text: str) -> KeyPath:
    """Read a dotted key, quotes and escapes included, the way tomllib does."""
    value: object = tomllib.loads(f"{text} = 0")
    path: list[str] = []
    while isinstance(value, dict):
        key, value = next(iter(value.items()))
        path.append(key)
    return tuple(path)
