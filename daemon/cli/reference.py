"""Write the command line's reference page from the command line itself."""

import sys
from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from daemon.cli import app
from daemon.cli.app import PROGRAM

_INTRODUCTION = """\
# Command line

<!-- Written by `python -m daemon.cli.reference`; a test compares it with the code. -->

`paperclerk [OPTIONS] COMMAND ...`: global options come before the command, its own options after
it. Every command explains itself with `--help`.

- A **document** is named by its instance and its number in Paperless: `home/7`. An **instance** is
  named by its settings file: `home.toml` is `home`.
- Results (text, or JSON with `--json`) go to standard output, log lines and errors to standard
  error. On a terminal only warnings are logged, unless `--verbose` is given.
- [Exit codes](states.md#exit-codes) are the same for all commands.
"""


def reference() -> str:
    """Return the page `docs/reference/cli.md`."""
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    before = "\n## Global options\n\n" + _lines(root)
    sections = (_section(called, command) for called, command in commands(root, PROGRAM))
    return _INTRODUCTION + before + "".join(sections)


def commands(group: TyperGroup, called: str) -> Iterator[tuple[str, TyperCommand]]:
    """Yield every command with the words that call it, in the order of the help."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, f"{called} {name}")
        elif isinstance(command, TyperCommand):
            yield f"{called} {name}", command


def _section(called: str, command: TyperCommand) -> str:
    arguments = "".join(
        f" {_placeholder(parameter)}"
        for parameter in command.params
        if isinstance(parameter, TyperArgument)
    )
    lines = _lines(command)
    return f"\n## `{called}{arguments}`\n\n{command.help}\n" + (f"\n{lines}" if lines else "")


def _lines(command: TyperCommand | TyperGroup) -> str:
    context = typer.Context(command, info_name=PROGRAM)
    return "".join(_line(parameter, context) for parameter in command.params)


def _line(parameter: object, context: typer.Context) -> str:
    match parameter:
        case TyperArgument():
            return f"- `{parameter.metavar}`: {parameter.help}\n"
        case TyperOption():
            spelling, rest = _spelling(parameter, context), _environment_and_default(parameter)
            return f"- {spelling}: {parameter.help}{rest}\n"
    raise TypeError(f"neither argument nor option: {parameter!r}")


def _placeholder(argument: TyperArgument) -> str:
    name = str(argument.metavar) if argument.required else f"[{argument.metavar}]"
    return name if argument.nargs == 1 else f"{name}..."


def _spelling(option: TyperOption, context: typer.Context) -> str:
    value = option.metavar or option.display_type(context).strip("<>")
    takes = "" if option.is_flag else f" {value}"
    return ", ".join(f"`{name}{takes}`" for name in option.opts)


def _environment_and_default(option: TyperOption) -> str:
    """Return the environment variable and the default of an option, as text."""
    text = ""
    if option.envvar:
        text += f" Variable: `{option.envvar}`."
    if option.default and not option.is_flag:
        text += f" Default: `{option.default}`."
    return text


if __name__ == "__main__":
    sys.stdout.write(reference())
