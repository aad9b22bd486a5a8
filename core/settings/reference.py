"""Build the page `docs/reference/settings.md`: `python -m core.settings.reference` prints it."""

import sys
from collections.abc import Iterable
from inspect import cleandoc

from pydantic import BaseModel

from core.settings.daemon import DaemonSettings
from core.settings.instance import DAEMON, InstanceTables
from core.settings.options import Option, default_text, list_options, list_tables
from core.settings.sources import variable_name

_INTRODUCTION = """\
# Settings

<!-- Written by `python -m core.settings.reference`; a test compares it with the code. -->

Each Paperless-ngx that Paperclerk works for is an *instance* with its own file in the config
folder: `home.toml` is the instance `home`. A name consists of lower case letters, digits, `-` and
`_`. `config.example.toml` is such a file with four lines to fill in. Settings of the whole process
are in `daemon.toml`, which is optional.

- **Environment variables** take precedence over the files. An empty variable counts as unset. A
  hyphen in an instance's name becomes an underscore. A list is given as `Inbox,Scanner` or as JSON,
  a table as JSON. An instance needs its file, even an empty one.
- `PAPERCLERK_CONFIG` and `PAPERCLERK_DATA` are not settings: they name the two folders.
- **Secrets** can be read from a file: `token_file` instead of `token`. Both in the same place are
  an error; a variable of either form takes precedence over both forms in the file. A file for a
  list has one entry per line.
- **File names** that are not absolute are relative to the config folder.
- **Durations** are written `"30s"`, `"5m"`, `"2h"`, `"1d"` or `"1h30m"`, up to a year.
- **Errors**, including misspelt names, stop the start and are reported all at once, with file and
  line.
- **Renamed settings** keep working under their former names until the next major version; a warning
  in the log and on the settings page names file, line and the present name.
"""


def build_reference() -> str:
    """Return the page `docs/reference/settings.md`."""
    files: dict[str, type[BaseModel]] = {"home": InstanceTables, DAEMON: DaemonSettings}
    titles = {"home": "`<name>.toml`, here `home.toml`", DAEMON: "`daemon.toml`"}
    sections = (
        f"\n## {titles[file]}\n" + "".join(_tables(file, model)) for file, model in files.items()
    )
    return _INTRODUCTION + "".join(sections)


def _tables(file: str, model: type[BaseModel]) -> Iterable[str]:
    options = list_options(model)
    alone = [option for option in options if len(option.path) == 1]
    if alone:
        yield f"\n### Above all tables\n\n{_rows(file, alone)}"
    for name, table in list_tables(model).items():
        inside = [option for option in options if option.path[0] == name]
        yield f"\n### `[{name}]`\n\n{cleandoc(table.__doc__ or '')}\n\n{_rows(file, inside)}"


def _rows(file: str, options: Iterable[Option]) -> str:
    head = "| key | default | meaning | environment |\n|---|---|---|---|\n"
    return head + "".join(_row(file, option) for option in options)


def _row(file: str, option: Option) -> str:
    key, name = option.path[-1], variable_name(file, option.path)
    default = f"`{default_text(option)}`" if default_text(option) else "required"
    row = f"| `{key}` | {default} | {option.field.description} | `{name}` |\n"
    if not option.is_secret:
        return row
    name = variable_name(file, option.file_path)
    return row + f'| `{key}_file` | `""` | File with the `{key}`. | `{name}` |\n'


if __name__ == "__main__":
    sys.stdout.write(build_reference())
