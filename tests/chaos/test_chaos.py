"""A daemon behind proxies that misbehave: everything ends done or accounted for, and once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.changes import ChangeState
from core.jobs import Job, JobStatus
from daemon.wiring import Clerk
from processor.keeper import HoldKeeper
from processor.processor import Manner
from sandbox import Sandbox
from sandbox.paperless import World, load_world
from scanner.watch import Watch
from tests.chaos.proxy import ChaosProxy, Mood
from tests.office import HOME, Office, fields_of, home
from tests.store.builders import FakeClock

HOURS = 12
"""After so many hours of the daemon's time everything must have come to its end."""


@pytest.fixture
def world() -> World:
    """Forty letters."""
    return load_world()


@contextmanager
def chaos_before(
    office: Office, sandbox: Sandbox, seed: int, share: float
) -> Iterator[tuple[ChaosProxy, ...]]:
    """Put a bad proxy before Paperless, and another before the model."""
    paperless_port, model_port = int(sandbox.url[-5:]), int(sandbox.model.url[-5:])
    with (
        ChaosProxy(paperless_port, Mood(seed, share)) as paperless,
        ChaosProxy(model_port, Mood(seed + 1, share)) as model,
    ):
        office.configure("[limits]\ndocuments_per_day = 0\n", all_fields="replace")
        settings = office.settings_file.read_text()
        settings = settings.replace(sandbox.url, paperless.url).replace(
            sandbox.model.url, model.url
        )
        settings = settings.replace("[paperless]", '[paperless]\ntimeout = "1s"')
        settings = settings.replace("[ai]", '[ai]\ntimeout = "1s"')
        office.settings_file.write_text(settings)
        yield paperless, model


async def live_through(clerk: Clerk, clock: FakeClock, *, hours: int) -> None:
    """Be the daemon for so many hours, in steps of five minutes."""
    watch = Watch(clerk.watched, store=clerk.store, clock=clock, found=lambda: None)
    keeper = HoldKeeper(clerk.store, clerk.instances, clock=clock, lifted=lambda: None)
    processor = clerk.processor(Manner(parallel=3))
    for _ in range(hours * 12):
        clock.advance(minutes=5)
        await keeper.look()
        await watch.look_at(HOME)
        async for _ in processor.drain():
            pass
        if await is_over(clerk):
            return


async def is_over(clerk: Clerk) -> bool:
    tally = await clerk.store.jobs.tally_all(HOME)
    ended = tally[JobStatus.COMPLETED] + tally[JobStatus.FAILED] + tally[JobStatus.CANCELLED]
    live = tally[JobStatus.PENDING] + tally[JobStatus.PROCESSING]
    good = [one for one in await clerk.store.scans.list(HOME) if one.problem is None]
    return bool(good) and ended > 0 and live == 0


@pytest.mark.parametrize("seed", [1, 20])
async def test_whatever_a_proxy_does_every_document_is_done_once_or_accounted_for(
    office: Office, sandbox: Sandbox, clock: FakeClock, seed: int
) -> None:
    expected = set(sandbox.world.documents)
    with chaos_before(office, sandbox, seed, share=0.06) as proxies:
        async with office.open() as clerk:
            await live_through(clerk, clock, hours=HOURS)

            jobs = await clerk.store.jobs.list(limit=1000)
            assert sum(len(proxy.done) for proxy in proxies) > 10
            assert {job.document.id for job in jobs} == expected
            assert Counter(job.document.id for job in jobs).most_common(1)[0][1] == 1
            assert {job.status for job in jobs} <= {JobStatus.COMPLETED, JobStatus.FAILED}
            for job in jobs:
                await _audit(clerk, sandbox, job)

            for proxy in proxies:
                proxy.is_calm = True
            for job in jobs:
                if job.status is JobStatus.FAILED:
                    await clerk.store.jobs.restart(job.id, by="hand", now=clock())
            await live_through(clerk, clock, hours=1)
            tally = await clerk.store.jobs.tally_all(HOME)
            assert tally[JobStatus.COMPLETED] == len(expected)
    assert {count for _, count in writes_carried_out(sandbox).items()} == {1}
    assert {count for _, count in names_in_use(sandbox).items()} == {1}


def writes_carried_out(sandbox: Sandbox) -> Counter[tuple[str, str, str]]:
    """Count how often each value was written to each document, by what Paperless was sent."""
    return Counter(
        (one.path, field, str(value))
        for one in sandbox.paperless.requests
        if one.method == "PATCH" and one.status == 200 and isinstance(one.body, dict)
        for field, value in one.body.items()
    )


def names_in_use(sandbox: Sandbox) -> Counter[tuple[str, str]]:
    """Count names that a person would take for the same."""
    names = sandbox.world.names
    return Counter((kind, name.name.casefold()) for kind in names for name in names[kind].values())


async def _audit(clerk: Clerk, sandbox: Sandbox, job: Job) -> None:
    """Hold what the store says of a document against what Paperless has."""
    changes = await clerk.store.changes.of_document(home(job.document.id))
    open_ends = [one for one in changes if one.state is ChangeState.INTENDED]
    if job.status is JobStatus.COMPLETED:
        assert open_ends == []
    else:
        assert job.problem is not None
    told = fields_of(sandbox, job.document.id)
    for change in changes:
        if change.state is ChangeState.APPLIED and change.field == "title":
            assert told["title"] == change.after
