"""What keeps us from writing to the data folder, and what keeps a database from being opened."""

import errno
from pathlib import Path

import pytest

from store import CannotOpen, DataFolderNotWritable, DiskFull, DiskReadOnly, OpenMode, open_store
from store.data_folder import build_folder_error
from store.engine import FILE_NAME


@pytest.mark.parametrize(
    ("number", "error"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EROFS, DiskReadOnly),
        (errno.EACCES, DataFolderNotWritable),
        (errno.ENOTDIR, DataFolderNotWritable),
    ],
)
def test_each_trouble_has_its_name_and_its_remedy(number: int, error: type[CannotOpen]) -> None:
    built = build_folder_error(Path("/data"), OSError(number, "it says"))

    assert type(built) is error
    assert "/data" in str(built)
    assert built.hint
    assert built.hint not in str(built)


@pytest.mark.parametrize("opening", OpenMode)
async def test_a_damaged_file_is_reported_with_where_its_copies_are(
    tmp_path: Path, opening: OpenMode
) -> None:
    (tmp_path / FILE_NAME).write_text("a shopping list " * 100)

    with pytest.raises(CannotOpen, match="not a database") as caught:
        async with open_store(None, tmp_path, opening=opening):
            pass

    assert caught.value.hint.endswith(f"copies are in {tmp_path / 'backups'}.")


async def test_a_server_that_does_not_answer_is_reported_with_where_to_look(tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match="refused") as caught:
        async with open_store("postgresql://nobody@127.0.0.1:1/nothing", tmp_path):
            pass

    assert "database.url" in caught.value.hint
