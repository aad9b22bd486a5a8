"""Documents whose answers are streamed, and when they are not."""

from collections.abc import AsyncIterator

import pytest

from core.analysis import Capabilities
from core.jobs import JobStatus
from daemon.services import Services
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Mode, Overflow, Streaming, Wrapping
from tests.installation import Installation, drain_one, fields_of, process

FIRST, SECOND, THIRD = 1, 2, 3
PLAIN_AND_PROBE = [False, True]
"""Whether the first call, and the test of the endpoint before the second one, are streamed."""


@pytest.fixture
async def streaming(installation: Installation) -> AsyncIterator[Services]:
    installation.configure(all_fields="replace", stream=True)
    async with installation.open() as services:
        yield services


def streamed(sandbox: Sandbox) -> list[bool]:
    """Return for each call whether a stream was asked for."""
    return [chat.parameters.get("stream") is True for chat in sandbox.model.state.chats()]


def text_of_document(sandbox: Sandbox, id_: int) -> str:
    """Return a piece of a document's text: a prompt that has it is about this document."""
    return sandbox.world.documents[id_].content[:40]


async def outcomes(services: Services, job_id: int) -> list[str]:
    return [call.outcome for call in await services.store.calls.list_for_job(job_id)]


async def known(services: Services, sandbox: Sandbox) -> Capabilities | None:
    where = (sandbox.model.base_url, "sandbox-model")
    return await services.store.capabilities.get(*where, now=services.context.clock())


async def test_the_first_answer_is_plain_and_the_others_are_streamed_after_a_test(
    streaming: Services, sandbox: Sandbox
) -> None:
    first = await process(streaming, FIRST)
    second = await process(streaming, SECOND)
    third = await process(streaming, THIRD)

    assert streamed(sandbox) == [*PLAIN_AND_PROBE, True, True]
    assert await outcomes(streaming, first.job.id) == ["ok"]
    assert await outcomes(streaming, second.job.id) == ["probe", "ok"]
    assert await outcomes(streaming, third.job.id) == ["ok"]
    assert await known(streaming, sandbox) == Capabilities("json_schema", streams=True)


async def test_the_test_of_an_endpoint_contains_no_document_and_leaves_no_answer(
    streaming: Services, sandbox: Sandbox
) -> None:
    await process(streaming, FIRST)
    second = await process(streaming, SECOND)

    _, probe, _ = sandbox.model.state.chats()
    assert text_of_document(sandbox, SECOND) not in str(probe.messages)
    assert probe.response_format is not None
    [answer] = await streaming.store.calls.list_raw_responses(second.job.id)
    assert answer.call.outcome == "ok"


async def test_a_streamed_answer_files_and_costs_the_same(
    installation: Installation, sandbox: Sandbox
) -> None:
    results = []
    for stream in (False, True):
        installation.configure("[limits]\nprice_in = 1\nprice_out = 2\n", stream=stream)
        async with installation.open() as services:
            await process(services, FIRST)
            finished = await process(services, SECOND)
            call = (await services.store.calls.list_for_job(finished.job.id))[-1]
            changes = await services.store.changes.list_for_job(finished.job.id)
            values = {(str(change.field), str(change.after)) for change in changes}
            results.append((values, call.tokens_in, call.tokens_out, call.cost))

    assert streamed(sandbox)[-1]
    assert results[0] == results[1]
    assert results[0][3] > 0


@pytest.mark.parametrize(
    "how", [Streaming.IGNORED, Streaming.REFUSED, Streaming.WITHOUT_USAGE, Streaming.CUT]
)
async def test_a_server_that_does_not_stream_as_needed_gets_plain_calls(
    streaming: Services, sandbox: Sandbox, how: Streaming
) -> None:
    sandbox.model.behave(Behaviour(streaming=how))

    finished = [await process(streaming, id_) for id_ in (FIRST, SECOND, THIRD)]

    assert streamed(sandbox) == [*PLAIN_AND_PROBE, False, False]
    assert {attempt.job.status for attempt in finished} == {JobStatus.COMPLETED}
    assert await known(streaming, sandbox) == Capabilities("json_schema", streams=False)


async def test_streaming_is_tested_in_the_format_of_the_answers(
    streaming: Services, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(modes=frozenset({Mode.JSON_OBJECT})))

    await process(streaming, FIRST)
    await process(streaming, SECOND)

    formats = [chat.response_format for chat in sandbox.model.state.chats()]
    assert formats[1:] == [{"type": "json_object"}] * 3
    assert streamed(sandbox) == [False, False, True, True]


