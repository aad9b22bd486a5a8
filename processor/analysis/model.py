"""Call a model in the strictest response format that its server supports, and remember it.

The formats are tried in order: JSON schema, JSON object, plain text.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import structlog

from core.analysis import NOT_CONNECTED, OK, PROBED, Capabilities, ModelCall
from core.calendar import Clock
from core.messages import message
from processor.analysis import errors
from processor.analysis.errors import MODE, TEMPERATURE, TOKEN_PARAMETER
from processor.analysis.prompt import Prompt
from processor.analysis.prompt_blocks import estimate_tokens

if TYPE_CHECKING:
    from processor.analysis.openai_client import OpenAIClient

T = TypeVar("T")
log = structlog.get_logger()

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""Maximum size of a model server's response after decompression; usual ones have 4 KB."""
JSON_SCHEMA, JSON_OBJECT, TEXT = "json_schema", "json_object", "text"
_MODES = (JSON_SCHEMA, JSON_OBJECT, TEXT)
_STRICTEST = Capabilities(mode=JSON_SCHEMA)
_OTHER_TOKEN_PARAMETER = "max_completion_tokens"  # noqa: S105 - a parameter's name
_MORE_ROOM = 4
"""Factor of the output limit when an answer that was cut is requested once more."""
_CHARACTERS_PER_TOKEN = 8
"""Maximum for any tokenizer: a server that counts fewer tokens has cut the prompt."""
_ADDED_BY_SERVER = 20_000
"""Tokens that a chat template, a schema and a server's own instructions may add to a prompt."""
_MIN_PROMPT_TOKENS = 8
"""Minimum plausible prompt tokens: a chat template alone has more. The SDK turns `true` into 1."""
_MAX_OUTPUT_TOKENS = 200_000
"""Maximum plausible output tokens, including reasoning: no model writes more at once."""
_MAX_TOKEN_LENGTH = 64
"""Maximum characters per token: some tokenizers have a token for a long run of spaces."""
_TINY = Prompt(system="Answer with one word.", user="Ready?", fields=(), schema={}, left_out=0)
"""The cheapest request, without a document."""
_TINY_OBJECT = Prompt(
    system="Answer with a JSON object.",
    user='Are you ready? Answer with {"ready": true}.',
    fields=(),
    schema={
        "type": "object",
        "properties": {"ready": {"type": "boolean"}},
        "required": ["ready"],
        "additionalProperties": False,
    },
    left_out=0,
)
"""A small request, without a document, that can be made in every format."""
_BAD_ANSWERS = (errors.AnswerEmpty, errors.AnswerUnusable)
_STREAM_ERRORS = (errors.AnswerInterrupted, errors.NotAModelServer, errors.RequestRefused)
"""Errors that a plain call may not have."""


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


class CapabilityStore(Protocol):
    """Stores which format an endpoint supports."""

    async def get(self) -> Capabilities | None: ...
    async def save(self, capabilities: Capabilities) -> None: ...
    async def delete(self) -> None: ...


class Ledger(Protocol):
    """Records every call to a model, from before it is made."""

    async def reserve(self, call: ModelCall) -> int: ...
    async def finish(self, number: int, call: ModelCall, answer: str) -> None: ...
    def report_tokens(self, tokens: int, *, is_thinking: bool) -> None: ...


@dataclass(frozen=True, slots=True)
class ParsedAnswer(Generic[T]):
    """The value read from an answer, and the tokens of all calls for it."""

    value: T
    tokens_in: int
    tokens_out: int


