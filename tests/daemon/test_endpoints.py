"""For which endpoint jobs rest: that of who does the work, whatever a command reads meanwhile."""

import asyncio
from datetime import timedelta

import pytest

from core.calendar import utc_now
from core.jobs import JobStatus
from daemon.context import open_context
from daemon.services import Services
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Failure, FailureScope
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_daemon
from tests.daemon.test_run import enqueue, jobs_in
from tests.installation import HOME, Installation, drain, enqueue_document
from tests.store.builders import FakeClock

DOWN = Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING)
LOOKS = [
    ("check",),
    ("models", HOME),
    ("explain", f"{HOME}/1"),
    ("names", "list"),
    ("names", "unused"),
]


def endpoints(installation: Installation) -> dict[str, str]:
    """Read for which endpoint the jobs of each instance rest."""

    async def read() -> dict[str, str]:
        async with open_context(installation.options) as context:
            return {
                instance.name: instance.endpoint
                for instance in await context.store.instances.list_all()
            }

    return asyncio.run(read())


def ask_for_a_scan(installation: Installation) -> None:
    async def ask() -> None:
        async with open_context(installation.options) as context:
            await context.store.scans.request(HOME, asked_by="hand", now=utc_now())

    asyncio.run(ask())


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_who_only_looks_makes_no_instance_known(
    installation: Installation, paperclerk: Paperclerk, words: tuple[str, ...]
) -> None:
    said = paperclerk(*words)

    assert (said.code, endpoints(installation)) == (0, {}), said.err


def test_a_command_without_a_daemon_does(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    assert paperclerk("scan-now", "--limit", "1").code == 0

    assert list(endpoints(installation)) == [HOME]


def test_commands_beside_a_daemon_leave_the_jobs_resting_that_wait_for_its_model(
    installation: Installation,
    sandbox: Sandbox,
    paperclerk: Paperclerk,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sandbox.model.behave(DOWN)
    enqueue(installation, 1, 2, 3)

    with a_daemon(installation) as daemon:
        daemon.wait_for("endpoint held")
        before = endpoints(installation)
        # Set for the commands only: the daemon would load a changed settings file.
        monkeypatch.setenv("PAPERCLERK_HOME_AI__API_KEY", "another")
        for words in LOOKS:
            paperclerk(*words)
        scans = daemon.log.count("scan finished")
        ask_for_a_scan(installation)
        daemon.wait_for("scan finished", times=scans + 1)

    assert endpoints(installation) == before
    jobs = jobs_in(installation)
    assert {(job.status, job.attempts) for job in jobs} == {(JobStatus.PENDING, 0)}
    assert sum(job.claim for job in jobs) == 1, daemon.log


async def test_what_is_given_back_because_of_a_hold_that_stands_waits_for_its_next_probe(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(DOWN)
    await enqueue_document(services, 1)
    await drain(services)
    # As if another process had other settings: the hold is there, and the claim does not see it.
    await services.store.instances.register(HOME, endpoint="elsewhere", now=clock())
    for id_ in (2, 3):
        await enqueue_document(services, id_)

    others = [finished.job for finished in await drain(services) if finished.job.document.id != 1]

    in_a_minute = clock() + timedelta(minutes=1)
    states = [(job.claim, job.attempts, job.scheduled_for) for job in others]
    assert states == [(1, 0, in_a_minute)] * 2
