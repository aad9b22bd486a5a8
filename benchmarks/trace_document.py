"""Trace the filing of one document: its files and functions, and the deepest stack.

A separate program, run with the measured checkout as PYTHONPATH. It depends only on the command
line and the sandbox of that checkout, so it can measure older and newer ones.
"""

import argparse
import importlib
import json
import sys
import tempfile
import threading
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

DOCUMENT = "home/1"
SETTINGS = """
[fields]
title = "replace"
correspondent = "replace"
document_type = "replace"
tags = "replace"
date = "replace"
"""
BEGIN = "claim"
"""The function that takes a job from the queue."""
END = "settl"
"""A word in the names of the files and functions that end a job."""
_NO_FUNCTIONS = frozenset({"<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


@dataclass(frozen=True, slots=True)
class Call:
    """One call of one of our functions."""

    code: CodeType
    depth: int
    """Number of our frames on the stack, its own included."""

    def mentions(self, word: str) -> bool:
        """Return whether the file or the function has a word in its name."""
        name = f"{Path(self.code.co_filename).name} {self.code.co_qualname}"
        return word in name.lower()


class Tracer:
    """Keeps every call of a function whose file is in one of the given folders."""

    def __init__(self, folders: list[str]) -> None:
        self.calls: list[Call] = []
        self._folders = tuple(f"{folder}/" for folder in folders)

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and self._is_ours(frame.f_code):
            depth = self._depth(frame)
            if depth:
                self.calls.append(Call(frame.f_code, depth))

    def _is_ours(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self._folders) and code.co_name not in _NO_FUNCTIONS

    def _depth(self, frame: FrameType) -> int:
        """Count our frames; return 0 below an import, which is not part of the processing."""
        depth, at = 0, frame
        while at is not None:
            code = at.f_code
            if code.co_name == "<module>" and code.co_filename.startswith(self._folders):
                return 0
            depth += self._is_ours(code)
            at = at.f_back  # type: ignore[assignment]  # None ends the loop
        return depth


def calls_of_document(calls: list[Call]) -> list[Call]:
    """Return the calls from the claim of the job until it is settled."""
    begin = next(n for n, call in enumerate(calls) if call.code.co_name == BEGIN)
    end = max(n for n, call in enumerate(calls) if call.mentions(END))
    return calls[begin : end + 1]


def trace(program: str, folders: list[str]) -> list[Call]:
    """Process a sandbox document with the command line, in this process; return all calls."""
    module, _, function = program.partition(":")
    sandbox = importlib.import_module("sandbox").Sandbox
    main = getattr(importlib.import_module(module), function)
    tracer = Tracer(folders)
    with tempfile.TemporaryDirectory() as folder, sandbox() as running:
        config, data = Path(folder, "config"), Path(folder, "data")
        config.mkdir(0o700)
        data.mkdir(0o700)
        (config / "home.toml").write_text(running.settings(SETTINGS), encoding="utf-8")
        sys.argv[1:] = ["--config", str(config), "--data", str(data), "process", DOCUMENT]
        threading.setprofile(tracer)
        sys.setprofile(tracer)
        try:
            with redirect_stdout(StringIO()):
                main()
        except SystemExit as ended:
            if ended.code:
                raise
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return tracer.calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the command line, as in package.module:function")
    parser.add_argument("folders", nargs="+", help="folders of the packages that count")
    options = parser.parse_args()
    calls = calls_of_document(trace(options.program, options.folders))
    figures = {
        "files": len({call.code.co_filename for call in calls}),
        "functions": len({call.code for call in calls}),
        "depth": max(call.depth for call in calls),
    }
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
