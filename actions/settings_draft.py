"""The draft of a settings file: the answers of a setup, and the file that they make."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from actions.errors import InvalidRequest
from core.messages import message
from core.private_files import make_private_folder, replace_file
from core.settings import render_settings
from core.settings.draft import SettingTexts
from core.settings.environment import variable_name
from core.settings.errors import KeyPath

TOKEN: KeyPath = ("paperless", "token")
API_KEY: KeyPath = ("ai", "api_key")
_LEFT_OUT = "..."


@dataclass(frozen=True, slots=True)
class Draft:
    """The answers that make a settings file.

    A secret is given itself, by a file, or not at all: then an environment variable has it.
    """

    name: str
    url: str
    base_url: str = ""
    model: str = ""
    token: str = field(default="", repr=False)
    token_file: str = ""
    ca_file: str = ""
    api_key: str = field(default="", repr=False)
    api_key_file: str = ""
    owner_names: tuple[str, ...] = ()
    scans_automatically: bool = True
    """False: documents are scanned only when a person asks for it."""

    def render(self) -> str:
        """Return the text of the settings file."""
        values: SettingTexts = {
            ("paperless", "url"): self.url,
            TOKEN: self.token,
            ("paperless", "token_file"): self.token_file,
            ("paperless", "ca_file"): self.ca_file,
            ("ai", "base_url"): self.base_url,
            ("ai", "model"): self.model,
            API_KEY: self.api_key,
            ("ai", "api_key_file"): self.api_key_file,
            ("ai", "owner_names"): self.owner_names,
        }
        given = {path: value for path, value in values.items() if value}
        timer: SettingTexts = {} if self.scans_automatically else {("scan", "enabled"): False}
        return render_settings(self.name, {**given, **timer})

    def without_secrets(self) -> "Draft":
        """Return the draft with dots in place of its secrets, to be shown."""
        return replace(
            self,
            token=_LEFT_OUT if self.token else "",
            api_key=_LEFT_OUT if self.api_key else "",
        )


def find_secret(environ: Mapping[str, str], name: str, path: KeyPath) -> tuple[str, str]:
    """Return the variable that has a secret of an instance, and the secret; "" if none has.

    Raise InvalidRequest if the variable names a file that cannot be read.
    """
    variable = variable_name(name, path)
    if secret := environ.get(variable, "").strip():
        return variable, secret
    if file := environ.get(f"{variable}_FILE", "").strip():
        return f"{variable}_FILE", read_secret(Path(file))
    return variable, ""


def read_secret(file: Path) -> str:
    """Return the secret in a file; raise InvalidRequest."""
    try:
        # A password may begin or end with a space.
        return file.read_text(encoding="utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(
            message("cannot read {file}: {why}", file=str(file), why=str(error))
        ) from error


def split_names(text: str) -> tuple[str, ...]:
    """Return the names of a list that is separated by commas or lines."""
    names = (name.strip() for line in text.splitlines() for name in line.split(","))
    return tuple(name for name in names if name)


def write_settings_file(file: Path, text: str) -> None:
    """Write a settings file that only our own user can read; an existing one is replaced.

    The file is complete or not there at all, whatever interrupts this. Raise OSError if the
    folder cannot be written to.
    """
    make_private_folder(file.parent)
    replace_file(file, text.encode())


def require_writable(folder: Path) -> None:
    """Check that a settings file can be written to a folder; raise InvalidRequest."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InvalidRequest(
            message("the folder {folder} is not writable by this user", folder=str(existing))
        )
