"""Find the lines of keys in TOML source, which tomllib does not tell."""

import re
import tomllib
from collections.abc import Iterator
from itertools import takewhile

from core.settings.errors import KeyPath

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


def lines_of_keys(source: str) -> dict[KeyPath, int]:
    """Map each table and key of valid TOML to the line where it first stands.

    What is inside an inline table has no line of its own: look for the key in front of it.
    """
    found = list(statements(source))
    lines: dict[KeyPath, int] = {}
    for path, line in found:
        lines.setdefault(path, line)
    for path, line in found:
        for end in range(1, len(path)):
            lines.setdefault(path[:end], line)
    return lines


def repeated_key(source: str) -> tuple[KeyPath, int] | None:
    """Find the first table or key that stands twice, with the line of its second place."""
    seen = set()
    try:
        for path, line in statements(source):
            if path in seen:
                return path, line
            seen.add(path)
    except tomllib.TOMLDecodeError:
        # Beyond the first mistake the source need not make sense.
        return None
    return None


def statements(source: str) -> Iterator[tuple[KeyPath, int]]:
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
