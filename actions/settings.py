"""Edit the settings files: what a person changes on the page is checked, shown, then written."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import structlog

from actions.errors import InvalidRequest
from core.messages import Message, message
from core.settings import ConfigError, SettingError, Settings, load_draft
from core.settings.edit import (
    ADD_ONLY,
    DiffLine,
    Edits,
    apply_edits,
    build_lines_to_paste,
    diff,
    find_locks,
    list_editable,
)
from core.settings.errors import KeyPath
from core.settings.files import read_text, save_text
from core.settings.instance import DAEMON

log = structlog.get_logger()


class CannotSave(InvalidRequest):
    """The file cannot be replaced, such as on a read-only mount."""

    code = "settings_not_saved"
    user_message = "The settings file cannot be written."
    hint = "Add the lines to the file yourself."


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A settings file that is being edited."""

    stem: str
    folder: Path
    environ: Mapping[str, str]
    text: str
    hash: str
    values: Mapping[KeyPath, object]
    """The values in effect of all settings that can be edited."""
    locks: Mapping[KeyPath, str]
    """The environment variables that take precedence over the file."""

    @property
    def name(self) -> str:
        return f"{self.stem}.toml"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A checked edit of a file, ready to be written."""

    file: OpenFile
    edits: Edits
    text: str

    @property
    def diff(self) -> tuple[DiffLine, ...]:
        """Return the lines that would change; secrets are hidden."""
        return diff(self.file.text, self.text, self.file.stem)

    @property
    def lines_to_paste(self) -> str:
        """Return the edited settings, for a person who edits the file elsewhere."""
        return build_lines_to_paste(self.edits)


async def open_file(stem: str, folder: Path, environ: Mapping[str, str]) -> OpenFile:
    """Read a settings file; raise ConfigError if it has errors."""
    return await asyncio.to_thread(_open_file, stem, folder, environ)


def propose(file: OpenFile, edits: Edits) -> Proposal:
    """Apply and check edits; nothing is written.

    Raise ConfigError with the errors of the values, or CannotEdit.
    """
    options = list_editable(file.stem)
    for path in edits:
        if path not in file.values or path in file.locks:
            name = ".".join(path)
            raise InvalidRequest(message("{setting} cannot be edited here", setting=name))
    removed = [
        _not_removable(file, path)
        for path in ADD_ONLY & edits.keys()
        if not set(_list(file.values[path])) <= set(_list(edits[path]))
    ]
    if removed:
        raise ConfigError(removed)
    text = apply_edits(file.text, edits, options)
    load_draft(file.stem, text, file.folder, file.environ)
    return Proposal(file, edits, text)


async def save(proposal: Proposal, *, expected: str, by: str) -> None:
    """Write a proposal; raise FileChanged or CannotSave."""
    file = proposal.file
    path = file.folder / file.name
    try:
        await asyncio.to_thread(save_text, path, proposal.text, expected=expected)
    except OSError as error:
        raise CannotSave(_describe(file, error)) from error
    # Without values: instructions are private.
    keys = ",".join(".".join(edited) for edited in proposal.edits)
    log.info("settings saved", file=file.name, settings=keys, by=by)


def _open_file(stem: str, folder: Path, environ: Mapping[str, str]) -> OpenFile:
    name = f"{stem}.toml"
    try:
        read = read_text(folder / name)
    except OSError as error:
        why = message("cannot be read: {why}", why=str(error.strerror))
        raise ConfigError([SettingError(name, None, "", why)]) from error
    except UnicodeDecodeError:
        raise ConfigError([SettingError(name, None, "", message("is not UTF-8 text"))]) from None
    settings = load_draft(stem, read.text, folder, environ)
    return OpenFile(
        stem=stem,
        folder=folder,
        environ=environ,
        text=read.text,
        hash=read.hash,
        values=_values_of(settings, stem),
        locks=find_locks(stem, environ),
    )


def _values_of(settings: Settings, stem: str) -> dict[KeyPath, object]:
    tree: object = settings.daemon if stem == DAEMON else settings.instances[stem]
    return {option.path: reduce(getattr, option.path, tree) for option in list_editable(stem)}


def _list(value: object) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, tuple) else ()


def _not_removable(file: OpenFile, path: KeyPath) -> SettingError:
    text = message("tags can be added here, but not removed - edit the file")
    return SettingError(file.name, None, ".".join(path), text)


def _describe(file: OpenFile, error: OSError) -> Message:
    return message("{file}: {why}", file=file.name, why=str(error.strerror))
