"""`version` and `completion`: commands about the program itself."""

from typing import Annotated

import typer
from typer.completion import (  # type: ignore[attr-defined]
    get_completion_script,
)

from daemon.cli import parsing
from daemon.cli.app import PROGRAM, app, print_version
from daemon.cli.parsing import SHELLS


@app.command("version")
def version() -> None:
    """Print the version, as `--version` does."""
    print_version()


@app.command("completion")
def completion(
    shell: Annotated[
        str,
        typer.Argument(parser=parsing.shell, metavar="SHELL", help=f"One of {', '.join(SHELLS)}."),
    ],
) -> None:
    """Print the script for tab completion; for bash: `source <(paperclerk completion bash)`."""
    variable = "_PAPERCLERK_COMPLETE"
    typer.echo(get_completion_script(prog_name=PROGRAM, complete_var=variable, shell=shell))
