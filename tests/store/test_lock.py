"""The work lock: one process drains the queue of a data folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from store import DataFolderNotWritable, WorkLock, WorkLocked

HOLD = """
import sys
from pathlib import Path
from store.lock import WorkLock
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
