"""Ask in the strictest way that an endpoint understands, and remember which that is."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import structlog

from core.analysis import NOT_CONNECTED, OK, Capabilities, ModelCall
from core.clock import Clock
from core.messages import message
from processor.analysis import errors
from processor.analysis.budget import estimate_tokens
from processor.analysis.model import JSON_OBJECT, JSON_SCHEMA, TEXT, ModelClient, ModelReply
from processor.analysis.prompt import Prompt
from processor.analysis.refusals import MODE, TEMPERATURE, TOKEN_PARAMETER

T = TypeVar("T")
log = structlog.get_logger()

_MODES = (JSON_SCHEMA, JSON_OBJECT, TEXT)
_STRICTEST = Capabilities(mode=JSON_SCHEMA)
_OTHER_TOKEN_PARAMETER = "max_completion_tokens"  # noqa: S105 - a parameter's name
_MORE_ROOM = 4
"""An answer that was cut is asked for once more with so many times the room."""
_CHARACTERS_PER_TOKEN = 8
"""No tokenizer packs more text than this into a token: a server that counts fewer tokens has not
read all of the prompt."""
_ADDED_BY_SERVER = 20_000
"""Tokens that a chat template, a schema and a server's own instructions may add to a prompt."""
_SHORTEST_PROMPT = 8
"""Minimum plausible prompt tokens: a chat template alone has more. The SDK turns `true` into 1."""
_LONGEST_ANSWER = 200_000
"""Maximum plausible output tokens, including reasoning: no model writes more at once."""
_LONGEST_TOKEN = 64
"""Maximum characters per token: some tokenizers have a token for a long run of spaces."""
_TINY = Prompt(system="Answer with one word.", user="Ready?", fields=(), schema={}, left_out=0)
"""The cheapest question, without a document."""


class CapabilityStore(Protocol):
    """Remembers what an endpoint understands."""

    async def get(self) -> Capabilities | None: ...
    async def save(self, capabilities: Capabilities) -> None: ...
    async def delete(self) -> None: ...


class Ledger(Protocol):
    """Keeps a row for every call to a model, from before it is made."""

    async def reserve(self, call: ModelCall) -> int: ...
    async def finish(self, number: int, call: ModelCall, answer: str) -> None: ...


@dataclass(frozen=True, slots=True)
class ParsedAnswer(Generic[T]):
    """What was read from the answer, and the tokens of all calls that it took."""

    value: T
    tokens_in: int
    tokens_out: int


class FormatNegotiator:
    """The ways to ask one model, from strict to plain."""

    def __init__(self, server: ModelClient, *, memory: CapabilityStore, clock: Clock) -> None:
        self.server = server
        self._memory = memory
        self._clock = clock

    async def ask(
        self, prompt: Prompt, *, read: Callable[[str], T], ledger: Ledger
    ) -> ParsedAnswer[T]:
        """Ask until one way works; `read` turns the text into a value or raises AnswerUnusable."""
        known = await self._memory.get()
        how, turn = known or _STRICTEST, self._turn(ledger)
        while True:
            try:
                value = await turn.ask(prompt, how, read)
            except errors.NotSupported as refusal:
                log.info("answer mode refused", model=self.server.endpoint.model, mode=how.mode)
                how = next_format(how, refusal.feature) or _give_up(refusal)
            except (errors.AnswerEmpty, errors.AnswerUnusable):
                # In a way that worked before it is this answer's fault: the next attempt may
                # find another way, this one does not pay for three.
                if known is not None:
                    await self._memory.delete()
                    raise
                lower = next_format(how, MODE)
                if lower is None:
                    raise
                how = lower
            else:
                if how != known:
                    await self._memory.save(how)
                return ParsedAnswer(value, turn.tokens_in, turn.tokens_out)

    async def probe(self, *, ledger: Ledger) -> None:
        """Ask next to nothing, without a document; whatever is answered will do.

        Raise NotSupported if the server dislikes the form: it has not looked for another way.
        """
        known = await self._memory.get() or _STRICTEST
        await self._turn(ledger).probe(replace(known, mode=TEXT))

    def _turn(self, ledger: Ledger) -> "_RecordedCalls":
        return _RecordedCalls(self.server, ledger, self._clock)