class FormatNegotiator:
    """Calls one model in the strictest format that its server supports."""

    def __init__(
        self,
        server: ModelClient,
        *,
        capabilities: CapabilityStore,
        clock: Clock,
        may_stream: bool = True,
    ) -> None:
        self.server = server
        self._capabilities = capabilities
        self._clock = clock
        self._may_stream = may_stream

    async def ask(
        self, prompt: Prompt, *, parse: Callable[[str], T], ledger: Ledger
    ) -> ParsedAnswer[T]:
        """Ask until one format works; `parse` reads the text or raises AnswerUnusable."""
        known = await self._capabilities.get()
        how, calls = await self._choose_format(known, ledger), self._record_calls(ledger)
        while True:
            try:
                value = await calls.ask(prompt, how, parse)
            except errors.NotSupported as refusal:
                log.info("answer mode refused", model=self.server.endpoint.model, mode=how.mode)
                lower = next_format(how, refusal.feature)
                if lower is None:
                    raise errors.NoAnswerMode(refusal.message) from refusal
                how = lower
            except (*_BAD_ANSWERS, *_STREAM_ERRORS) as error:
                how = await self._format_after(error, how, known)
            else:
                if how.streams and not calls.tokens_in:
                    # Costs and the check for a cut prompt need the usage of every call.
                    how = replace(how, streams=False)
                if how != known:
                    await self._capabilities.save(how)
                return ParsedAnswer(value, calls.tokens_in, calls.tokens_out)

    async def probe(self, *, ledger: Ledger) -> None:
        """Send the cheapest request, without a document; any answer is accepted.

        Raise NotSupported if the server rejects a parameter: no other format is tried.
        """
        known = await self._capabilities.get() or _STRICTEST
        await self._record_calls(ledger).probe(replace(known, mode=TEXT, streams=None))

    async def _format_after(
        self, error: errors.ModelError, how: Capabilities, known: Capabilities | None
    ) -> Capabilities:
        """Return the next format for this attempt, or raise the error.

        A format that worked before is forgotten: the next attempt of the job may use another one,
        or a plain call instead of a stream, and this one does not pay for three.
        """
        is_bad_answer = isinstance(error, _BAD_ANSWERS)
        if known is not None and (is_bad_answer or how.streams):
            await self._capabilities.delete()
            raise error
        lower = next_format(how, MODE) if is_bad_answer else None
        if lower is None:
            raise error
        return lower

    async def _choose_format(self, known: Capabilities | None, ledger: Ledger) -> Capabilities:
        """Return the format to begin with; test whether it can be streamed, if that is unknown.

        The first call is always plain. The result of the test is stored with the next answer: if
        the endpoint is down, that call fails as well.
        """
        if known is None:
            return _STRICTEST
        if not self._may_stream:
            return replace(known, streams=None)
        if known.streams is not None:
            return known
        try:
            streams = await self._record_calls(ledger).probe_streaming(known)
        except (errors.ModelError, errors.NotSupported):
            streams = False
        return replace(known, streams=streams)

    def _record_calls(self, ledger: Ledger) -> "_RecordedCalls":
        return _RecordedCalls(self.server, ledger, self._clock)


class _RecordedCalls:
    """Makes the calls for one prompt, records each and counts their tokens."""

    def __init__(self, server: ModelClient, ledger: Ledger, clock: Clock) -> None:
        self._server = server
        self._ledger = ledger
        self._clock = clock
        self.tokens_in = 0
        self.tokens_out = 0

    async def ask(self, prompt: Prompt, how: Capabilities, parse: Callable[[str], T]) -> T:
        """Call the model, once more with a higher limit if the answer was cut."""
        sent = prompt if how.mode == JSON_SCHEMA else prompt.with_schema_text()

        def parse_reply(reply: ModelReply) -> T:
            return parse(require_complete_text(reply, sent))

        try:
            return await self._call(sent, how, parse_reply, limit=sent.answer_tokens)
        except errors.AnswerCut:
            return await self._call(sent, how, parse_reply, limit=sent.answer_tokens * _MORE_ROOM)

    async def probe(self, how: Capabilities) -> None:
        await self._call(_TINY, how, lambda _: None, limit=1)

    async def probe_streaming(self, known: Capabilities) -> bool:
        """Return whether the answer to a small request is streamed and ends with the usage."""
        how = replace(known, streams=True)

        def is_good(reply: ModelReply) -> bool:
            return reply.is_streamed and reply.tokens_in > 0

        limit = _TINY_OBJECT.answer_tokens
        return await self._call(_TINY_OBJECT, how, is_good, limit=limit, success=PROBED)

    async def _call(
        self,
        prompt: Prompt,
        how: Capabilities,
        parse: Callable[[ModelReply], T],
        *,
        limit: int,
        success: str = OK,
    ) -> T:
        started, outcome, reply = time.monotonic(), "cancelled", None
        unanswered, written = True, 0

        def report(tokens: int, *, is_thinking: bool) -> None:
            nonlocal written
            written = tokens
            self._ledger.report_tokens(tokens, is_thinking=is_thinking)

        expected = estimate_tokens(prompt.system + prompt.user)
        reserved = self._build_call(how, "started", expected, limit)
        number = await self._ledger.reserve(reserved)
        try:
            reply = drop_implausible_counts(
                await self._server.complete(prompt, how, limit=limit, on_token=report), prompt
            )
            # Not on the event loop: repairing broken JSON would block everything else.
            value = await asyncio.to_thread(parse, reply)
        except Exception as error:
            outcome = _outcome_of(error)
            unanswered = getattr(error, "unanswered", False)
            raise
        else:
            outcome = success
            return value
        finally:
            took_ms = round((time.monotonic() - started) * 1000)
            ended = replace(reserved, outcome=outcome, took_ms=took_ms)
            call = (
                self._count_tokens(ended, reply)
                if reply
                else _count_lost_tokens(ended, unanswered=unanswered, written=written)
            )
            answer = reply.text_or_refusal if reply and outcome != PROBED else ""
            await self._ledger.finish(number, call, answer)

    def _build_call(
        self, how: Capabilities, outcome: str, tokens_in: int, tokens_out: int
    ) -> ModelCall:
        endpoint = self._server.endpoint
        return ModelCall(
            endpoint=endpoint.base_url,
            model=endpoint.model,
            mode=how.mode,
            outcome=outcome,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            took_ms=0,
            at=self._clock(),
        )

    def _count_tokens(self, ended: ModelCall, reply: ModelReply) -> ModelCall:
        """Return the call with its actual usage; counts that were not reported stay estimated."""
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out
        wrote_nothing = reply.tokens_in and not reply.text_or_refusal
        return replace(
            ended,
            tokens_in=reply.tokens_in or ended.tokens_in,
            tokens_out=reply.tokens_out or (0 if wrote_nothing else ended.tokens_out),
        )