@pytest.mark.parametrize("how", [Streaming.CUT, Streaming.ENDED_EARLY])
async def test_after_a_stream_that_broke_off_the_next_attempt_is_plain(
    streaming: Services, sandbox: Sandbox, installation: Installation, how: Streaming
) -> None:
    broken = Behaviour(streaming=how, only_for=text_of_document(sandbox, SECOND))
    sandbox.model.behave(broken)
    await process(streaming, FIRST)

    failed = await process(streaming, SECOND)
    installation.clock.advance(hours=1)
    retried = await drain_one(streaming)

    assert failed.job.status is JobStatus.PENDING
    assert failed.job.problem is not None
    assert failed.job.problem.code == "answer_interrupted"
    assert retried.job.status is JobStatus.COMPLETED
    assert await outcomes(streaming, failed.job.id) == ["probe", "answer_interrupted", "ok"]
    assert streamed(sandbox) == [*PLAIN_AND_PROBE, True, False]


async def test_a_stream_that_broke_off_is_charged_with_its_prompt_and_its_tokens_so_far(
    streaming: Services, sandbox: Sandbox
) -> None:
    text = text_of_document(sandbox, SECOND)
    sandbox.model.behave(Behaviour(streaming=Streaming.CUT, only_for=text))
    await process(streaming, FIRST)

    failed = await process(streaming, SECOND)

    *_, call = await streaming.store.calls.list_for_job(failed.job.id)
    assert call.tokens_in > 100
    assert call.tokens_out > 5


async def test_a_stream_that_stalls_is_a_failed_call_and_the_endpoint_is_not_on_hold(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('timeout = "1s"\n', stream=True)
    text = text_of_document(sandbox, SECOND)
    sandbox.model.behave(Behaviour(streaming=Streaming.STALLED, only_for=text))

    async with installation.open() as services:
        await process(services, FIRST)
        failed = await process(services, SECOND)
        holds = await services.store.holds.list_active()

    assert failed.job.problem is not None
    assert failed.job.problem.code == "answer_interrupted"
    assert failed.job.attempts == 1
    assert holds == ()


async def test_a_stream_that_no_longer_reports_its_usage_is_the_last(
    streaming: Services, sandbox: Sandbox
) -> None:
    text = text_of_document(sandbox, SECOND)
    sandbox.model.behave(Behaviour(streaming=Streaming.WITHOUT_USAGE, only_for=text))
    await process(streaming, FIRST)

    await process(streaming, SECOND)
    await process(streaming, THIRD)

    assert streamed(sandbox) == [*PLAIN_AND_PROBE, True, False]


async def test_a_server_that_refuses_streams_since_an_update_gets_a_plain_call_next_time(
    streaming: Services, sandbox: Sandbox, installation: Installation
) -> None:
    await process(streaming, FIRST)
    await process(streaming, SECOND)
    sandbox.model.behave(Behaviour(streaming=Streaming.REFUSED))

    failed = await process(streaming, THIRD)
    installation.clock.advance(hours=1)
    retried = await drain_one(streaming)

    assert failed.job.status is JobStatus.PENDING
    assert retried.job.status is JobStatus.COMPLETED


async def test_a_cut_prompt_is_noticed_in_a_stream(streaming: Services, sandbox: Sandbox) -> None:
    await process(streaming, FIRST)
    sandbox.world.documents[SECOND].content += "\nArbeitspreis 31,40 ct/kWh" * 400
    sandbox.model.behave(Behaviour(context=1000, overflow=Overflow.SILENT))

    finished = await process(streaming, SECOND)

    assert streamed(sandbox)[-1]
    assert finished.job.problem is not None
    assert finished.job.problem.code == "prompt_cut"


async def test_thoughts_in_a_stream_are_no_part_of_the_answer(
    streaming: Services, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(wrapping=frozenset({Wrapping.REASONING_CONTENT})))
    await process(streaming, FIRST)

    finished = await process(streaming, SECOND)

    assert streamed(sandbox)[-1]
    assert finished.job.status is JobStatus.COMPLETED
    assert fields_of(sandbox, SECOND)["correspondent"] is not None


async def test_without_the_setting_nothing_is_streamed_or_tested(
    services: Services, sandbox: Sandbox
) -> None:
    await process(services, FIRST)
    await process(services, SECOND)

    assert streamed(sandbox) == [False, False]
