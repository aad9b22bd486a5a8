"""A server that lists its models to everybody is asked a question, without a document."""

from datetime import timedelta

import pytest

from core.documents import DocumentRef
from core.jobs import JobStatus, NewJob
from daemon.services import Services
from processor.holds import HoldMonitor
from sandbox import Sandbox
from sandbox.faults import Answer, Fault, Hang
from sandbox.model.behaviour import Behaviour, Failure, FailureScope, Parameter
from sandbox.model.state import LoggedChat
from tests.installation import (
    COMPLETIONS,
    HOME,
    Installation,
    drain,
    enqueue_document,
    fields_of,
    process,
)
from tests.store.builders import FakeClock

REFUSALS = (
    Behaviour(failure=Failure.INSUFFICIENT_QUOTA),
    Behaviour(failure=Failure.PAYMENT_REQUIRED),
    Behaviour(failure=Failure.WRONG_KEY),
    Behaviour(failure=Failure.KEY_NOT_VALID),
    Behaviour(failure=Failure.RATE_LIMITED, retry_after="3600"),
    Behaviour(failure=Failure.INSUFFICIENT_QUOTA, retry_after="3600"),
)
NO_QUOTA = REFUSALS[0]
ALL = (1, 2, 3)


def build_monitor(services: Services) -> HoldMonitor:
    return HoldMonitor(
        services.store, services.instances, clock=services.context.clock, on_lifted=lambda: None
    )


async def pass_by(services: Services, clock: FakeClock, *, minutes: int) -> None:
    """Be the daemon for so many minutes."""
    monitor = build_monitor(services)
    for _ in range(minutes):
        clock.advance(minutes=1)
        await monitor.check_due()
        await drain(services)


async def job_states(services: Services) -> set[tuple[JobStatus, int]]:
    return {(job.status, job.attempts) for job in await services.store.jobs.list()}


def tiny(sandbox: Sandbox) -> list[LoggedChat]:
    """Return the questions that were asked without a document."""
    begins = [beginning(sandbox, id_) for id_ in ALL]
    chats = sandbox.model.state.chats()
    return [chat for chat in chats if not any(begin in asked(chat) for begin in begins)]


def beginning(sandbox: Sandbox, id_: int = 1) -> str:
    return str(fields_of(sandbox, id_)["content"])[:40]


def asked(chat: LoggedChat) -> str:
    messages = chat.messages if isinstance(chat.messages, list) else []
    return "\n".join(str(message["content"]) for message in messages)


@pytest.mark.parametrize(
    "refusal", REFUSALS, ids=lambda refusal: f"{refusal.failure} {refusal.retry_after}"
)
async def test_a_server_that_answers_no_question_uses_up_no_attempt(
    services: Services, sandbox: Sandbox, clock: FakeClock, refusal: Behaviour
) -> None:
    sandbox.model.behave(refusal)
    for id_ in ALL:
        await enqueue_document(services, id_)

    await drain(services)
    await pass_by(services, clock, minutes=6 * 60)
    waiting = await job_states(services)
    chats, without = len(sandbox.model.state.chats()), len(tiny(sandbox))
    sandbox.model.behave(Behaviour())
    await pass_by(services, clock, minutes=61 if refusal.retry_after else 5)

    assert waiting == {(JobStatus.PENDING, 0)}
    assert await job_states(services) == {(JobStatus.COMPLETED, 1)}
    # One document found out; then one probe an hour, or every five minutes.
    assert chats - without == 1
    assert without <= (8 if refusal.retry_after else 80)
    assert await services.store.holds.list_active() == ()


