"""Write the command line's reference page from the command line itself."""

import sys
from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from daemon.cli import app
from daemon.cli.app import PROGRAM

_INTRODUCTION = """\
# Command line

<!-- Written by `python -m daemon.cli.reference`; a test holds it to the code. -->

`paperclerk [OPTIONS] COMMAND ...`: the options in the next section stand before the command, those
of a command after it. Every command tells with `--help` what it takes.

- A **document** is named by its instance and its number in Paperless: `home/7`. An **instance** is
  named by its settings file: `home.toml` is `home`.
- Words for people and JSON for scripts (`--json`) go to standard output, log lines and errors to
  standard error. On a terminal only warnings are logged, unless `--verbose` is given.
- What the numbers mean that a command ends with: [exit codes](states.md#exit-codes).
"""


def reference() -> str:
    """Return the page `docs/reference/cli.md`."""
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    before = "\n## Before the command\n\n" + _lines(root)
    return _INTRODUCTION + before + "".join(_section(*one) for one in commands(root, PROGRAM))


def commands(group: TyperGroup, called: str) -> Iterator[tuple[str, TyperCommand]]:
    """Yield every command with the words that call it, in the order of the help."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, f"{called} {name}")
        elif isinstance(command, TyperCommand):
            yield f"{called} {name}", command


def _section(called: str, command: TyperCommand) -> str:
    arguments = "".join(
        f" {_placeholder(one)}" for one in command.params if isinstance(one, TyperArgument)
    )
    lines = _lines(command)
    return f"\n## `{called}{arguments}`\n\n{command.help}\n" + (f"\n{lines}" if lines else "")


def _lines(command: TyperCommand | TyperGroup) -> str:
    context = typer.Context(command, info_name=PROGRAM)
    return "".join(_line(one, context) for one in command.params)


def _line(parameter: object, context: typer.Context) -> str:
    match parameter:
        case TyperArgument():
            return f"- `{parameter.metavar}`: {parameter.help}\n"
        case TyperOption():
            return f"- {_called(parameter, context)}: {parameter.help}{_unless_given(parameter)}\n"
    raise TypeError(f"neither argument nor option: {parameter!r}")


def _placeholder(argument: TyperArgument) -> str:
    name = str(argument.metavar) if argument.required else f"[{argument.metavar}]"
    return name if argument.nargs == 1 else f"{name}..."


def _called(option: TyperOption, context: typer.Context) -> str:
    value = option.metavar or option.display_type(context).strip("<>")
    takes = "" if option.is_flag else f" {value}"
    return ", ".join(f"`{name}{takes}`" for name in option.opts)


def _unless_given(option: TyperOption) -> str:
    """Return the default of an option, as text."""
    said = ""
    if option.envvar:
        said += f" Variable: `{option.envvar}`."
    if option.default and not option.is_flag:
        said += f" Default: `{option.default}`."
    return said


if __name__ == "__main__":
    sys.stdout.write(reference())
