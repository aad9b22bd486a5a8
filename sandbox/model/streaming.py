"""Send a completion as a stream of chunks, as a server does that was asked to stream."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, TypeAlias, TypeGuard

from sandbox.model.behaviour import Behaviour, Streaming
from sandbox.model.tokens import CHARACTERS_PER_TOKEN

DONE = b"data: [DONE]\n\n"
_TOKEN = int(CHARACTERS_PER_TOKEN)
_TEXTS = ("reasoning", "reasoning_content", "content", "refusal")
"""Fields of a message whose text comes piece by piece; thoughts come first."""


Delta: TypeAlias = Mapping[str, object]
"""What a chunk adds to the message."""


def is_completion(body: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a reply can be streamed; errors and pages never are."""
    return isinstance(body, dict) and isinstance(body.get("choices"), list)


def split_into_chunks(body: Mapping[str, Any], *, with_usage: bool) -> list[dict[str, object]]:
    """Split a completion: the role, a chunk for each token, why it ended, and the usage."""
    [choice] = body["choices"]
    head = {**body, "object": "chat.completion.chunk"}
    usage = head.pop("usage", None)
    role: Delta = {"role": "assistant", "content": ""}
    deltas = [role, *_deltas(choice["message"])]
    chunks = [{**head, "choices": [_choice(delta, None)]} for delta in deltas]
    chunks.append({**head, "choices": [_choice({}, choice["finish_reason"])]})
    if with_usage and usage is not None:
        chunks.append({**head, "choices": [], "usage": usage})
    return chunks


async def send_chunks(
    chunks: list[dict[str, object]], behaviour: Behaviour, *, cut: Callable[[], None]
) -> AsyncIterator[bytes]:
    """Yield the chunks as events; stop in the middle if the behaviour says so."""
    breaks = behaviour.streaming in {Streaming.CUT, Streaming.ENDED_EARLY, Streaming.STALLED}
    for chunk in chunks[: len(chunks) // 2] if breaks else chunks:
        yield f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()
        await asyncio.sleep(behaviour.token_delay)
    match behaviour.streaming:
        case Streaming.CUT:
            cut()
        case Streaming.STALLED:
            # Until the client goes away: the server then cancels this response.
            await asyncio.Event().wait()
        case Streaming.ENDED_EARLY:
            pass
        case _:
            yield DONE


def _deltas(message: Mapping[str, Any]) -> Iterator[Delta]:
    for field in _TEXTS:
        match message.get(field):
            case str(text):
                yield from ({field: piece} for piece in _pieces(text))
            case list(parts):
                yield from ({field: [part]} for part in parts)
    for number, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        yield {"tool_calls": [{**call, "index": number, "function": {**function, "arguments": ""}}]}
        for piece in _pieces(function["arguments"]):
            yield {"tool_calls": [{"index": number, "function": {"arguments": piece}}]}


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _TOKEN] for start in range(0, len(text), _TOKEN))


def _choice(delta: Delta, finish_reason: object) -> dict[str, object]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
