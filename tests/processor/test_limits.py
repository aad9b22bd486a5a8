"""Limits: a day and a month begin where the owner lives, and nothing is spent beyond them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from actions.decisions import Edits, accept
from core.holds import limit_target
from core.jobs import APPLY, DRY_RUN, JobStatus
from core.spending import LimitKind
from processor.holds import HoldMonitor
from processor.instance import Budget, Prices
from sandbox import Sandbox
from scanner.scan import ScanOrder
from tests.installation import (
    HOME,
    MODEL_BLOCKED,
    Installation,
    blocking,
    drain,
    drain_one,
    enqueue_document,
    home,
)
from tests.store.builders import FakeClock

BERLIN = Budget(zone=ZoneInfo("Europe/Berlin"))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "anew"),
    [
        (LimitKind.DOCUMENTS_PER_DAY, "2026-11-16T23:00"),
        (LimitKind.COST_PER_MONTH, "2026-11-30T23:00"),
    ],
)
def test_a_limit_begins_anew_where_the_owner_lives(kind: LimitKind, anew: str) -> None:
    assert BERLIN.resumes_at(kind, utc("2026-11-16T10:00")) == utc(anew)


def test_a_price_is_that_of_a_million_tokens() -> None:
    prices = Prices(Decimal("0.5"), Decimal(2))

    assert prices.cost(tokens_in=2_000_000, tokens_out=500_000) == Decimal(2)


def limited(installation: Installation, tables: str) -> None:
    installation.configure(f"[limits]\n{tables}\n", all_fields="replace")
    (installation.config / "daemon.toml").write_text('time_zone = "Europe/Berlin"\n')


async def test_a_limit_of_documents_holds_the_model_until_midnight(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    limited(installation, "documents_per_day = 1")
    async with installation.open() as services:
        for id_ in (1, 2, 3):
            await enqueue_document(services, id_)

        today = [outcome.job.status for outcome in await drain(services)]
        [hold] = await services.store.holds.list_active()

        assert today == [JobStatus.COMPLETED, JobStatus.PENDING]
        assert hold.target == limit_target(HOME)
        assert hold.next_probe_at == BERLIN.resumes_at(LimitKind.DOCUMENTS_PER_DAY, clock())
        assert len(sandbox.model.state.chats()) == 1


async def test_a_limit_of_cost_stops_before_it_is_passed(
    installation: Installation, sandbox: Sandbox
) -> None:
    limited(installation, "cost_per_month = 0.004\nprice_in = 1\nprice_out = 1")
    async with installation.open() as services:
        for id_ in (1, 2, 3):
            await enqueue_document(services, id_)

        await drain(services)

        spent = await services.store.calls.sum_spending(HOME, since=utc("2026-01-01T00:00"))
        assert Decimal(0) < spent.cost <= Decimal("0.004")
        assert 0 < len(sandbox.model.state.chats()) < 3


async def test_a_call_under_way_counts_with_what_it_is_expected_to_cost(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    limited(installation, "price_in = 1\nprice_out = 1")
    long_ago = utc("2026-01-01T00:00")
    async with installation.open() as services:
        job = await enqueue_document(services, 1)

        async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, drain(services)) as draining:
            under_way = await services.store.calls.sum_spending(HOME, since=long_ago)
            # As if the process had died at this moment.
            [started] = await services.store.calls.list_for_job(job.id)
        await draining

        after = await services.store.calls.sum_spending(HOME, since=long_ago)
        assert started.outcome == "started"
        assert under_way.cost == started.cost > after.cost > 0


async def test_a_limit_that_is_met_at_every_start_never_fails_a_job(
    installation: Installation, clock: FakeClock
) -> None:
    limited(installation, "documents_per_day = 1")
    async with installation.open() as services:
        await enqueue_document(services, 1)
        await drain(services)
        await enqueue_document(services, 2)

        for _ in range(15):
            finished = await drain_one(services)
            await services.store.holds.lift(limit_target(HOME), now=clock())

        assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
        clock.advance(days=1)
        assert (await drain_one(services)).job.status is JobStatus.COMPLETED


async def test_a_limit_stops_neither_what_a_person_accepted_nor_an_undo(
    installation: Installation, clock: FakeClock
) -> None:
    installation.configure("[limits]\ndocuments_per_day = 1\n", all_fields="review")
    async with installation.open() as services:
        await enqueue_document(services, 1)
        await drain(services)
        await enqueue_document(services, 2)
        await drain(services)
        waiting = await services.store.changes.list_for_review(document=home(1))
        decision = accept(waiting, Edits({}), await services.instances[HOME].catalogue.names())
        accepted = await services.store.changes.decide(
            home(1), decision, by="hand", max_attempts=3, now=clock()
        )

        written = await drain_one(services)
        ids = [change.id for change in await services.store.changes.list_for_document(home(1))]
        await enqueue_document(services, 1, "undo", changes=ids)
        undone = await drain_one(services)

        assert accepted.kind == APPLY
        assert {written.job.status, undone.job.status} == {JobStatus.COMPLETED}
        assert len(await services.store.holds.list_active()) == 1


async def test_of_fifty_documents_with_a_limit_of_ten_ten_are_done_today_and_ten_tomorrow(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    limited(installation, "documents_per_day = 10")
    letter = sandbox.world.documents[1].content
    for number in range(50 - len(sandbox.world.documents)):
        sandbox.world.add_document(letter, f"scan_{number}.pdf", added=clock() - timedelta(days=1))
    async with installation.open() as services:
        await services.scanners[HOME].scan(ScanOrder())
        monitor = HoldMonitor(
            services.store, services.instances, clock=clock, on_lifted=lambda: None
        )

        done = []
        for _ in range(2):
            finished = [outcome.job.status for outcome in await drain(services)]
            done.append(finished.count(JobStatus.COMPLETED))
            clock.advance(days=1)
            await monitor.check_due()

        assert done == [10, 10]
        tally = await services.store.jobs.count_by_status(HOME)
        assert (tally[JobStatus.PENDING], tally[JobStatus.FAILED]) == (30, 0)


async def test_a_reached_limit_is_noticed_before_anything_is_fetched(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    limited(installation, "documents_per_day = 1")
    async with installation.open() as services:
        await enqueue_document(services, 1)
        await drain(services)
        await enqueue_document(services, 2)
        sandbox.paperless.requests.clear()

        for _ in range(3):
            await drain(services)
            await services.store.holds.lift(limit_target(HOME), now=clock())
            clock.advance(minutes=10)

        assert list(sandbox.paperless.requests) == []
        assert len(sandbox.model.state.chats()) == 1


async def test_a_stored_answer_is_used_although_the_limit_is_reached(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    limited(installation, "documents_per_day = 1")
    async with installation.open() as services:
        await enqueue_document(services, 1, DRY_RUN)
        await drain(services)
        await enqueue_document(services, 1)

        finished = await drain_one(services)

        assert finished.job.status is JobStatus.COMPLETED
        assert len(sandbox.model.state.chats()) == 1
