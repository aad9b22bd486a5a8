"""Call an OpenAI-compatible endpoint. The only module that imports openai.

A streamed answer is assembled to the completion that a plain call would have returned.
"""

import asyncio
import json
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from functools import cache
from types import SimpleNamespace
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from core.analysis import Capabilities
from core.calendar import Clock
from core.messages import Message, message
from processor.analysis import errors
from processor.analysis.errors import error_for
from processor.analysis.model import (
    JSON_SCHEMA,
    MAX_ANSWER_BYTES,
    TEXT,
    Endpoint,
    ModelReply,
    TokenListener,
)
from processor.analysis.prompt import Prompt

_CONNECT = timedelta(seconds=10)
_COMPLETIONS = "/chat/completions"
"""The SDK's own method for it validates the request: 1 ms for a schema, and 1.3 MiB of memory."""
_NO_KEY = "none"
"""Placeholder: the SDK rejects an empty key, and a local server ignores it."""
_SDK_ERRORS = (openai.OpenAIError, TimeoutError, ValueError, AttributeError, TypeError)
"""What the SDK raises; it assumes JSON and fails with other errors on anything else."""
_TRANSMISSION_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that describe the body as it was transmitted."""
_EVENT_STREAM = "text/event-stream"
_MAX_STREAM_BYTES = 8 * MAX_ANSWER_BYTES
"""Maximum size of a streamed response: each token of the answer is wrapped in JSON."""
_WHILE_READING = (httpx2.ReadTimeout, httpx2.ReadError, httpx2.RemoteProtocolError)
"""Errors that occur after the whole request was sent."""
_WHILE_CONNECTING = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""Errors that occur before any part of the request is sent."""
_CHARACTERS_PER_TOKEN = 4
"""To estimate the tokens at a server that sends several with each chunk."""
_REASONING = ("reasoning", "reasoning_content")
_THOUGHT_BEGIN, _THOUGHT_END = "<think>", "</think>"


