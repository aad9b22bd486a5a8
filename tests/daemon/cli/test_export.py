"""`export` and `diagnostics`: private files, which replace no other."""

import csv
import json
from pathlib import Path

import pytest

from daemon.cli.exits import Exit
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation


@pytest.fixture
def history(installation: Installation, paperclerk: Paperclerk) -> None:
    """A document that was written, and one whose title was rejected."""
    installation.configure('[fields]\ntitle = "replace"\n')
    assert paperclerk("process", "home/1").code == Exit.OK
    installation.configure()
    paperclerk("process", "home/2")
    assert paperclerk("review", "reject", "home/2", "--only", "title").code == Exit.OK


@pytest.mark.usefixtures("history")
def test_csv_and_json_have_what_was_written_and_rejected(
    paperclerk: Paperclerk, tmp_path: Path
) -> None:
    table, tree = tmp_path / "history.csv", tmp_path / "history.json"

    said = [paperclerk("export", str(file)) for file in (table, tree)]

    with table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [one.code for one in said] == [Exit.OK, Exit.OK]
    assert said[0].out == f"{table}: {table.stat().st_size / 1000:.1f} kB\n"
    found = [(row["document"], row["field"], row["state"]) for row in rows]
    assert found == [("home/2", "title", "rejected"), ("home/1", "title", "applied")]
    items = json.loads(tree.read_text(encoding="utf-8"))
    assert [item["after"] for item in items] == [row["after"] for row in rows]
    assert {file.stat().st_mode & 0o777 for file in (table, tree)} == {0o600}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export", "history.xlsx"), "must end with .csv or .json"),
        (("export", "{there}"), "exists already"),
        (("diagnostics", "--to", "{there}"), "exists already"),
    ],
)
def test_no_file_is_replaced_and_no_other_format_written(
    paperclerk: Paperclerk, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    there = tmp_path / "there.csv"
    there.touch()

    refused = paperclerk(*(word.format(there=there) for word in words))

    assert (refused.code, said in refused.err) == (Exit.CONFIG, True)
    assert not there.stat().st_size


def test_diagnostics_are_written_to_a_private_file(paperclerk: Paperclerk, tmp_path: Path) -> None:
    written = paperclerk("diagnostics", "--to", str(tmp_path / "facts.json"))

    facts = json.loads((tmp_path / "facts.json").read_text(encoding="utf-8"))
    assert written.code == Exit.OK, written.err
    assert set(facts["settings"]) == {"instance-1.toml", "daemon.toml"}
    assert [check["ok"] for check in facts["checks"]["instance-1"]] == [True] * 5
    assert (tmp_path / "facts.json").stat().st_mode & 0o777 == 0o600