class _RecordedCalls:
    """The calls that one question takes; counts their tokens and books each."""

    def __init__(self, server: ModelClient, ledger: Ledger, clock: Clock) -> None:
        self._server = server
        self._ledger = ledger
        self._clock = clock
        self.tokens_in = 0
        self.tokens_out = 0

    async def ask(self, prompt: Prompt, how: Capabilities, read: Callable[[str], T]) -> T:
        def judge(reply: ModelReply) -> T:
            return read(require_complete_text(reply, prompt))

        try:
            return await self._call(prompt, how, judge, limit=prompt.answer_tokens)
        except errors.AnswerCut:
            return await self._call(prompt, how, judge, limit=prompt.answer_tokens * _MORE_ROOM)

    async def probe(self, how: Capabilities) -> None:
        await self._call(_TINY, how, lambda _: None, limit=1)

    async def _call(
        self, prompt: Prompt, how: Capabilities, judge: Callable[[ModelReply], T], *, limit: int
    ) -> T:
        started, outcome, reply = time.monotonic(), "cancelled", None
        unanswered = True
        expected = estimate_tokens(prompt.system + prompt.user)
        booked = self._booking(how, "started", expected, limit)
        number = await self._ledger.reserve(booked)
        try:
            reply = drop_implausible_counts(
                await self._server.complete(prompt, how, limit=limit), prompt
            )
            # Not on the event loop: repairing broken JSON would block everything else.
            value = await asyncio.to_thread(judge, reply)
        except Exception as error:
            outcome = _outcome_of(error)
            unanswered = getattr(error, "unanswered", False)
            raise
        else:
            outcome = OK
            return value
        finally:
            took_ms = round((time.monotonic() - started) * 1000)
            ended = replace(booked, outcome=outcome, took_ms=took_ms)
            taken = self._counted(ended, reply) if reply else _lost(ended, unanswered=unanswered)
            await self._ledger.finish(number, taken, reply.text_or_refusal if reply else "")

    def _booking(
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

    def _counted(self, ended: ModelCall, reply: ModelReply) -> ModelCall:
        """Return the actual usage of a call; counts that were not reported stay estimated."""
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out
        wrote_nothing = reply.tokens_in and not reply.text_or_refusal
        return replace(
            ended,
            tokens_in=reply.tokens_in or ended.tokens_in,
            tokens_out=reply.tokens_out or (0 if wrote_nothing else ended.tokens_out),
        )


def _outcome_of(error: Exception) -> str:
    """Return the outcome of a call that ended with an error."""
    if isinstance(error, errors.ModelUnavailable) and not error.connected:
        return NOT_CONNECTED
    return getattr(error, "code", "not_supported")


def _lost(ended: ModelCall, *, unanswered: bool) -> ModelCall:
    """Say what a call took that brought no reply: its prompt at least, unless it was turned away.

    How much was written until then, nobody tells.
    """
    return replace(ended, tokens_in=ended.tokens_in if unanswered else 0, tokens_out=0)


def drop_implausible_counts(reply: ModelReply, prompt: Prompt) -> ModelReply:
    """Return the reply with implausible token counts replaced by 0, which means not counted."""
    # The smallest token is a byte.
    longest_prompt = len((prompt.system + prompt.user).encode()) + _ADDED_BY_SERVER
    shortest_answer = len(reply.text_or_refusal) / _LONGEST_TOKEN
    is_true_in = _SHORTEST_PROMPT <= reply.tokens_in <= longest_prompt
    is_true_out = shortest_answer <= reply.tokens_out <= _LONGEST_ANSWER
    return replace(
        reply,
        tokens_in=reply.tokens_in if is_true_in else 0,
        tokens_out=reply.tokens_out if is_true_out else 0,
    )


def require_complete_text(reply: ModelReply, prompt: Prompt) -> str:
    """Return the text of a reply that is whole; raise what is wrong with any other."""
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
        # Also if it was cut: a grammar lets some models write blanks for ever.
        raise errors.AnswerEmpty(message("the answer contains only whitespace"))
    if reply.finish_reason == "length":
        raise errors.AnswerCut(
            message("the answer was cut off after {n} tokens", n=reply.tokens_out)
        )
    if not reply.text:
        raise errors.AnswerEmpty(message("the answer has no text"))
    return reply.text


def next_format(how: Capabilities, refused: str) -> Capabilities | None:
    """Return how to ask when one feature was refused; None if there is no other way."""
    if refused == TOKEN_PARAMETER and how.token_parameter != _OTHER_TOKEN_PARAMETER:
        return replace(how, token_parameter=_OTHER_TOKEN_PARAMETER)
    if refused == TEMPERATURE and how.temperature:
        return replace(how, temperature=False)
    if refused == MODE and how.mode != TEXT:
        return replace(how, mode=_MODES[_MODES.index(how.mode) + 1])
    return None


def _give_up(refusal: errors.NotSupported) -> Capabilities:
    raise errors.NoAnswerMode(refusal.message) from refusal
