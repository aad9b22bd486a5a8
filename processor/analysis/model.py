"""Types of the model API (endpoint, reply) and a client that loads the SDK at the first call."""

import asyncio
import hashlib
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from core.analysis import Capabilities
from core.calendar import Clock
from processor.analysis.prompt import Prompt

if TYPE_CHECKING:
    from processor.analysis.openai_client import OpenAIClient

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""Maximum size of a model server's response after decompression; usual ones have 4 KB."""
JSON_SCHEMA, JSON_OBJECT, TEXT = "json_schema", "json_object", "text"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address, model, key and timeout of a model server."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    timeout: timedelta = timedelta(minutes=5)
    """For the whole answer; if it is streamed, for its first token."""
    longest_pause: timedelta = timedelta(minutes=2)
    """Maximum time between two tokens of a streamed answer."""

    @property
    def key(self) -> str:
        """Return an identifier without the secret: base URL and a hash of the key."""
        digest = hashlib.sha256(self.api_key.encode()).hexdigest()[:8]
        return f"{self.base_url}#{digest}"


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The unchecked reply to one call."""

    text: str
    finish_reason: str
    refusal: str
    tokens_in: int
    tokens_out: int
    is_streamed: bool = False

    @property
    def text_or_refusal(self) -> str:
        """Return the text, or the refusal if there is no text."""
        return self.text or self.refusal


class TokenListener(Protocol):
    """Is called with the approximate number of tokens of a streamed answer so far."""

    def __call__(self, tokens: int, *, is_thinking: bool) -> None: ...


class ModelClient:
    """Calls one endpoint; loads the SDK at the first call, because that takes most of a second."""

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        self.endpoint = endpoint
        self._clock = clock
        self._client: OpenAIClient | None = None
        self._opening = asyncio.Lock()

    async def list_models(self) -> tuple[str, ...]:
        """Return the names of the available models."""
        return await (await self._open()).models()

    async def complete(
        self, prompt: Prompt, how: Capabilities, *, limit: int, on_token: TokenListener
    ) -> ModelReply:
        """Send one request in the format `how`, for an answer of at most `limit` tokens."""
        return await (await self._open()).complete(prompt, how, limit=limit, on_token=on_token)

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if self._client is not None:
            await self._client.close()

    async def _open(self) -> "OpenAIClient":
        async with self._opening:
            if self._client is None:
                # In a thread: the daemon's other tasks go on while the SDK is loaded.
                self._client = await asyncio.to_thread(_load_client, self.endpoint, self._clock)
            return self._client


def _load_client(endpoint: Endpoint, clock: Clock) -> "OpenAIClient":
    from processor.analysis.openai_client import OpenAIClient

    return OpenAIClient(endpoint, clock=clock)
