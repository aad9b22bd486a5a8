"""The program on a pseudo-terminal."""

import os
import pty
import select
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic

from daemon.cli import main
from tests.forking import start_forked
from tests.waiting import LONG

_CTRL_C = "\x03"


class Conversation:
    """The program on a terminal: reads its output and types answers."""

    def __init__(self, *words: str, **environment: str) -> None:
        # The program's end is kept open here: the terminal closes with its last descriptor.
        self._ours, self._its = pty.openpty()
        self._process = start_forked(_run_on_terminal, os.ttyname(self._its), words, environment)
        self.seen = ""
        """Everything on the terminal so far."""
        self._read_to = 0

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
            "the program does not wait for input",
        )
        self.type(_CTRL_C)

    def finish(self) -> int:
        """Wait for the end of the program and return its exit code."""
        self._read_until(lambda: self._process.exitcode is not None, "the program did not end")
        while self._can_read(0):
            self._read()
        assert self._process.exitcode is not None
        return self._process.exitcode

    def close(self) -> None:
        self._process.kill()
        self._process.join()
        os.close(self._ours)
        os.close(self._its)

    def _read_until(self, is_true: Callable[[], bool], otherwise: str) -> None:
        end = monotonic() + LONG
        while not is_true():
            has_ended = self._process.exitcode is not None
            if self._can_read(0 if has_ended else 0.05):
                self._read()
            elif has_ended or monotonic() > end:
                raise AssertionError(f"{otherwise}; the terminal shows:\n{self.seen}")

    def _can_read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], seconds)
        return bool(ready)

    def _read(self) -> None:
        self.seen += os.read(self._ours, 65536).decode(errors="replace").replace("\r\n", "\n")


def _run_on_terminal(terminal: str, words: tuple[str, ...], environment: Mapping[str, str]) -> None:
    os.setsid()
    # The first terminal that is opened is the controlling one: only then Ctrl-C is a signal.
    opened = os.open(terminal, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(opened, descriptor)
    sys.stdin = os.fdopen(0, encoding="utf-8")
    sys.stdout, sys.stderr = (os.fdopen(fd, "w", 1, encoding="utf-8") for fd in (1, 2))
    environment = {"TERM": "dumb", "COLUMNS": "200", **environment}
    os.environ |= environment  # noqa: TID251 - of this process alone
    # A process started in the background, as the tests may be, ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["paperclerk", *words]
    main()
