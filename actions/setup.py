"""Set up a new instance: find Paperless and the model server, log in, write the settings."""

import asyncio
import ipaddress
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from httpx import AsyncClient

from actions.errors import InvalidRequest
from core.calendar import Clock, utc_now
from core.messages import message
from core.private_files import make_private_folder, replace_file
from core.settings import render_settings
from core.settings.errors import KeyPath
from core.settings.files import SettingTexts
from core.settings.sources import variable_name
from paperless_client import (
    Login,
    PaperlessClient,
    PaperlessError,
    PermissionMissing,
    Transport,
    User,
    build_http,
    request_token,
    require_paperless,
)
from processor.analysis.errors import KeyRefused, ModelError
from processor.analysis.model import Endpoint, ModelClient

PAPERLESS_ADDRESSES = (
    "http://webserver:8000",
    "http://paperless:8000",
    "http://host.docker.internal:8000",
    "http://localhost:8000",
)
"""Where a Paperless usually is: in the same compose project, or on the same machine."""
MODEL_ADDRESSES = (
    "http://ollama:11434/v1",
    "http://host.docker.internal:11434/v1",
    "http://localhost:11434/v1",
    "http://host.docker.internal:1234/v1",
    "http://localhost:1234/v1",
)
"""Where Ollama and LM Studio usually are."""
_SEARCH_TIMEOUT = timedelta(seconds=3)
_TIMEOUT = timedelta(seconds=30)
_PRIVATE_ENDINGS = (
    ".local",
    ".lan",
    ".internal",
    ".localhost",
    ".home.arpa",
    ".home",
    ".ts.net",
    ".fritz.box",
)
TOKEN: KeyPath = ("paperless", "token")
API_KEY: KeyPath = ("ai", "api_key")
_LEFT_OUT = "..."


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A model server that was found, with the models that it offers."""

    url: str
    models: tuple[str, ...]
    needs_key: bool = False
    """Whether it lists its models only for a key."""


@dataclass(frozen=True, slots=True)
class PaperlessAddress:
    """The address that the person confirmed; secrets are sent to no other."""

    url: str
    ca_file: Path | None = None
    clock: Clock = utc_now

    async def require_paperless(self) -> None:
        """Check without credentials that a Paperless responds; raise PaperlessError."""
        async with self._open() as http:
            await require_paperless(self.url, http)

    async def request_token(self, login: Login) -> str:
        """Return the token for a password, which is not stored; raise LoginRefused."""
        async with self._open() as http:
            return await request_token(self.url, login, http, now=self.clock())

    async def fetch_user(self, token: str) -> User | None:
        """Return the user of a token; None if it may not read that. Raise PaperlessError."""
        async with self._open() as http:
            client = PaperlessClient(Transport(self.url, token, http, clock=self.clock))
            await client.probe()
            try:
                return await client.fetch_user()
            except PermissionMissing:
                return None

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[AsyncClient]:
        try:
            http = build_http(timeout=_TIMEOUT, ca_file=self.ca_file, headers={})
        except ValueError as error:
            raise InvalidRequest(str(error)) from error
        async with http:
            yield http


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


async def find_paperless(
    addresses: Sequence[str] = PAPERLESS_ADDRESSES, *, timeout: timedelta = _SEARCH_TIMEOUT
) -> list[str]:
    """Return the addresses at which a Paperless responds; no credentials are sent."""
    async with build_http(timeout=timeout, ca_file=None, headers={}) as http:

        async def is_paperless(url: str) -> bool:
            try:
                async with asyncio.timeout(timeout.total_seconds()):
                    await require_paperless(url, http)
            except (PaperlessError, TimeoutError):
                return False
            return True

        found = await asyncio.gather(*(is_paperless(url) for url in addresses))
    return [url for url, is_found in zip(addresses, found, strict=True) if is_found]


async def find_model_servers(
    addresses: Sequence[str] = MODEL_ADDRESSES, *, timeout: timedelta = _SEARCH_TIMEOUT
) -> list[ModelServer]:
    """Return the model servers that respond, with their models."""

    async def find(url: str) -> ModelServer | None:
        try:
            async with asyncio.timeout(timeout.total_seconds()):
                return await describe_model_server(url)
        except (ModelError, TimeoutError):
            return None

    found = await asyncio.gather(*(find(url) for url in addresses))
    return [server for server in found if server is not None]


async def describe_model_server(url: str, api_key: str = "") -> ModelServer:
    """Return the models of a server; raise ModelError if none responds or the key is wrong."""
    client = ModelClient(Endpoint(url, model="", api_key=api_key, timeout=_TIMEOUT), clock=utc_now)
    try:
        return ModelServer(url, await client.list_models())
    except KeyRefused:
        if api_key:
            raise
        return ModelServer(url, (), needs_key=True)
    finally:
        await client.close()


def is_readable_on_the_way(url: str) -> bool:
    """Return whether secrets sent to this address cross foreign networks without encryption."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower().rstrip(".")
    if parts.scheme == "https":
        return False
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        # A name without a dot is a container or a machine of the local network.
        return "." in host and not host.endswith(_PRIVATE_ENDINGS)


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