class StreamedAnswer:
    """The answer so far. Nothing is validated: servers send what they like."""

    def __init__(self) -> None:
        self._content: list[object] = []
        """Texts, and the parts in which some reasoning models send their answer."""
        self._texts: dict[str, list[str]] = {field: [] for field in ("refusal", *_REASONING)}
        self._tool_arguments: list[str] = []
        self._finish_reason: str | None = None
        self._usage: object = None
        self._chunks = 0
        self._end_of_content = ""
        """Long enough to find the mark of a thought that is spread over several chunks."""
        self._is_in_thought = False
        self.characters = 0
        self.is_thinking = False
        """Whether the last token belongs to the model's reasoning."""

    @property
    def tokens(self) -> int:
        """Return the approximate number of tokens so far; the exact one comes with the usage."""
        return max(self._chunks, self.characters // _CHARACTERS_PER_TOKEN)

    @property
    def is_complete(self) -> bool:
        """Return whether the server has said why the answer ended."""
        return self._finish_reason is not None

    def add(self, chunk: Any) -> bool:
        """Add a chunk; return whether it brought text."""
        self._usage = getattr(chunk, "usage", None) or self._usage
        choice = _first_choice(chunk)
        self._finish_reason = getattr(choice, "finish_reason", None) or self._finish_reason
        before = self.characters
        self._add_delta(getattr(choice, "delta", None))
        has_text = self.characters > before
        self._chunks += has_text
        return has_text

    def build_completion(self) -> object:
        """Return an object with the attributes of a completion."""
        message: dict[str, object] = {
            field: "".join(pieces) or None for field, pieces in self._texts.items()
        }
        message["content"] = _join_content(self._content)
        if self._tool_arguments:
            function = SimpleNamespace(arguments="".join(self._tool_arguments))
            message["tool_calls"] = [SimpleNamespace(function=function)]
        choice = SimpleNamespace(
            message=SimpleNamespace(**message), finish_reason=self._finish_reason
        )
        return SimpleNamespace(choices=[choice], usage=self._usage)

    def _add_delta(self, delta: Any) -> None:
        for field, pieces in self._texts.items():
            if text := _text(getattr(delta, field, None)):
                pieces.append(text)
                self.characters += len(text)
                self.is_thinking = field in _REASONING
        for call in (getattr(delta, "tool_calls", None) or [])[:1]:
            text = _text(getattr(getattr(call, "function", None), "arguments", None))
            if text and not getattr(call, "index", 0):
                self._tool_arguments.append(text)
                self.characters += len(text)
        content = getattr(delta, "content", None)
        for piece in content if isinstance(content, list) else [content]:
            self._add_content(piece)

    def _add_content(self, piece: object) -> None:
        if isinstance(piece, dict):
            self._content.append(piece)
            self.characters += len(str(piece))
            self.is_thinking = piece.get("type") == "thinking"
        elif text := _text(piece):
            self._content.append(text)
            self.characters += len(text)
            searched = self._end_of_content + text
            begin, end = searched.rfind(_THOUGHT_BEGIN), searched.rfind(_THOUGHT_END)
            if begin != end:
                self._is_in_thought = begin > end
            self._end_of_content = searched[-len(_THOUGHT_END) :]
            self.is_thinking = self._is_in_thought


class OpenAIClient:
    """Calls one endpoint through the SDK, whose own retries are switched off."""

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        self.endpoint = endpoint
        self._clock = clock
        seconds = endpoint.timeout.total_seconds()
        # Redirects are refused, so that no document goes to an address that is not configured.
        http = httpx2.AsyncClient(
            timeout=httpx2.Timeout(seconds, connect=min(seconds, _CONNECT.total_seconds())),
            follow_redirects=False,
            trust_env=False,
            transport=_LimitedTransport(verify=_system_trust(), trust_env=False),
        )
        self._sdk = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or _NO_KEY,
            # The SDK would read these two from environment variables meant for other programs.
            default_headers={"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()},  # type: ignore[dict-item]  # Omit leaves a header out
            max_retries=0,
            http_client=http,
        )

    async def models(self) -> tuple[str, ...]:
        """Return the names of the available models."""
        try:
            page = await self._sdk.models.list()
        except _SDK_ERRORS as error:
            raise self._translate_error(error) from error
        listed = getattr(page, "data", None)
        names = (
            [getattr(model, "id", None) for model in listed] if isinstance(listed, list) else [None]
        )
        if not all(isinstance(name, str) for name in names):
            raise errors.NotAModelServer(
                message("GET /models did not answer with a list of models")
            )
        return tuple(map(str, names))

    async def complete(
        self, prompt: Prompt, how: Capabilities, *, limit: int, on_token: TokenListener
    ) -> ModelReply:
        """Send one request in the format `how`, for an answer of at most `limit` tokens."""
        request = self._build_request(prompt, how, limit)
        try:
            if how.streams:
                return await self._stream(request, on_token)
            return _parse_reply(
                await self._sdk.post(_COMPLETIONS, cast_to=ChatCompletion, body=request)
            )
        except _SDK_ERRORS as error:
            raise self._translate_error(error, sent=prompt.user) from error

    async def _stream(self, request: dict[str, Any], on_token: TokenListener) -> ModelReply:
        """Send a request for a streamed answer; a server may send it as a whole all the same.

        Raise AnswerInterrupted if the answer begins and does not end.
        """
        answer = StreamedAnswer()
        try:
            async with asyncio.timeout(self.endpoint.timeout.total_seconds()) as timeout:
                sent = self._sdk.post(
                    _COMPLETIONS,
                    cast_to=ChatCompletion,
                    body={**request, "stream": True, "stream_options": {"include_usage": True}},
                    stream=True,
                    stream_cls=openai.AsyncStream[ChatCompletionChunk],
                )
                async with await sent as stream:
                    if not _is_event_stream(stream.response):
                        return _parse_reply(ChatCompletion.construct(**stream.response.json()))
                    async for chunk in stream:
                        if self._add_chunk(answer, chunk, timeout):
                            on_token(answer.tokens, is_thinking=answer.is_thinking)
        except (TimeoutError, openai.APIConnectionError) as error:
            if not answer.tokens:
                raise
            if not answer.is_complete:
                raise _interrupted(answer) from error
        if not answer.is_complete:
            raise _interrupted(answer)
        return replace(_parse_reply(answer.build_completion()), is_streamed=True)

    def _add_chunk(self, answer: StreamedAnswer, chunk: object, timeout: asyncio.Timeout) -> bool:
        """Add a chunk, and return whether it brought text; the next text must come in time."""
        has_text = answer.add(chunk)
        if has_text:
            pause = min(self.endpoint.longest_pause, self.endpoint.timeout)
            timeout.reschedule(asyncio.get_running_loop().time() + pause.total_seconds())
        if answer.characters > MAX_ANSWER_BYTES:
            raise _too_large()
        return has_text

    async def close(self) -> None:
        await self._sdk.close()

    def _build_request(self, prompt: Prompt, how: Capabilities, limit: int) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.endpoint.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            how.token_parameter: limit,
        }
        if how.temperature:
            request["temperature"] = 0
        wanted: dict[str, object] = {"type": how.mode}
        if how.mode == JSON_SCHEMA:
            schema = {"name": "analysis", "strict": True, "schema": prompt.schema}
            wanted["json_schema"] = schema
        if how.mode != TEXT:
            request["response_format"] = wanted
        return request

    def _translate_error(self, error: Exception, *, sent: str = "") -> Exception:
        """Return our error for an error of the SDK."""
        match error:
            case TimeoutError() | openai.APITimeoutError():
                return _unavailable(message("no answer from the model in time"), error)
            case openai.APIConnectionError():
                # The SDK's own message is generic.
                cause = error.__cause__
                why = str(cause) or type(cause).__name__
                return _unavailable(message("no connection to the model: {why}", why=why), error)
            case openai.APIStatusError(response=answer):
                body = self._redact_key(answer.text)
                now = self._clock()
                return error_for(error.status_code, body, answer.headers, sent=sent, now=now)
            case openai.APIError(body=dict(reported)):
                # The server reports it within a stream, after a status of 200.
                body, code = self._redact_key(json.dumps(reported)), str(reported.get("code"))
                status = int(code) if re.fullmatch(r"[45]\d\d", code) else 500
                return error_for(status, body, {}, sent=sent, now=self._clock())
            case _:
                text = message("the model server's answer cannot be read: {why}", why=str(error))
                return errors.NotAModelServer(text)

    def _redact_key(self, body: str) -> str:
        """Return `body` without our key: some servers repeat the key that they reject."""
        key = self.endpoint.api_key
        return body.replace(key, "[our key]") if key else body


