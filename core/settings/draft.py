"""Write the text of a new settings file, with every option and its explanation."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TypeAlias

from core.settings.errors import KeyPath

SettingText: TypeAlias = bool | str | Sequence[str]
SettingTexts: TypeAlias = Mapping[KeyPath, SettingText]

_EXAMPLE = "config.example.toml"
_HEADER = """\
# Settings of the Paperless-ngx "{name}", written when it was set up.
# A line that begins with # shows a default: remove the # to change it."""
_TABLE = re.compile(r"\[(?P<table>\w+)\]")
OPTION_LINE = re.compile(
    r'(?:# )?(?P<key>[a-z_]+) = (?P<value>"[^"]*"|\[[^]]*\]|\{[^}]*\}|[^\s#]+)'
    r"\s*(?:# (?:<- )?(?P<comment>.*))?"
)
"""A line with an option, or with its default behind a #, and its explanation."""
_COMMENT_COLUMN = 36
"""Column of the explanations in the example."""


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


def with_comment(setting: str, comment: str | None) -> str:
    """Return a line with its explanation in the column of all explanations."""
    return f"{setting:<{_COMMENT_COLUMN - 1}} # {comment}" if comment else setting


def _to_toml(value: SettingText) -> str:
    """Return a value as TOML; the escapes of JSON are a part of those of TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # JSON leaves this control character as it is; TOML does not allow it.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(_to_toml(item) for item in value)}]"
