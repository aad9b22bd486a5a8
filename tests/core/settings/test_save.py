"""Replacing a settings file."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.settings.files import FileChanged, read_text, save_text

TEXT = '[scan]\ncron = "@daily"\n'

# Prints the number of the error and the names of all files, hidden ones too.
_SAVE = """
import sys
from pathlib import Path
from core.settings.files import read_text, save_text
file = Path(sys.argv[1])
try:
    save_text(file, "edited = 1", expected=read_text(file).hash)
except OSError as error:
    print(error.errno, file.read_text(), *sorted(path.name for path in file.parent.iterdir()))
"""
_MOUNTS = {
    "read-only folder": 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"',
    "single file": 'mount --bind "$1/home.toml" "$1/home.toml"',
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "home.toml"
    file.write_text(TEXT)
    file.chmod(0o640)
    return file


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_former_text_is_kept_once_and_private(file: Path) -> None:
    for text in ("first = 1", "second = 2"):
        save_text(file, text, expected=read_text(file).hash)

    former = file.with_name("home.toml.before")
    assert file.read_text() == "second = 2"
    assert former.read_text() == "first = 1"
    assert former.stat().st_mode & 0o777 == 0o600
    assert names_in(file.parent) == ["home.toml", "home.toml.before"]


def test_mode_and_owner_of_the_file_are_kept(file: Path) -> None:
    if os.geteuid() == 0:
        os.chown(file, 1234, 2345)
    before = file.stat()

    save_text(file, "edited = 1", expected=read_text(file).hash)

    after = file.stat()
    assert after.st_ino != before.st_ino
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )


def test_a_file_that_was_changed_is_not_overwritten(file: Path) -> None:
    known = read_text(file)
    file.write_text("of someone else")

    with pytest.raises(FileChanged):
        save_text(file, "edited = 1", expected=known.hash)

    assert file.read_text() == "of someone else"
    assert names_in(file.parent) == ["home.toml"]


def test_a_file_that_does_not_exist_is_created_private(tmp_path: Path) -> None:
    file = tmp_path / "daemon.toml"

    save_text(file, "edited = 1", expected=read_text(file).hash)

    assert file.read_text() == "edited = 1"
    assert file.stat().st_mode & 0o777 == 0o600
    assert names_in(tmp_path) == ["daemon.toml"]


def test_what_a_link_points_to_is_replaced_and_not_the_link(file: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    link = tmp_path / "config" / "home.toml"
    link.symlink_to(file)

    save_text(link, "edited = 1", expected=read_text(link).hash)

    assert link.is_symlink()
    assert file.read_text() == "edited = 1"


def test_line_ends_and_the_byte_order_mark_are_kept(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfa = 1\r\n")
    known = read_text(file)

    save_text(file, known.text.replace("1", "2"), expected=known.hash)

    assert file.read_bytes() == b"\xef\xbb\xbfa = 2\r\n"


@pytest.mark.parametrize(
    ("mount", "error"), [("read-only folder", errno.EROFS), ("single file", errno.EBUSY)]
)
def test_a_file_that_cannot_be_replaced_stays_with_nothing_beside_it(
    file: Path, mount: str, error: int
) -> None:
    if (unshare := shutil.which("unshare")) is None:
        pytest.skip("may not mount anything here")
    script = f'{_MOUNTS[mount]} && shift && exec "$@"'
    program = [sys.executable, "-c", _SAVE, str(file)]
    done = subprocess.run(
        [unshare, "-rm", "sh", "-c", script, "sh", str(file.parent), *program],
        check=True,
        capture_output=True,
        text=True,
    )

    assert done.stdout.split("\n") == [
        f"{error} {TEXT.splitlines()[0]}",
        'cron = "@daily"',
        " home.toml",
        "",
    ]
