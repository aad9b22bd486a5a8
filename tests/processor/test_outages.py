"""An outage is nobody's fault: what is down is held, and the attempt is refunded."""

from datetime import timedelta

import pytest

from core.jobs import JobStatus
from daemon.services import Services
from processor.holds import probe_model, probe_paperless
from sandbox import Sandbox
from sandbox.faults import Answer, Fault, html_page, redirect, too_many_requests
from sandbox.model.behaviour import Behaviour, Failure, FailureScope, UnknownModel
from tests.installation import (
    COMPLETIONS,
    HOME,
    Installation,
    drain,
    enqueue_document,
    fields_of,
    process,
    writes,
)
from tests.store.builders import FakeClock


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (Failure.WRONG_KEY, "Incorrect API key"),
        (Failure.PAYMENT_REQUIRED, "Insufficient credits"),
        (Failure.INSUFFICIENT_QUOTA, "exceeded your current quota"),
        (Failure.RATE_LIMITED, "Rate limit reached"),
        (Failure.SERVER_ERROR, "had an error"),
        (Failure.UNAVAILABLE, "server is busy"),
    ],
)
async def test_a_model_server_that_fails_without_a_document_too_is_held(
    services: Services, sandbox: Sandbox, clock: FakeClock, failure: Failure, code: str
) -> None:
    sandbox.model.behave(Behaviour(failure=failure, reach=FailureScope.EVERYTHING))

    finished = await process(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
    [hold] = await services.store.holds.list_active()
    assert hold.target == services.instances[HOME].model_target
    assert code in str(hold.cause)
    assert hold.next_probe_at == clock() + timedelta(minutes=1)
    assert writes(sandbox) == []


async def test_a_held_queue_waits_and_asks_nothing(services: Services, sandbox: Sandbox) -> None:
    sandbox.model.behave(Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING))
    await enqueue_document(services, 1)
    await enqueue_document(services, 2)

    first = await drain(services)
    second = await drain(services)

    assert (len(first), second) == (1, [])
    assert len(sandbox.model.state.chats()) == 1
    assert await services.store.jobs.count_held(HOME) == 2


async def test_the_server_says_how_long_it_wants_to_be_left_alone(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(
        Behaviour(failure=Failure.RATE_LIMITED, reach=FailureScope.EVERYTHING, retry_after="90")
    )

    await process(services)

    [hold] = await services.store.holds.list_active()
    assert hold.next_probe_at == clock() + timedelta(seconds=90)


@pytest.mark.parametrize(("said", "probe_said", "seconds"), [(90, 30, 90), (30, 90, 90)])
async def test_of_two_who_want_to_be_left_alone_the_longer_time_counts(
    services: Services, sandbox: Sandbox, clock: FakeClock, said: int, probe_said: int, seconds: int
) -> None:
    sandbox.model.state.faults.add(
        Fault(path=COMPLETIONS, effect=too_many_requests(retry_after=said)),
        Fault(path="/v1/models", effect=too_many_requests(retry_after=probe_said)),
    )

    await process(services)

    [hold] = await services.store.holds.list_active()
    assert hold.next_probe_at == clock() + timedelta(seconds=seconds)


async def test_a_model_that_does_not_exist_is_reported_by_its_name(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(models=("other",), unknown_model=UnknownModel.REFUSED))

    finished = await process(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
    [hold] = await services.store.holds.list_active()
    assert str(hold.cause) == "the model server has no model sandbox-model"
    [call] = await services.store.calls.list_for_job(finished.job.id)
    assert call.outcome == "model_not_found"


async def test_a_model_server_that_is_down_is_held(services: Services, sandbox: Sandbox) -> None:
    sandbox.model.stop()

    finished = await process(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
    [hold] = await services.store.holds.list_active()
    assert "no connection to the model" in str(hold.cause)


async def test_the_list_of_models_being_up_makes_it_the_documents_fault(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.COMPLETIONS))

    finished = await process(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 1)
    assert await services.store.holds.list_active() == ()


@pytest.mark.parametrize(
    ("effect", "cause"),
    [
        (Answer(status=503), "503"),
        (Answer(status=401), "401"),
        (html_page(), "HTML"),
        (redirect("/accounts/login/"), "302"),
        (Answer(status=406), "406"),
    ],
)
async def test_a_paperless_that_fails_without_a_document_too_is_held(
    services: Services, sandbox: Sandbox, effect: Answer, cause: str
) -> None:
    await enqueue_document(services, 1)
    sandbox.paperless.faults.add(Fault(times=None, effect=effect))

    [finished] = await drain(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
    [hold] = await services.store.holds.list_active()
    assert hold.target == services.instances[HOME].paperless_target
    assert cause.casefold() in str(hold.cause).casefold()


async def test_a_paperless_that_asks_for_patience_gets_it(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    await enqueue_document(services, 1)
    sandbox.paperless.faults.add(Fault(times=None, effect=too_many_requests(retry_after=120)))

    await drain(services)

    [hold] = await services.store.holds.list_active()
    assert hold.next_probe_at == clock() + timedelta(minutes=2)


@pytest.mark.parametrize("who", ["model", "paperless"])
@pytest.mark.parametrize("said", ["999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
async def test_a_server_that_wants_to_be_left_alone_for_ever_is_asked_again_after_an_hour(
    services: Services, sandbox: Sandbox, clock: FakeClock, who: str, said: str
) -> None:
    faults = sandbox.model.state.faults if who == "model" else sandbox.paperless.faults
    await enqueue_document(services, 1)
    faults.add(Fault(times=None, effect=too_many_requests(retry_after=said)))

    [finished] = await drain(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
    [hold] = await services.store.holds.list_active()
    assert hold.next_probe_at == clock() + timedelta(hours=1)


async def test_a_daily_quota_is_left_alone_for_a_day_at_most(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    used_up = Answer(
        status=429,
        body='{"error": {"message": "Limit of 50 requests per day reached"}}',
        headers={"content-type": "application/json", "retry-after": "200000"},
    )
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, times=None, effect=used_up))

    finished = await process(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
    [hold] = await services.store.holds.list_active()
    assert hold.next_probe_at == clock() + timedelta(days=1)


async def test_a_document_that_breaks_paperless_is_charged_and_holds_nothing(
    services: Services, sandbox: Sandbox
) -> None:
    broken = Fault(path="/api/documents/1/", times=None, effect=Answer(status=500))
    sandbox.paperless.faults.add(broken)

    finished = await process(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 1)
    assert await services.store.holds.list_active() == ()


async def test_a_forbidden_document_holds_nothing(services: Services, sandbox: Sandbox) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("change_document")

    finished = await process(services)

    assert finished.job.problem is not None
    assert finished.job.problem.code == "document_forbidden"
    assert await services.store.holds.list_active() == ()
    assert fields_of(sandbox)["title"] == "scan_0031"


async def test_probes_find_nothing_wrong_with_a_healthy_world(services: Services) -> None:
    instance = services.instances[HOME]

    assert await probe_paperless(instance) is None
    assert await probe_model(instance) is None


async def test_a_wrong_key_is_refused_and_never_shown(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.model.state.api_key = "sk-right"
    installation.configure(all_fields="replace")
    settings = installation.settings_file.read_text().replace("[ai]", '[ai]\napi_key = "sk-wrong"')
    installation.settings_file.write_text(settings)

    async with installation.open() as services:
        await process(services)
        [hold] = await services.store.holds.list_active()

    assert "sk-wrong" not in f"{hold.cause} {hold.target}"