@cache
def _system_trust() -> ssl.SSLContext:
    """Build the context that trusts the system's CAs, once: reading them takes 20 ms."""
    return httpx2.create_ssl_context(trust_env=False)


class _LimitedTransport(httpx2.AsyncHTTPTransport):
    """Reads responses up to a size limit: a broken server must not fill the memory."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = await super().handle_async_request(request)
        # Headers about the transmission are dropped: the body is already decompressed.
        headers = [
            pair for pair in answer.headers.multi_items() if pair[0] not in _TRANSMISSION_HEADERS
        ]
        if answer.is_success and _is_event_stream(answer):
            return httpx2.Response(
                answer.status_code,
                headers=headers,
                stream=_LimitedStream(answer),
                extensions=answer.extensions,
            )
        try:
            body = await _read(answer)
        finally:
            await answer.aclose()
        return httpx2.Response(
            answer.status_code, headers=headers, content=body, extensions=answer.extensions
        )


class _LimitedStream(httpx2.AsyncByteStream):
    """The decompressed body of an event stream, up to a size limit."""

    def __init__(self, answer: httpx2.Response) -> None:
        self._answer = answer
        self._pieces = self._read()

    def __aiter__(self) -> AsyncIterator[bytes]:
        # Always the same: the SDK reads what is left after the last event.
        return self._pieces

    async def aclose(self) -> None:
        await self._answer.aclose()

    async def _read(self) -> AsyncIterator[bytes]:
        size = 0
        async with aclosing(self._answer.aiter_bytes()) as pieces:
            async for piece in pieces:
                size += len(piece)
                if size > _MAX_STREAM_BYTES:
                    raise _too_large()
                yield piece


def _is_event_stream(answer: httpx2.Response) -> bool:
    return answer.headers.get("content-type", "").startswith(_EVENT_STREAM)


async def _read(answer: httpx2.Response) -> bytes:
    """Return the decompressed body; raise AnswerTooLarge for a successful response."""
    body = bytearray()
    async with aclosing(answer.aiter_bytes()) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > MAX_ANSWER_BYTES:
                break
    if len(body) <= MAX_ANSWER_BYTES:
        return bytes(body)
    if answer.is_success:
        raise _too_large()
    # The status alone is enough to identify the error.
    return b""


def _too_large() -> errors.AnswerTooLarge:
    most = MAX_ANSWER_BYTES // 1024**2
    return errors.AnswerTooLarge(message("the model server's answer is larger than {n} MB", n=most))


def _interrupted(answer: StreamedAnswer) -> errors.AnswerInterrupted:
    return errors.AnswerInterrupted(
        message("the model's answer stopped after about {n} tokens", n=answer.tokens)
    )


def _parse_reply(completion: Any) -> ModelReply:
    """Parse a completion; the SDK does not validate it and may return HTML or an error."""
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise errors.NotAModelServer(
            message("the response to a chat completion request is not a chat completion")
        )
    found = getattr(choices[0], "message", None)
    if found is None:
        raise errors.NotAModelServer(message("the chat completion contains no message"))
    return ModelReply(
        text=_content(found) or _tool_arguments(found) or _answer_in_reasoning(found),
        finish_reason=getattr(choices[0], "finish_reason", None) or "",
        refusal=getattr(found, "refusal", None) or "",
        tokens_in=_token_count(completion, "prompt_tokens"),
        tokens_out=_token_count(completion, "completion_tokens"),
    )


def _content(found: Any) -> str:
    """Return the text of a message; some reasoning models send it in parts."""
    content = getattr(found, "content", None)
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def _tool_arguments(found: Any) -> str:
    """Return the arguments of a tool call, which some models make although no tool is offered."""
    calls = getattr(found, "tool_calls", None) or []
    return calls[0].function.arguments if calls else ""


def _answer_in_reasoning(found: Any) -> str:
    """Return the reasoning if it is a JSON object and nothing else.

    Some servers put the whole answer there. Reasoning that only contains a draft is no answer.
    """
    for place in ("reasoning", "reasoning_content"):
        text = getattr(found, place, None)
        if isinstance(text, str) and text.strip().startswith("{") and text.strip().endswith("}"):
            return text
    return ""


def _token_count(completion: Any, key: str) -> int:
    """Return the token count that the server reports; 0 if it is missing or invalid."""
    count = getattr(getattr(completion, "usage", None), key, None)
    # A boolean is an int in Python, and the SDK does not validate what it receives.
    if not isinstance(count, int) or isinstance(count, bool):
        return 0
    return max(count, 0)


def _unavailable(text: Message, error: Exception) -> errors.ModelUnavailable:
    """Build the error for a failed connection, with whether anything was sent."""
    return errors.ModelUnavailable(
        text,
        unanswered=isinstance(error, TimeoutError) or isinstance(error.__cause__, _WHILE_READING),
        connected=not isinstance(error.__cause__, _WHILE_CONNECTING),
    )


def _first_choice(chunk: Any) -> object:
    choices = getattr(chunk, "choices", None)
    if not isinstance(choices, list):
        return None
    return next((choice for choice in choices if not getattr(choice, "index", 0)), None)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _join_content(pieces: list[object]) -> object:
    """Return the content as text, or as a list of parts if it came as such."""
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if len(texts) == len(pieces):
        return "".join(texts) or None
    return [
        {"type": "text", "text": piece} if isinstance(piece, str) else piece for piece in pieces
    ]
