"""Read and replace a settings file; the one place that writes over a person's file."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from core.errors import PaperclerkError
from core.messages import message
from core.private_files import replace_file, stage_file

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_saving = Lock()


class FileChanged(PaperclerkError):
    """The file is not the one that was edited."""

    code = "settings_changed"
    user_message = "The settings file was changed in the meantime."
    hint = "Check the changes and save again."


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file, and a hash by which a later change is noticed."""

    text: str
    hash: str


def read_text(file: Path) -> FileText:
    """Read a settings file; one that does not exist is empty. Raise OSError or UnicodeDecodeError.

    Other than in `Path.read_text`, the ends of lines are kept as they are.
    """
    content = file.read_bytes() if file.exists() else b""
    text = content.removeprefix(_BYTE_ORDER_MARK).decode("utf-8")
    return FileText(text, _hash(content))


def save_text(file: Path, text: str, *, expected: str) -> None:
    """Replace a settings file by its edited text, and keep its former content beside it.

    Mode and owner stay the same; the former content is private. Raise FileChanged if the file does
    not have the expected hash, and OSError, with the file unchanged, if it cannot be replaced.
    """
    # Where the file is a link, what it links to is replaced and not the link.
    file = file.resolve()
    with _saving:
        content = file.read_bytes() if file.exists() else None
        if _hash(content or b"") != expected:
            raise FileChanged(message("{file} was changed", file=file.name))
        if content is None:
            replace_file(file, text.encode())
            return
        mark = _BYTE_ORDER_MARK if content.startswith(_BYTE_ORDER_MARK) else b""
        former = file.with_name(f"{file.name}.before")
        # The former copy is replaced last: if the file cannot be replaced, both stay as they are.
        with stage_file(former, content) as staged:
            replace_file(file, mark + text.encode(), like=file.stat())
            staged.replace(former)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
