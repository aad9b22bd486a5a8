"""The command line: reads what was typed and calls one function for it."""

import gc  # noqa: I001 - below, the order is that of the help

from typer.completion import completion_init  # type: ignore[attr-defined]

# Each adds its commands to the app.
from daemon.cli import work, decide, names, look, access  # noqa: F401
from daemon.cli.app import Command, app

__all__ = ["app", "main"]

for _group in (app, *(info.typer_instance for info in app.registered_groups)):
    for _info in _group.registered_commands if _group else ():
        _info.cls = Command


def main() -> None:
    """Run the command that was typed."""
    completion_init()
    # What is loaded stays: the garbage collector would only walk through it, again and again. It is
    # switched on again when the work begins.
    gc.disable()
    try:
        app()
    finally:
        # An interpreter that ends looks through all its objects once more for what nobody needs:
        # most of a second, on a busy machine many, and nothing that the system would not free.
        gc.freeze()
