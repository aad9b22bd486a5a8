"""The command line: reads what was typed and calls one function for it."""

import gc  # noqa: I001 - below, the order is that of the help

# Each adds its commands to the app.
from daemon.cli import work, decide, names, look, access  # noqa: F401
from daemon.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command that was typed."""
    try:
        app()
    finally:
        # An interpreter that ends looks through all its objects once more for what nobody needs:
        # most of a second, on a busy machine many, and nothing that the system would not free.
        gc.freeze()
