"""The client of a model server, on real ports: size limits of responses, and connections."""

import asyncio
import threading

import pytest

from core.analysis import Capabilities
from core.calendar import utc_now
from core.jobs import JobStatus
from daemon.services import Services
from processor.analysis import errors
from processor.analysis.model import JSON_SCHEMA, MAX_ANSWER_BYTES, Endpoint, ModelClient
from processor.analysis.prompt import Prompt
from processor.holds import ProbeLedger
from sandbox import Sandbox
from sandbox.faults import Answer, Fault, redirect
from tests.installation import COMPLETIONS, HOME, process, snapshot
from tests.large_answers import MEGABYTE, LargeAnswer, compressed, endless, zeros

PROMPT = Prompt(system="Answer.", user="Ein Brief.", fields=(), schema={}, left_out=0)
GZIP = "Content-Encoding: gzip\r\n"


def ignore_tokens(tokens: int, *, is_thinking: bool) -> None:
    pass


async def ask(server: LargeAnswer) -> None:
    async with server.listening() as url:
        model = ModelClient(Endpoint(f"{url}/v1", "some-model"), clock=utc_now)
        try:
            await model.complete(
                PROMPT, Capabilities(JSON_SCHEMA), limit=100, on_token=ignore_tokens
            )
        finally:
            await model.close()


async def test_an_endless_answer_is_given_up_at_the_limit() -> None:
    server = LargeAnswer(endless())

    with pytest.raises(errors.AnswerTooLarge, match="larger than 4 MB"):
        await ask(server)

    # The socket buffers of both sides come on top.
    assert server.sent < MAX_ANSWER_BYTES + 16 * MEGABYTE


@pytest.mark.parametrize(("times", "headers"), [(1, GZIP), (2, "Content-Encoding: gzip, gzip\r\n")])
async def test_an_answer_is_measured_as_it_is_after_decompression(times: int, headers: str) -> None:
    server = LargeAnswer(compressed(zeros(16 * MEGABYTE), times=times), headers=headers)

    with pytest.raises(errors.AnswerTooLarge):
        await ask(server)

    assert server.sent < MEGABYTE


async def test_a_compressed_answer_is_read() -> None:
    completion = b'{"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]}'
    server = LargeAnswer(compressed(iter([completion])), headers=GZIP)

    await ask(server)

    assert b"Ein Brief." not in server.heard  # the head of the request alone


async def test_too_large_an_error_is_known_by_its_status() -> None:
    with pytest.raises(errors.ModelUnavailable, match="answered 503"):
        await ask(LargeAnswer(endless(), status=503))


async def test_a_list_of_models_is_read_up_to_the_same_limit() -> None:
    async with LargeAnswer(endless()).listening() as url:
        model = ModelClient(Endpoint(f"{url}/v1", "some-model"), clock=utc_now)
        with pytest.raises(errors.AnswerTooLarge):
            await model.list_models()
        await model.close()


async def test_a_document_whose_answer_is_too_large_is_tried_again(
    services: Services, sandbox: Sandbox
) -> None:
    large = Answer(status=200, body="x" * (MAX_ANSWER_BYTES + 1))
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, effect=large))

    finished = await process(services)

    assert finished.job.status is JobStatus.PENDING
    assert finished.job.problem is not None
    assert finished.job.problem.code == "answer_too_large"
    [call] = await services.store.calls.list_for_job(finished.job.id)
    assert call.outcome == "answer_too_large"
    assert call.tokens_in > 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_of_the_model_server_carries_no_document_to_another_host(
    services: Services, sandbox: Sandbox, status: int
) -> None:
    before = snapshot(sandbox)
    elsewhere = LargeAnswer(iter([b"{}"]))

    async with elsewhere.listening() as url:
        sandbox.model.state.faults.add(
            Fault(path=COMPLETIONS, effect=redirect(f"{url}{COMPLETIONS}", status), times=None)
        )
        finished = await process(services)

    assert elsewhere.heard == b""
    assert finished.job.status is JobStatus.PENDING
    assert finished.job.problem is not None
    assert finished.job.problem.code == "not_a_model_server"
    assert snapshot(sandbox) == before


async def test_an_answer_is_read_while_everything_else_goes_on(services: Services) -> None:
    instance, others_went_on = services.instances[HOME], threading.Event()

    def read(_: str) -> bool:
        loop.call_soon_threadsafe(others_went_on.set)
        return others_went_on.wait(timeout=60)

    loop = asyncio.get_running_loop()
    answered = await instance.model.ask(
        PROMPT, parse=read, ledger=ProbeLedger(services.store, instance)
    )

    assert answered.value
