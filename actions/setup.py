"""Set up a new instance: find Paperless and the model server, and log in."""

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from httpx import AsyncClient

from actions.errors import InvalidRequest
from core.calendar import Clock, utc_now
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
