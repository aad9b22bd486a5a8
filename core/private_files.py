"""Files and folders that only our own user can read, regardless of the umask.

On a file system without permissions, such as FAT or some network shares, this has no effect.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FILE = 0o600
_FOLDER = 0o700
_FOR_OTHERS = 0o007
_FOR_ALL_BUT_US = 0o077


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents; an existing folder is not changed."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(_FOLDER, exist_ok=True)
        _set_mode(path, _FOLDER)
    # Raises if it is not a folder.
    folder.mkdir(_FOLDER, exist_ok=True)


def make_private_file(file: Path) -> None:
    """Create an empty private file, or make an existing file private."""
    try:
        # Created with the final mode, so that nobody else can open it in between.
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE)
    except FileExistsError:
        keep_private(file)
        return
    os.close(handle)
    _set_mode(file, _FILE)


def keep_private(file: Path) -> None:
    """Make a file of ours private, if it exists."""
    with suppress(OSError):
        if file.stat().st_mode & _FOR_ALL_BUT_US:
            _set_mode(file, _FILE)


def write_private_text(file: Path, text: str) -> None:
    """Write a file that only our own user can read."""
    make_private_file(file)
    file.write_text(text, encoding="utf-8")


def replace_file(file: Path, content: bytes, *, like: os.stat_result | None = None) -> None:
    """Write a file that is complete or unchanged, whatever interrupts this.

    It is private, or has the mode and the owner of another file. Raise OSError if that is not
    possible.
    """
    with stage_file(file, content, like=like) as staged:
        staged.replace(file)
    _sync_folder(file.parent)


@contextmanager
def stage_file(file: Path, content: bytes, *, like: os.stat_result | None = None) -> Iterator[Path]:
    """Write content to disk beside a file, ready to replace it; what is not used is deleted."""
    # A hidden name without the ending: nobody must mistake it for the file itself.
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    staged = Path(name)
    try:
        with os.fdopen(handle, "wb") as opened:
            if like is not None:
                _take_over(opened.fileno(), like)
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        yield staged
    finally:
        staged.unlink(missing_ok=True)


def mode_for_others(folder: Path) -> str:
    """Return the mode of a folder that others can access, such as "0755"; otherwise ""."""
    try:
        mode = folder.stat().st_mode
    except OSError:
        return ""
    return f"{mode & 0o777:04o}" if mode & _FOR_OTHERS else ""


def _take_over(handle: int, like: os.stat_result) -> None:
    """Copy the owner and the mode of a file to an open one; raise OSError if we may not."""
    ours = os.fstat(handle)
    if (ours.st_uid, ours.st_gid) != (like.st_uid, like.st_gid):
        os.fchown(handle, like.st_uid, like.st_gid)
    os.fchmod(handle, like.st_mode & 0o7777)


def _sync_folder(folder: Path) -> None:
    """Make a rename permanent, where the file system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _set_mode(path: Path, mode: int) -> None:
    with suppress(OSError):
        path.chmod(mode)
