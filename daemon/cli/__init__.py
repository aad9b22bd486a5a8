"""The command line: reads what was typed and calls one function for it."""

# In the order of the help; each adds its commands to the app.
from daemon.cli import work, decide, names, look, access  # noqa: F401, I001
from daemon.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command that was typed."""
    app()
