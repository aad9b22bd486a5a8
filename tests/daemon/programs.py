"""The program in a separate process: installed and started normally, or forked, which is faster."""

import os
import subprocess
import sys
from pathlib import Path

from daemon.cli import main
from tests.forking import start_forked
from tests.installation import Installation

PROGRAM = str(Path(sys.executable).with_name("paperclerk"))
_ROOT = Path(__file__).parents[2]


def start_program(
    installation: Installation, *words: str, **environment: str
) -> "subprocess.Popen[str]":
    """Start the program for an installation; the caller stops it."""
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


class ForkedProgram:
    """The program in a forked process, which has the slow imports already."""

    def __init__(self, installation: Installation, *words: str) -> None:
        folder = installation.data.parent
        self._out, self._err = folder / "stdout", folder / "stderr"
        command = [*folders_of(installation), *words]
        self._process = start_forked(_run, command, self._out, self._err)

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()

    def communicate(self, timeout: float) -> tuple[str, str]:
        """Wait for the exit; return stdout and stderr."""
        self._process.join(timeout)
        return self._out.read_text(encoding="utf-8"), self._err.read_text(encoding="utf-8")


def _run(command: list[str], out: Path, err: Path) -> None:
    for file, descriptor in ((out, 1), (err, 2)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600), descriptor)
    sys.argv = ["paperclerk", *command]
    main()