def _load_client(endpoint: Endpoint, clock: Clock) -> "OpenAIClient":
    from processor.analysis.openai_client import OpenAIClient

    return OpenAIClient(endpoint, clock=clock)


def _outcome_of(error: Exception) -> str:
    """Return the outcome of a call that ended with an error."""
    if isinstance(error, errors.ModelUnavailable) and not error.connected:
        return NOT_CONNECTED
    return getattr(error, "code", "not_supported")


def _count_lost_tokens(ended: ModelCall, *, unanswered: bool, written: int) -> ModelCall:
    """Return the usage of a call without a reply: its prompt, unless the server rejected it.

    The output up to then is known only if it was streamed.
    """
    return replace(ended, tokens_in=ended.tokens_in if unanswered else 0, tokens_out=written)


def drop_implausible_counts(reply: ModelReply, prompt: Prompt) -> ModelReply:
    """Return the reply with implausible token counts replaced by 0, which means not counted."""
    # The smallest token is a byte.
    longest_prompt = len((prompt.system + prompt.user).encode()) + _ADDED_BY_SERVER
    shortest_answer = len(reply.text_or_refusal) / _MAX_TOKEN_LENGTH
    is_true_in = _MIN_PROMPT_TOKENS <= reply.tokens_in <= longest_prompt
    is_true_out = shortest_answer <= reply.tokens_out <= _MAX_OUTPUT_TOKENS
    return replace(
        reply,
        tokens_in=reply.tokens_in if is_true_in else 0,
        tokens_out=reply.tokens_out if is_true_out else 0,
    )


def require_complete_text(reply: ModelReply, prompt: Prompt) -> str:
    """Return the text of a complete reply; raise the error that applies to any other."""
    if reply.refusal or reply.finish_reason == "content_filter":
        raise errors.AnswerRefused(message("the model refused to answer"))
    if reply.tokens_in and prompt.characters / reply.tokens_in > _CHARACTERS_PER_TOKEN:
        raise errors.PromptCut(
            message(
                "{characters} characters were sent, the server read {tokens} tokens",
                characters=prompt.characters,
                tokens=reply.tokens_in,
            )
        )
    if reply.text and not reply.text.strip():
        # Checked before the cut: with a grammar, some models write blanks without end.
        raise errors.AnswerEmpty(message("the answer contains only whitespace"))
    if reply.finish_reason == "length":
        raise errors.AnswerCut(
            message("the answer was cut off after {n} tokens", n=reply.tokens_out)
        )
    if not reply.text:
        raise errors.AnswerEmpty(message("the answer has no text"))
    return reply.text


def next_format(how: Capabilities, refused: str) -> Capabilities | None:
    """Return the format to try when one feature was refused; None if there is none left."""
    if refused == TOKEN_PARAMETER and how.token_parameter != _OTHER_TOKEN_PARAMETER:
        return replace(how, token_parameter=_OTHER_TOKEN_PARAMETER)
    if refused == TEMPERATURE and how.temperature:
        return replace(how, temperature=False)
    if refused == MODE and how.mode != TEXT:
        return replace(how, mode=_MODES[_MODES.index(how.mode) + 1], streams=None)
    return None
