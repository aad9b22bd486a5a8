"""The data folder: whether it can be written to, and if not, what is wrong with its disk."""

import errno
import os
import tempfile
from pathlib import Path

from core.private_files import make_private_folder
from store.errors import CannotOpen, DataFolderNotWritable, DiskFull, DiskReadOnly

_ROOM = 64 * 1024
"""Bytes; SQLite needs about as much only to open a database."""


def require_writable(data: Path) -> None:
    """Make the data folder if need be, and try whether something can be written in it."""
    try:
        make_private_folder(data)
        # Permissions alone do not tell: the disk may be full, or its file system read-only.
        with tempfile.TemporaryFile(dir=data, buffering=0) as tried:
            tried.write(bytes(_ROOM))
    except OSError as error:
        raise trouble_with(data, error) from error


def trouble_with(data: Path, error: OSError) -> CannotOpen:
    """Name what keeps us from writing: each wants something else to be done."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return DiskFull(data)
        case errno.EROFS:
            return DiskReadOnly(data)
        case _:
            return DataFolderNotWritable(data, uid=os.geteuid(), gid=os.getegid())
