"""Streamed answers, from real ports: the same as plain ones, or a failed call."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from core.analysis import Capabilities
from core.calendar import utc_now
from processor.analysis import errors
from processor.analysis.model import (
    JSON_OBJECT,
    JSON_SCHEMA,
    MAX_ANSWER_BYTES,
    TEXT,
    Endpoint,
    ModelClient,
    ModelReply,
)
from processor.analysis.openai_client import StreamedAnswer
from processor.analysis.prompt import Prompt
from sandbox.faults import Fault, redirect
from sandbox.model import Behaviour, ModelServer, Outcome, Streaming, Usage, Wrapping
from tests.installation import COMPLETIONS
from tests.large_answers import LargeAnswer
from tests.waiting import LONG

PROMPT = Prompt(
    system="Answer with JSON.", user="Ein Brief über den Müll.", fields=(), schema={}, left_out=0
)
ANSWER = '{"title": "Müllgebühren 2026", "tags": ["Haus", "Gebühr"]}'
SOON = timedelta(seconds=0.2)
PATIENCE = timedelta(seconds=LONG)
EVENTS = "text/event-stream"


@dataclass
class Ticks:
    """Collects what is reported while an answer is written."""

    tokens: list[int] = field(default_factory=list)
    thinking: list[bool] = field(default_factory=list)

    def __call__(self, tokens: int, *, is_thinking: bool) -> None:
        self.tokens.append(tokens)
        self.thinking.append(is_thinking)


@asynccontextmanager
async def client_of(endpoint: Endpoint) -> AsyncIterator[ModelClient]:
    client = ModelClient(endpoint, clock=utc_now)
    try:
        yield client
    finally:
        await client.close()


async def ask(
    base_url: str,
    *,
    streams: bool = True,
    mode: str = JSON_SCHEMA,
    timeout: timedelta = PATIENCE,
    longest_pause: timedelta = PATIENCE,
) -> tuple[ModelReply, Ticks]:
    ticks = Ticks()
    endpoint = Endpoint(base_url, "some-model", timeout=timeout, longest_pause=longest_pause)
    async with client_of(endpoint) as client:
        how = Capabilities(mode, streams=streams)
        return await client.complete(PROMPT, how, limit=1000, on_token=ticks), ticks


async def ask_raw(*events: bytes) -> tuple[ModelReply, Ticks]:
    """Ask a server that sends these events, whatever they are."""
    async with LargeAnswer(iter(events), content_type=EVENTS).listening() as url:
        return await ask(f"{url}/v1")


def event(**chunk: object) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()


def text_event(text: str, finish_reason: str | None = None) -> bytes:
    return event(choices=[{"index": 0, "delta": {"content": text}, "finish_reason": finish_reason}])


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


SHAPES = [
    Behaviour(),
    *(Behaviour(wrapping=frozenset({wrapping})) for wrapping in Wrapping),
    *(
        Behaviour(outcome=outcome)
        for outcome in Outcome
        if outcome not in {Outcome.HTML, Outcome.ERROR, Outcome.NO_CHOICES}
    ),
    *(Behaviour(usage=usage) for usage in Usage),
]


@pytest.mark.parametrize("mode", [JSON_SCHEMA, JSON_OBJECT, TEXT])
@pytest.mark.parametrize("shape", SHAPES, ids=range(len(SHAPES)))
async def test_a_streamed_answer_is_the_same_as_a_plain_one(
    model: ModelServer, shape: Behaviour, mode: str
) -> None:
    model.behave(shape.model_copy(update={"answer": ANSWER}))

    plain, _ = await ask(model.base_url, streams=False, mode=mode)
    streamed, _ = await ask(model.base_url, mode=mode)

    assert (plain.is_streamed, streamed.is_streamed) == (False, True)
    assert replace(streamed, is_streamed=False) == plain


async def test_a_streamed_request_asks_for_the_usage_at_the_end(model: ModelServer) -> None:
    await ask(model.base_url)

    [chat] = model.state.chats()
    assert chat.parameters["stream"] is True
    assert chat.parameters["stream_options"] == {"include_usage": True}


async def test_the_tokens_so_far_are_reported_with_each_of_them(model: ModelServer) -> None:
    model.behave(Behaviour(answer=ANSWER))

    reply, ticks = await ask(model.base_url)

    assert ticks.tokens == sorted(ticks.tokens)
    assert ticks.tokens[0] == 1
    assert ticks.tokens[-1] == pytest.approx(reply.tokens_out, abs=5)
    assert not any(ticks.thinking)


@pytest.mark.parametrize(
    "wrapping", [Wrapping.THINKING, Wrapping.REASONING_CONTENT, Wrapping.PARTS]
)
async def test_a_model_that_thinks_is_known_to_think_until_it_answers(
    model: ModelServer, wrapping: Wrapping
) -> None:
    model.behave(Behaviour(answer=ANSWER, wrapping=frozenset({wrapping})))

    _, ticks = await ask(model.base_url)

    first_answer = ticks.thinking.index(False, ticks.thinking.index(True))
    assert any(ticks.thinking[:first_answer])
    assert not any(ticks.thinking[first_answer:])


def test_a_mark_of_a_thought_may_be_spread_over_several_chunks() -> None:
    answer = StreamedAnswer()
    thinking = []

    for text in ("<th", "ink>", "Hm", "</", "think", ">", "{}"):
        delta = SimpleNamespace(content=text)
        answer.add(SimpleNamespace(choices=[SimpleNamespace(delta=delta)]))
        thinking.append(answer.is_thinking)

    assert thinking == [False, True, True, True, True, False, False]


async def test_a_server_that_ignores_the_wish_for_a_stream_is_read_as_ever(
    model: ModelServer,
) -> None:
    model.behave(Behaviour(answer=ANSWER, streaming=Streaming.IGNORED))

    plain, _ = await ask(model.base_url, streams=False)
    reply, ticks = await ask(model.base_url)

    assert reply == plain
    assert ticks.tokens == []


async def test_a_stream_without_usage_has_no_token_counts(model: ModelServer) -> None:
    model.behave(Behaviour(answer=ANSWER, streaming=Streaming.WITHOUT_USAGE))

    reply, _ = await ask(model.base_url)

    assert reply.text == ANSWER
    assert (reply.tokens_in, reply.tokens_out) == (0, 0)


@pytest.mark.parametrize("how", [Streaming.CUT, Streaming.ENDED_EARLY])
async def test_a_stream_that_ends_early_is_no_answer(model: ModelServer, how: Streaming) -> None:
    model.behave(Behaviour(answer=ANSWER, streaming=how))

    with pytest.raises(errors.AnswerInterrupted, match="stopped after about") as caught:
        await ask(model.base_url)

    assert caught.value.unanswered
    assert caught.value.connected


async def test_a_stream_that_stalls_is_given_up_after_the_longest_pause(
    model: ModelServer,
) -> None:
    model.behave(Behaviour(answer=ANSWER, streaming=Streaming.STALLED))

    with pytest.raises(errors.AnswerInterrupted):
        await ask(model.base_url, longest_pause=SOON)


async def test_the_longest_pause_does_not_count_before_the_first_token(
    model: ModelServer,
) -> None:
    model.behave(Behaviour(answer=ANSWER, delay=5 * SOON.total_seconds()))

    reply, _ = await ask(model.base_url, longest_pause=SOON)

    assert reply.text == ANSWER


async def test_before_the_first_token_the_timeout_of_a_plain_call_holds(
    model: ModelServer,
) -> None:
    model.behave(Behaviour(answer=ANSWER, delay=LONG))

    with pytest.raises(errors.ModelUnavailable, match="no answer from the model in time") as caught:
        await ask(model.base_url, timeout=SOON)

    assert not isinstance(caught.value, errors.AnswerInterrupted)
    assert caught.value.unanswered


async def test_a_refused_stream_is_a_refused_request(model: ModelServer) -> None:
    model.behave(Behaviour(streaming=Streaming.REFUSED))

    with pytest.raises(errors.RequestRefused, match="answered 400"):
        await ask(model.base_url)


@pytest.mark.parametrize("outcome", [Outcome.HTML, Outcome.ERROR, Outcome.NO_CHOICES])
async def test_what_is_no_completion_is_no_answer_to_a_streamed_request(
    model: ModelServer, outcome: Outcome
) -> None:
    model.behave(Behaviour(outcome=outcome))

    with pytest.raises(errors.NotAModelServer):
        await ask(model.base_url)


async def test_a_streamed_answer_is_given_up_at_the_size_limit() -> None:
    with pytest.raises(errors.AnswerTooLarge, match="larger than 4 MB"):
        await ask_raw(*(text_event("x" * 100_000) for _ in range(50)))


async def test_a_stream_of_anything_is_given_up_at_its_size_limit() -> None:
    server = LargeAnswer(
        (b": " + b"x" * 100_000 + b"\n" for _ in range(10_000)), content_type=EVENTS
    )

    async with server.listening() as url:
        with pytest.raises(errors.AnswerTooLarge):
            await ask(f"{url}/v1")

    assert server.sent < 16 * MAX_ANSWER_BYTES


async def test_many_small_chunks_may_be_larger_than_their_answer() -> None:
    padding = "p" * 10_000
    chunks = [event(padding=padding, choices=[{"index": 0, "delta": {"content": "1"}}])] * 500

    reply, _ = await ask_raw(*chunks, text_event("", "stop"))

    assert len(b"".join(chunks)) > MAX_ANSWER_BYTES
    assert reply.text == "1" * 500


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            {"code": 400, "message": "the request exceeds the available context size"},
            "prompt_too_long",
        ),
        ({"code": "429", "message": "slow down"}, "model_rate_limited"),
        ({"message": "Provider returned error"}, "model_unavailable"),
    ],
)
async def test_an_error_within_a_stream_has_the_meaning_that_it_has_elsewhere(
    error: dict[str, object], expected: str
) -> None:
    with pytest.raises(errors.ModelError) as caught:
        await ask_raw(text_event("{"), event(error=error))

    assert caught.value.code == expected


async def test_text_that_is_no_event_is_no_answer() -> None:
    with pytest.raises(errors.NotAModelServer):
        await ask_raw(b"data: {broken\n\n")


async def test_a_redirect_of_a_streamed_request_is_not_followed(model: ModelServer) -> None:
    elsewhere = LargeAnswer(iter([b"{}"]))

    async with elsewhere.listening() as url:
        model.state.faults.add(
            Fault(path=COMPLETIONS, effect=redirect(f"{url}{COMPLETIONS}", 307), times=None)
        )
        with pytest.raises(errors.NotAModelServer, match="redirects are not followed"):
            await ask(model.base_url)

    assert elsewhere.heard == b""


async def test_keep_alive_comments_and_unknown_fields_are_no_text() -> None:
    reply, ticks = await ask_raw(
        b": PROCESSING\n\n",
        event(choices=[{"index": 0, "delta": {"role": "assistant", "content": ""}}]),
        event(choices=[{"index": 1, "delta": {"content": "another choice"}}]),
        event(choices=[{"index": 0, "delta": {"content": None, "mood": "good"}}]),
        event(choices=None),
        text_event("{}", "stop"),
        event(choices=[], usage={"prompt_tokens": 12, "completion_tokens": 1}),
        b"data: [DONE]\n\n",
    )

    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("{}", 12, 1)
    assert ticks.tokens == [1]


async def test_an_answer_whose_usage_does_not_come_is_complete_all_the_same() -> None:
    reply, _ = await ask_raw(text_event("{}"), text_event("", "length"))

    assert (reply.text, reply.finish_reason, reply.tokens_in) == ("{}", "length", 0)