async def test_the_hold_says_why_and_comes_back_when_the_server_said(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(Behaviour(failure=Failure.RATE_LIMITED, retry_after="3600"))

    await process(services)

    [hold] = await services.store.holds.list_active()
    assert hold.target == services.instances[HOME].model_target
    assert str(hold.cause).startswith("all requests fail: the model server answered 429")
    assert hold.next_probe_at == clock() + timedelta(hours=1)


async def test_a_document_that_is_too_large_for_a_rate_limit_is_charged_and_the_others_go_on(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(failure=Failure.RATE_LIMITED, only_for=beginning(sandbox)))
    for id_ in ALL:
        await enqueue_document(services, id_)

    ended = {outcome.job.document.id: outcome.job for outcome in await drain(services)}

    assert (ended[1].status, ended[1].attempts) == (JobStatus.PENDING, 1)
    assert ended[1].problem is not None
    assert ended[1].problem.code == "model_rate_limited"
    assert {ended[2].status, ended[3].status} == {JobStatus.COMPLETED}
    assert await services.store.holds.list_active() == ()
    assert len(tiny(sandbox)) == 1


async def test_the_question_is_tiny_and_booked_without_a_job(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure("[limits]\nprice_in = 1\nprice_out = 1\n", all_fields="replace")
    sandbox.model.behave(Behaviour(failure=Failure.RATE_LIMITED, only_for=beginning(sandbox)))
    async with installation.open() as services:
        finished = await process(services)
        of_job = await services.store.calls.list_for_job(finished.job.id)
        spent = await services.store.calls.sum_spending(HOME, since=clock() - timedelta(days=1))

    [chat] = tiny(sandbox)
    assert chat.response_format is None
    assert chat.parameters["max_tokens"] == 1
    assert len(asked(chat)) < 100
    assert (len(of_job), spent.calls, spent.documents) == (1, 2, 1)
    assert 0 < spent.tokens_in < 50
    assert spent.cost > 0


async def test_a_list_of_models_that_is_up_does_not_end_such_a_hold(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(all_fields="replace")
    sandbox.model.behave(NO_QUOTA)
    async with installation.open() as services:
        await process(services)
    clock.advance(minutes=1)

    async with installation.open() as services:
        await build_monitor(services).check_all()
        [hold] = await services.store.holds.list_active()
        # Meanwhile not even the list is there; when it is, the question still decides.
        sandbox.model.behave(Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING))
        clock.advance(minutes=5)
        await build_monitor(services).check_due()
        sandbox.model.behave(NO_QUOTA)
        clock.advance(minutes=5)
        await build_monitor(services).check_due()
        still = await services.store.holds.list_active()
        sandbox.model.behave(Behaviour())
        clock.advance(minutes=5)
        await build_monitor(services).check_due()

        assert hold.probes == 1
        assert [hold.probes for hold in still] == [3]
        assert await services.store.holds.list_active() == ()


async def test_of_two_who_share_an_endpoint_the_one_with_the_outage_asks(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(all_fields="replace")
    settings = installation.settings_file.read_text()
    (installation.config / "study.toml").write_text(
        settings.replace("sandbox-model", "other-model")
    )
    models = ("sandbox-model", "other-model")
    sandbox.model.behave(Behaviour(models=models, failure=Failure.RATE_LIMITED))
    async with installation.open() as services:
        await services.store.jobs.enqueue(NewJob(DocumentRef("study", 1)), now=clock())
        await drain(services)
        clock.advance(minutes=1)

        await build_monitor(services).check_due()

    assert [chat.model for chat in sandbox.model.state.chats()] == ["other-model"] * 3


async def test_any_other_outage_is_over_when_the_list_is_there(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING))
    await process(services)
    sandbox.model.behave(Behaviour())
    clock.advance(minutes=1)

    await build_monitor(services).check_due()

    assert await services.store.holds.list_active() == ()
    assert tiny(sandbox) == []


async def test_a_question_that_is_not_answered_in_time_is_an_answer(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(
        Fault(path=COMPLETIONS, effect=Answer(status=401)),
        Fault(path=COMPLETIONS, effect=Hang(seconds=0.1)),
    )

    finished = await process(services)

    assert finished.job.attempts == 0
    [hold] = await services.store.holds.list_active()
    assert str(hold.cause).startswith("all requests fail: ")


async def test_a_server_that_dislikes_the_form_of_the_question_does_answer(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(rejects=frozenset({Parameter.MAX_TOKENS})))
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, effect=Answer(status=401)))

    finished = await process(services)

    assert finished.job.attempts == 1
    assert await services.store.holds.list_active() == ()
