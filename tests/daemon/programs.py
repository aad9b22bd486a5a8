"""The installed program, started as a person would."""

import os
import subprocess
import sys
from pathlib import Path

from tests.installation import Installation

PROGRAM = str(Path(sys.executable).with_name("paperclerk"))
_ROOT = Path(__file__).parents[2]


def start_program(
    installation: Installation, *words: str, **environment: str
) -> "subprocess.Popen[str]":
    """Start it for an installation; the caller ends it."""
    return start(PROGRAM, *folders_of(installation), *words, **environment)


def start(*command: str, **environment: str) -> "subprocess.Popen[str]":
    """Start a command that starts the program."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=_ROOT,
        env=os.environ | {"PYTHONPATH": str(_ROOT)} | environment,  # noqa: TID251 - a child's
    )


def folders_of(installation: Installation) -> list[str]:
    return ["--config", str(installation.config), "--data", str(installation.data)]
