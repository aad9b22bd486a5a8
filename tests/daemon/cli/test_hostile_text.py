"""Whatever stands in a document, its title or a name: the terminal shows it and obeys nothing."""

import json

import pytest

from sandbox import Sandbox
from sandbox.paperless import Kind
from tests.daemon.conftest import Paperclerk, Program
from tests.installation import Installation, fields_of
from tests.waiting import LONG

CLEAR = "\x1b[2J\x1b[31m"
TURNED = "\u202egnuhcer\u202c"
MARKUP = "[bold red]Rechnung[/bold red] :smile: [link=file:///etc/passwd]x[/link]"
TITLE = f"{MARKUP}{CLEAR}\x07\x08\r\n    title  a -> b  [written]\x9b2J{TURNED}"
HOSTILE = ("\x1b", "\x07", "\x08", "\x9b", "\r", "\u202e")


@pytest.fixture(autouse=True)
def hostile_world(installation: Installation, sandbox: Sandbox) -> None:
    installation.configure('[names]\ncorrespondents = "create"\n', all_fields="replace")
    text = str(fields_of(sandbox)["content"])
    sandbox.world.add_name(Kind.TAG, f"Strom {CLEAR}{MARKUP}")
    sandbox.world.edit(1, title=TITLE, content=f"{CLEAR}{TURNED}\x00{text}{'W' * 50_000}{CLEAR}")
    sandbox.world.edit(2, title="T" * 128, content="[/]" * 1000)


def commands() -> list[tuple[str, ...]]:
    return [
        ("scan-now",),
        ("review", "list"),
        ("history",),
        ("jobs",),
        ("job", "1"),
        ("job", "3"),
        ("explain", "home/1"),
        ("undo", "--document", "home/1", "--preview"),
        ("undo", "--document", "home/1"),
        ("status",),
    ]


def test_no_command_lets_a_control_character_through(paperclerk: Paperclerk) -> None:
    for words in commands():
        said = paperclerk(*words)

        assert said.code in {0, 2}, said.err
        for character in HOSTILE:
            assert character not in said.out, words
            assert character not in said.err, words


def test_markup_is_shown_as_it_is_written(paperclerk: Paperclerk) -> None:
    out = paperclerk("scan-now").out

    assert "[bold red]Rechnung[/bold red] :smile: [link=file:///etc/passwd]x[/link]" in out


def test_a_title_with_a_line_break_stays_on_its_line(paperclerk: Paperclerk) -> None:
    out = paperclerk("scan-now").out

    [line] = [line for line in out.splitlines() if line.startswith("home/1  ")]
    assert "title a -> b [written]" in line


def test_json_keeps_what_was_there_and_stays_one_line(paperclerk: Paperclerk) -> None:
    paperclerk("scan-now")

    said = paperclerk("explain", "home/2", "--json")

    assert said.out.count("\n") == 1
    assert json.loads(said.out)["document"] == "home/2"


def test_a_terminal_that_knows_only_ascii_is_no_reason_to_fail(
    sandbox: Sandbox, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.world.edit(1, title="Prüfung 📄 von Hand")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")

    process = program("scan-now")
    out, err = process.communicate(timeout=LONG)

    assert process.returncode == 0, err
    assert "home/1" in out
