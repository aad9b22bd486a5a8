"""The command line itself: help, version, completion, input of the wrong kind, and questions."""

import os
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from daemon.cli import app
from daemon.cli.reference import commands
from sandbox import Sandbox
from tests.daemon.conftest import Paperclerk
from tests.daemon.programs import PROGRAM, folders_of, start
from tests.installation import Installation, fields_of, snapshot

LONG = 120


def every_command() -> Iterator[tuple[str, ...]]:
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    yield ()
    yield from (
        (name,) for name, command in root.commands.items() if isinstance(command, TyperGroup)
    )
    yield from (tuple(called.split()[1:]) for called, _ in commands(root, "paperclerk"))


def test_every_command_has_help_by_both_of_its_names_and_no_flag_takes_a_value(
    paperclerk: Paperclerk,
) -> None:
    for words in every_command():
        said, short = paperclerk(*words, "--help"), paperclerk(*words, "-h")

        assert (said.code, said.out) == (0, short.out), words
        assert "<bool>" not in said.out, words


def test_version_is_an_option_as_well(paperclerk: Paperclerk) -> None:
    said = paperclerk("--version")

    assert (said.code, said.out) == (0, paperclerk("version").out)
    assert said.out.startswith("paperclerk ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_a_shell_gets_its_completion_script(paperclerk: Paperclerk, shell: str) -> None:
    said = paperclerk("completion", shell)

    assert said.code == 0
    assert "_PAPERCLERK_COMPLETE" in said.out
    assert "paperclerk" in said.out


def test_the_script_completes_commands_and_values() -> None:
    def completed(line: str) -> list[str]:
        words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        with start(PROGRAM, _PAPERCLERK_COMPLETE="complete_bash", **words) as process:
            out, _ = process.communicate(timeout=LONG)
        return out.split()

    assert completed("paperclerk rev") == ["review"]
    assert completed("paperclerk jobs --status f") == ["failed"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("job", "abc"), '"abc" is not a whole number greater than 0'),
        (("job", "0"), '"0" is not a whole number greater than 0'),
        (("job", "99999999999999999999"), "99999999999999999999 is too large"),
        (("cancel", "1", "x"), '"x" is not a whole number greater than 0'),
        (("retry", "1.5"), '"1.5" is not a whole number greater than 0'),
        (("undo", "x"), '"x" is not a whole number greater than 0'),
        (("undo", "--job", "x"), '"x" is not a whole number greater than 0'),
        (("undo", "--until", "2026-02-30"), '"2026-02-30" is not a day'),
        (("jobs", "--limit", "0"), '"0" is not a whole number greater than 0'),
        (("jobs", "--status", "bad"), '"bad" is not a status; use one of: pending, processing'),
        (("history", "--since", "gestern"), '"gestern" is not a day'),
        (("history", "--since", "20260131"), '"20260131" is not a day'),
        (("history", "--since", "0001-01-01"), '"0001-01-01" is not a day'),
        (("history", "--csv", "--json"), "cannot be combined with --csv"),
        (("costs", "--month", "2026-13"), '"2026-13" is not a month'),
        (("scan-now", "--limit", "-3"), '"-3" is not a whole number greater than 0'),
        (("completion", "tcsh"), '"tcsh" is not supported; use one of: bash, zsh'),
    ],
    ids=" ".join,
)
def test_input_of_the_wrong_kind_is_reported_in_our_words(
    paperclerk: Paperclerk, words: tuple[str, ...], expected: str
) -> None:
    said = paperclerk(*words)

    # The library draws a frame around the message and wraps it.
    sentence = " ".join(said.err.replace("│", " ").split())
    assert (said.code, said.out) == (2, "")
    assert expected in sentence
    assert "Value error" not in sentence
    assert "Input should" not in sentence


@pytest.mark.parametrize(
    ("answer", "code", "is_undone"), [("y\n", 0, True), ("n\n", 130, False), ("\x04", 130, False)]
)
def test_a_large_undo_asks_on_a_terminal(
    installation: Installation,
    sandbox: Sandbox,
    paperclerk: Paperclerk,
    answer: str,
    code: int,
    *,
    is_undone: bool,
) -> None:
    installation.configure(all_fields="replace")
    assert paperclerk("scan-now").code == 0
    before = snapshot(sandbox)

    asked = answered(installation, "undo", "--scan", "1", answer=answer)

    assert asked.returncode == code
    assert "Undo 16 fields of 3 documents? [y/N]" in asked.stderr
    assert (snapshot(sandbox) != before) is is_undone
    assert (fields_of(sandbox)["title"] == "scan_0031") is is_undone


@pytest.mark.parametrize(
    ("answer", "code", "written"), [("y\n", 0, "Neu & Co"), ("n\n", 130, None)]
)
def test_a_new_name_typed_in_review_is_asked_about_on_a_terminal(
    installation: Installation,
    sandbox: Sandbox,
    paperclerk: Paperclerk,
    answer: str,
    code: int,
    written: str | None,
) -> None:
    assert paperclerk("process", "home/1").code == 0

    words = ("review", "accept", "home/1", "--set", "correspondent=Neu & Co")
    asked = answered(installation, *words, answer=answer)

    assert asked.returncode == code
    assert 'There is no correspondent "Neu & Co" in Paperless' in asked.stderr
    assert fields_of(sandbox)["correspondent"] == written


def answered(
    installation: Installation, *words: str, answer: str
) -> "subprocess.CompletedProcess[str]":
    """Run the program with a terminal as its input, and type one answer into it."""
    ours, its = pty.openpty()
    try:
        os.write(ours, answer.encode())
        return subprocess.run(
            [PROGRAM, *folders_of(installation), *words],
            stdin=its,
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[3],
            timeout=LONG,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(its)
