"""Only our own user can read the files that we create."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.private_files import (
    keep_private,
    make_private_file,
    make_private_folder,
    mode_for_others,
    write_private_text,
)


@pytest.fixture(params=[0o000, 0o022, 0o777])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.usefixtures("umask")
def test_files_and_folders_are_private_whatever_the_umask(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"

    make_private_folder(folder)
    write_private_text(folder / "home.toml", "token")

    assert {mode_of(tmp_path / "a"), mode_of(folder)} == {0o700}
    assert mode_of(folder / "home.toml") == 0o600
    assert (folder / "home.toml").read_text() == "token"


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    make_private_folder(tmp_path)

    assert mode_of(tmp_path) == 0o755


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").touch()

    with pytest.raises(FileExistsError):
        make_private_folder(tmp_path / "data")


@pytest.mark.parametrize(("before", "after"), [(0o644, 0o600), (0o660, 0o600), (0o400, 0o400)])
def test_others_are_shut_out_from_a_file_that_exists(
    tmp_path: Path, before: int, after: int
) -> None:
    file = tmp_path / "paperclerk.db"
    file.write_text("rows")
    file.chmod(before)

    make_private_file(file)

    assert mode_of(file) == after
    assert file.read_text() == "rows"


def test_a_file_that_is_not_there_is_not_created_to_be_kept_private(tmp_path: Path) -> None:
    keep_private(tmp_path / "paperclerk.db-wal")

    assert not (tmp_path / "paperclerk.db-wal").exists()


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS])
def test_a_file_system_without_modes_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, "no modes here")

    monkeypatch.setattr(os, "chmod", refuse)
    monkeypatch.setattr(Path, "chmod", refuse)
    folder = tmp_path / "data"

    make_private_folder(folder)
    write_private_text(folder / "home.toml", "token")
    keep_private(folder / "home.toml")

    assert (folder / "home.toml").read_text() == "token"


@pytest.mark.parametrize(
    ("mode", "shown"), [(0o755, "0755"), (0o701, "0701"), (0o750, ""), (0o700, "")]
)
def test_a_folder_that_others_can_read_is_reported_by_its_mode(
    tmp_path: Path, mode: int, shown: str
) -> None:
    tmp_path.chmod(mode)

    assert mode_for_others(tmp_path) == shown
    assert mode_for_others(tmp_path / "nowhere") == ""
