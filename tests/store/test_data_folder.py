"""The data folder: what keeps us from writing to it or opening its database, and its lock."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from store import (
    CannotOpen,
    DataFolderNotWritable,
    DiskFull,
    DiskReadOnly,
    OpenMode,
    WorkLock,
    WorkLocked,
    open_store,
)
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


HOLD = """
import sys
from pathlib import Path
from store.data_folder import WorkLock
WorkLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_lock_is_refused_with_the_holders_number(tmp_path: Path) -> None:
    with WorkLock(tmp_path), pytest.raises(WorkLocked) as caught:
        WorkLock(tmp_path).acquire()

    assert caught.value.pid == os.getpid()
    assert str(os.getpid()) in str(caught.value)


def test_a_released_lock_can_be_taken_again(tmp_path: Path) -> None:
    lock = WorkLock(tmp_path / "data")
    lock.acquire()
    lock.release()
    lock.release()

    with WorkLock(tmp_path / "data"), pytest.raises(WorkLocked):
        lock.acquire()


def test_two_folders_have_two_locks(tmp_path: Path) -> None:
    with WorkLock(tmp_path / "one"), WorkLock(tmp_path / "two"):
        assert len([*tmp_path.glob("*/paperclerk.lock")]) == 2


def test_a_holder_that_wrote_no_number_is_still_a_holder(tmp_path: Path) -> None:
    with WorkLock(tmp_path):
        (tmp_path / "paperclerk.lock").write_text("")

        with pytest.raises(WorkLocked, match="another process") as caught:
            WorkLock(tmp_path).acquire()

    assert caught.value.pid is None


def test_a_killed_process_leaves_the_lock_free(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(WorkLocked) as caught:
            WorkLock(tmp_path).acquire()
        assert caught.value.pid == holder.pid
        holder.kill()

    with WorkLock(tmp_path):
        pass


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(DataFolderNotWritable):
        WorkLock(tmp_path / "file" / "data").acquire()


def test_who_has_it_may_take_it_again_and_has_it_until_the_last_is_released(tmp_path: Path) -> None:
    lock = WorkLock(tmp_path)
    with lock:
        with lock:
            pass

        with pytest.raises(WorkLocked):
            WorkLock(tmp_path).acquire()

    with WorkLock(tmp_path):
        pass


def test_who_asks_whether_it_is_free_takes_and_makes_nothing(tmp_path: Path) -> None:
    lock, other = WorkLock(tmp_path), WorkLock(tmp_path)

    other.require_free()
    assert list(tmp_path.iterdir()) == []
    with lock:
        lock.require_free()
        with pytest.raises(WorkLocked) as caught:
            other.require_free()
    assert caught.value.pid == os.getpid()
    other.require_free()

    with lock:
        pass
