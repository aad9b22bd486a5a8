"""What is booked for a call that brings no answer: what was sent may have to be paid for."""

import asyncio
from decimal import Decimal

import pytest

from core.analysis import ModelCall
from core.jobs import JobStatus
from sandbox import Sandbox
from sandbox.faults import Answer, Cut, Effect, Fault, Hang, html_page, too_many_requests
from sandbox.model.behaviour import Behaviour, Usage
from tests.installation import (
    COMPLETIONS,
    MODEL_BLOCKED,
    Installation,
    blocking,
    drain,
    enqueue_document,
    process,
)
from tests.store.builders import FakeClock
from tests.waiting import SOON


@pytest.fixture
def paying(installation: Installation) -> Installation:
    """An installation whose model costs something, and is not waited for long."""
    installation.configure("[limits]\nprice_in = 1\nprice_out = 1\n", all_fields="replace")
    return installation


def hurry(installation: Installation) -> None:
    settings = installation.settings_file.read_text()
    installation.settings_file.write_text(settings.replace("[ai]", '[ai]\ntimeout = "1s"'))


async def booked_for(installation: Installation) -> ModelCall:
    """Work on a document, and return what is booked for the one call that it took."""
    async with installation.open() as services:
        finished = await process(services)
        [call] = await services.store.calls.list_for_job(finished.job.id)
    return call


async def test_a_cancelled_call_keeps_what_its_prompt_is_expected_to_cost(
    paying: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with paying.open() as services:
        job = await enqueue_document(services, 1)
        async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, drain(services)) as draining:
            [reserved] = await services.store.calls.list_for_job(job.id)
            await services.store.jobs.cancel(job.id, by="hand", now=clock())
            [finished] = await asyncio.wait_for(draining, SOON)
        [call] = await services.store.calls.list_for_job(job.id)

    assert (finished.job.status, call.outcome) == (JobStatus.CANCELLED, "cancelled")
    assert (call.tokens_in, call.tokens_out) == (reserved.tokens_in, 0)
    assert reserved.cost > call.cost == Decimal(reserved.tokens_in) / 1_000_000


@pytest.mark.parametrize("effect", [Hang(), Cut()])
async def test_a_call_whose_answer_is_lost_keeps_what_its_prompt_is_expected_to_cost(
    paying: Installation, sandbox: Sandbox, effect: Effect
) -> None:
    hurry(paying)
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, effect=effect))

    call = await booked_for(paying)

    assert call.outcome == "model_unavailable"
    assert (call.tokens_in > 500, call.tokens_out) == (True, 0)
    assert call.cost == Decimal(call.tokens_in) / 1_000_000


@pytest.mark.parametrize(
    "effect",
    [
        *(Answer(status=status) for status in (401, 402, 403, 404, 500, 503)),
        too_many_requests(retry_after=5),
        html_page(),
        Answer(status=200, body='{"error": "busy"}', headers={"content-type": "application/json"}),
    ],
)
async def test_an_answer_that_is_an_error_costs_nothing(
    paying: Installation, sandbox: Sandbox, effect: Effect
) -> None:
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, effect=effect))

    call = await booked_for(paying)

    assert (call.tokens_in, call.tokens_out, call.cost) == (0, 0, Decimal(0))


async def test_a_connection_that_was_never_made_costs_nothing(
    paying: Installation, sandbox: Sandbox
) -> None:
    sandbox.model.stop()

    call = await booked_for(paying)

    assert (call.outcome, call.tokens_in, call.cost) == ("not_connected", 0, Decimal(0))


@pytest.mark.parametrize("usage", [Usage.NEGATIVE, Usage.BOOLEAN, Usage.ABSURD])
async def test_token_counts_that_cannot_be_true_are_replaced_by_the_estimate(
    paying: Installation, sandbox: Sandbox, usage: Usage
) -> None:
    sandbox.model.behave(Behaviour(usage=Usage.OMITTED))
    estimated = await booked_for(paying)
    sandbox.model.behave(Behaviour(usage=usage))

    async with paying.open() as services:
        finished = await process(services, 2)
        [call] = await services.store.calls.list_for_job(finished.job.id)

    assert (finished.job.status, call.outcome) == (JobStatus.COMPLETED, "ok")
    assert call.tokens_out == estimated.tokens_out
    assert 500 < call.tokens_in < 2 * estimated.tokens_in
    assert call.cost == Decimal(call.tokens_in + call.tokens_out) / 1_000_000
