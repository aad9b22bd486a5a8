"""The command line: one module per topic, each with its commands and what they do."""

import gc

from typer.completion import completion_init  # type: ignore[attr-defined]

# Each module adds its commands to the app.
from daemon.cli import (  # noqa: F401
    access,
    backup,
    check,
    costs,
    demo,
    documents,
    history,
    init,
    jobs,
    names,
    review,
    run,
    scan,
    status,
)
from daemon.cli.app import Command, app

__all__ = ["app", "main"]

_HELP_ORDER = (
    "init", "run", "worker", "scan-now", "process", "retry", "cancel", "pause", "resume",
    "confirm-address", "demo",
    "undo", "ignore", "unignore", "adopt", "check", "status", "jobs", "job", "search", "explain",
    "history", "export", "backup", "restore", "costs", "models", "diagnostics", "healthcheck",
    "version", "completion",
)  # fmt: skip
app.registered_commands.sort(key=lambda command: _HELP_ORDER.index(command.name or ""))

for _group in (app, *(info.typer_instance for info in app.registered_groups)):
    for _info in _group.registered_commands if _group else ():
        _info.cls = Command


def main() -> None:
    """Run the command that was typed."""
    completion_init()
    # Loaded modules stay in memory, so collecting garbage during the imports only costs time.
    # It is enabled again when the command starts.
    gc.disable()
    try:
        app()
    finally:
        # Without this, the interpreter collects garbage once more while it exits, which takes up
        # to a second; the system frees the memory anyway.
        gc.freeze()
