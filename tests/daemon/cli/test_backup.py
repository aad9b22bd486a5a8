"""`backup` and `restore` as they are typed."""

from pathlib import Path

import pytest

from daemon.cli.exits import Exit
from store.backup import backups_folder, list_backups
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation


def test_a_backup_goes_to_the_backups_folder_or_to_a_file(
    installation: Installation, paperclerk: Paperclerk, tmp_path: Path
) -> None:
    by_default = paperclerk("backup")
    elsewhere = paperclerk("backup", "--to", str(tmp_path / "copy.db"))
    again = paperclerk("backup", "--to", str(tmp_path / "copy.db"))

    [backup] = list_backups(backups_folder(installation.data))
    assert by_default.out.startswith(f"{backup}: ")
    assert (elsewhere.code, (tmp_path / "copy.db").stat().st_mode & 0o777) == (Exit.OK, 0o600)
    assert (again.code, "exists already" in again.err) == (Exit.CONFIG, True)


def test_without_a_terminal_nothing_is_restored_unless_it_is_confirmed(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    backup = paperclerk("backup").out.split(": ")[0]

    asked = paperclerk("restore", backup)

    assert asked.code == Exit.CONFIG
    assert "0 documents would be processed again." in asked.out
    assert "Add --yes" in asked.err
    assert not list(backups_folder(installation.data).glob("replaced-*"))


def test_a_damaged_file_is_refused_with_advice(
    installation: Installation, paperclerk: Paperclerk, tmp_path: Path
) -> None:
    (tmp_path / "damaged.db").write_text("a shopping list " * 400)

    refused = paperclerk("restore", str(tmp_path / "damaged.db"), "--yes")

    assert refused.code == Exit.LOOK
    assert "damaged.db cannot be restored: file is not a database" in refused.err
    assert "Nothing was changed." in refused.err


@pytest.mark.usefixtures("on_postgres")
@pytest.mark.parametrize(
    ("words", "tool"), [(("backup",), "pg_dump "), (("restore", "x.db"), "pg_restore ")]
)
def test_with_postgresql_its_own_tool_is_named(
    paperclerk: Paperclerk, words: tuple[str, ...], tool: str
) -> None:
    refused = paperclerk(*words)

    assert refused.code == Exit.CONFIG
    assert tool in refused.err
