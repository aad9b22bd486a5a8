"""The installed program on a real pseudo-terminal, as a person sees it."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from tests.daemon.programs import PROGRAM
from tests.waiting import LONG

_ROOT = Path(__file__).parents[2]
# The terminal must be the controlling one: only then Ctrl-C is a signal.
_ON_TERMINAL = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)
_CTRL_C = "\x03"


class Conversation:
    """The program with a terminal; what it writes is read, and answers are typed."""

    def __init__(self, *words: str, **environment: str) -> None:
        self._ours, its = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _ON_TERMINAL, PROGRAM, *words],
            stdin=its,
            stdout=its,
            stderr=its,
            cwd=_ROOT,
            env=os.environ  # noqa: TID251 - a child's
            | {"PYTHONPATH": str(_ROOT), "TERM": "dumb", "COLUMNS": "200"}
            | environment,
        )
        os.close(its)
        self.seen = ""
        """Everything on the terminal so far."""
        self._read_to = 0
        self._is_closed = False

    def expect(self, text: str) -> None:
        """Wait until the program writes a text, after the last one that was expected."""
        self._read_until(lambda: text in self.seen[self._read_to :], f"{text!r} was not written")
        self._read_to = self.seen.index(text, self._read_to) + len(text)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def answer(self, question: str, text: str) -> None:
        """Wait for a question and type the answer with Enter."""
        self.expect(question)
        self.type(f"{text}\n")

    def interrupt(self) -> None:
        """Press Ctrl-C while the program waits for an answer.

        Not before: Python notices a signal right before it waits only with the next key.
        """
        stat = Path(f"/proc/{self._process.pid}/stat")
        self._read_until(
            lambda: stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "S",
            "the program does not wait",
        )
        self.type(_CTRL_C)

    def finish(self) -> int:
        """Wait for the end of the program and return its exit code."""
        self._read_until(lambda: self._process.poll() is not None, "the program did not end")
        return self._process.wait()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def _read_until(self, is_true: Callable[[], bool], otherwise: str) -> None:
        end = monotonic() + LONG
        while not is_true():
            if monotonic() > end or self._is_closed:
                raise AssertionError(f"{otherwise}; the terminal shows:\n{self.seen}")
            ready, _, _ = select.select([self._ours], [], [], 0.05)
            if ready:
                self._read()

    def _read(self) -> None:
        try:
            self.seen += os.read(self._ours, 65536).decode(errors="replace").replace("\r\n", "\n")
        except OSError:
            # The program has closed the terminal: it ends.
            self._process.wait(LONG)
            self._is_closed = True
