"""A model server, its calls and their replies. The SDK is loaded at the first call."""

import asyncio
import hashlib
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from core.analysis import Capabilities
from core.clock import Clock
from processor.analysis.prompt import Prompt

if TYPE_CHECKING:
    from processor.analysis.openai_client import OpenAIClient

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""Maximum size of a model server's response after decompression; usual ones have 4 KB."""
JSON_SCHEMA, JSON_OBJECT, TEXT = "json_schema", "json_object", "text"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is, and how to get in."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    timeout: timedelta = timedelta(minutes=5)

    @property
    def key(self) -> str:
        """Name the endpoint without telling the key: base URL and a hash of the key."""
        digest = hashlib.sha256(self.api_key.encode()).hexdigest()[:8]
        return f"{self.base_url}#{digest}"


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back from one call, not judged yet."""

    text: str
    finish_reason: str
    refusal: str
    tokens_in: int
    tokens_out: int

    @property
    def text_or_refusal(self) -> str:
        """What the model wrote, or why it did not."""
        return self.text or self.refusal


class ModelClient:
    """One endpoint; the SDK is loaded at the first call, because that takes most of a second."""

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        self.endpoint = endpoint
        self._clock = clock
        self._client: OpenAIClient | None = None
        self._opening = asyncio.Lock()

    async def list_models(self) -> tuple[str, ...]:
        """Return the names of the models on offer."""
        return await (await self._open()).models()

    async def complete(self, prompt: Prompt, how: Capabilities, *, limit: int) -> ModelReply:
        """Ask once, in the way `how` says, for an answer of at most `limit` tokens."""
        return await (await self._open()).complete(prompt, how, limit=limit)

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
