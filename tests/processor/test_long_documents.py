"""A document that is far too long for one question is read pass by pass, and read whole."""

from datetime import timedelta

import pytest

from core.analysis import Result, ResultKind
from core.changes import ChangeState
from core.fields import FieldName
from core.jobs import EventName, JobStatus
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.model.behaviour import Behaviour, Overflow
from tests.installation import (
    COMPLETIONS,
    Installation,
    blocked,
    blocking,
    changes_of,
    drain,
    drain_one,
    fields_of,
    home,
    process,
)
from tests.long_documents import a_long_text, parts_asked
from tests.store.builders import FakeClock

SHORT_OF_ROOM = "context = 4096\n"
"""So that a few pages are a long document."""
FEW_PAGES = 40_000


def set_up(installation: Installation, ai: str = SHORT_OF_ROOM, *, size: int = FEW_PAGES) -> None:
    installation.sandbox.world.edit(1, content=a_long_text(size))
    installation.configure(ai, all_fields="replace")


async def results_of(services: Services, job_id: int = 1) -> tuple[list[Result], list[Result]]:
    """Return the partial results and the final one."""
    found = await services.store.results.list_for_job(job_id)
    kinds = (ResultKind.PARTIAL, ResultKind.FINAL)
    partial, final = ([result for result in found if result.kind is kind] for kind in kinds)
    return partial, final


def all_parts(sandbox: Sandbox) -> list[tuple[int, int]]:
    asked = parts_asked(sandbox.model.state.chats())
    return [(number, asked[0][1]) for number in range(1, asked[0][1] + 1)]


async def test_the_one_fact_in_the_middle_of_a_megabyte_and_a_half_is_found(
    installation: Installation, sandbox: Sandbox
) -> None:
    set_up(installation, "", size=1_500_000)
    async with installation.open() as services:
        finished = await process(services)
        partial, [final] = await results_of(services)

    assert finished.job.status is JobStatus.COMPLETED
    filed = fields_of(sandbox)
    assert (filed["correspondent"], filed["created"]) == ("Stadtwerke Musterstadt", "2026-10-31")
    assert final.analysis.unread == 0
    assert parts_asked(sandbox.model.state.chats()) == all_parts(sandbox)
    assert len(partial) == len(sandbox.model.state.chats()) > 80


async def test_each_pass_leaves_a_partial_result_and_the_last_makes_the_final_one(
    installation: Installation, sandbox: Sandbox
) -> None:
    set_up(installation)
    async with installation.open() as services:
        finished = await process(services)
        partial, [final] = await results_of(services)
        events = await services.store.jobs.list_events(finished.job.id)

    assert len(partial) > 5
    assert [result.analysis.part and result.analysis.part.number for result in partial] == [
        *range(1, len(partial) + 1)
    ]
    assert [result.number for result in (*partial, final)] == [*range(1, len(partial) + 2)]
    assert final.analysis.part is None
    assert final.analysis.tokens_in == sum(result.analysis.tokens_in for result in partial)
    percents = [event.data["percent"] for event in events if event.name is EventName.PROGRESSED]
    assert percents == sorted(set(map(int, map(str, percents))))
    # Noted before each pass: the patience with a stage is for one answer.
    assert len(percents) >= len(partial) + 2


async def test_a_long_document_needs_no_examples(
    installation: Installation, sandbox: Sandbox
) -> None:
    set_up(installation)
    sandbox.world.edit(2, correspondent="Stadtwerke Musterstadt", tags=[])
    async with installation.open() as services:
        await process(services)

    assert not any("more_like_id" in dict(request.query) for request in sandbox.paperless.requests)


async def test_an_attempt_that_fails_in_a_pass_goes_on_with_that_pass(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    set_up(installation)
    broken = Fault(path=COMPLETIONS, nth=4, effect=Answer(status=500, body="out of memory"))
    sandbox.model.state.faults.add(broken)
    async with installation.open() as services:
        first = await process(services)
        partial, final = await results_of(services)
        clock.advance(minutes=5)
        second = await drain_one(services)

    assert first.job.status is JobStatus.PENDING
    assert (len(partial), final) == (3, [])
    assert second.job.status is JobStatus.COMPLETED
    assert parts_asked(sandbox.model.state.chats()) == all_parts(sandbox)


async def test_after_a_cancel_the_passes_stay_readable_and_a_restart_goes_on(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    set_up(installation)
    async with installation.open() as services:
        thinking = blocked(COMPLETIONS, nth=4)
        async with blocking(sandbox.model.state.faults, thinking, process(services)) as work:
            await services.store.jobs.cancel(1, by="hand", now=clock())
            cancelled = await work
        partial, final = await results_of(services)
        await services.store.jobs.restart(1, by="hand", now=clock())
        finished = await drain_one(services)

    assert cancelled.job.status is JobStatus.CANCELLED
    assert (len(partial), final) == (3, [])
    assert finished.job.status is JobStatus.COMPLETED
    asked = [number for number, _ in parts_asked(sandbox.model.state.chats())]
    # The fourth was under way at the cancel: nobody heard its answer.
    assert asked == [1, 2, 3, 4, *range(4, asked[-1] + 1)]


async def test_passes_of_another_text_or_prompt_are_not_gone_on_with(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    set_up(installation)
    broken = Fault(path=COMPLETIONS, nth=4, effect=Answer(status=500, body="out of memory"))
    sandbox.model.state.faults.add(broken)
    async with installation.open() as services:
        await process(services)
    installation.configure(SHORT_OF_ROOM + 'instructions = "Be brief."\n', all_fields="replace")
    clock.advance(minutes=5)
    async with installation.open() as services:
        await drain_one(services)

    asked = parts_asked(sandbox.model.state.chats())
    assert [number for number, _ in asked] == [1, 2, 3, *range(1, asked[0][1] + 1)]


async def test_a_server_with_less_room_is_asked_about_smaller_passes(
    installation: Installation, sandbox: Sandbox
) -> None:
    set_up(installation, "", size=60_000)
    sandbox.model.behave(Behaviour(context=5000, overflow=Overflow.LLAMA_CPP))
    async with installation.open() as services:
        finished = await process(services)
        _, [final] = await results_of(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert final.analysis.unread == 0
    assert parts_asked(sandbox.model.state.chats()) == all_parts(sandbox)
    assert fields_of(sandbox)["created"] == "2026-10-31"


async def test_a_budget_that_ends_in_the_middle_lets_the_document_wait_and_pays_no_pass_twice(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    limits = "\n[limits]\nprice_in = 1000.0\ncost_per_month = 12.0\n"
    set_up(installation, SHORT_OF_ROOM + limits)
    async with installation.open() as services:
        first = await process(services)
        paid = len(sandbox.model.state.chats())
        [hold] = await services.store.holds.list_active()
        await services.store.holds.lift(hold.target, now=clock.advance(days=31))
        second = await drain(services)
        while second[-1].job.status is not JobStatus.COMPLETED:
            [hold] = await services.store.holds.list_active()
            await services.store.holds.lift(hold.target, now=clock.advance(days=31))
            second = await drain(services)

    assert (first.job.status, first.job.attempts) == (JobStatus.PENDING, 0)
    assert 0 < paid < len(all_parts(sandbox))
    assert parts_asked(sandbox.model.state.chats()) == all_parts(sandbox)


@pytest.mark.parametrize(("most", "calls"), [(1, 1), (3, 3)])
async def test_a_document_that_is_mostly_unread_is_put_before_a_person(
    installation: Installation, sandbox: Sandbox, most: int, calls: int
) -> None:
    set_up(installation, f"{SHORT_OF_ROOM}max_passes = {most}\n", size=60_000)
    async with installation.open() as services:
        finished = await process(services)
        _, [final] = await results_of(services)
        states = await changes_of(services)

    assert len(sandbox.model.state.chats()) == calls
    assert final.analysis.unread > 30_000
    assert finished.report is not None
    assert finished.report.plan is not None
    assert {"mostly_unread"} <= set(finished.report.plan.review[0].reasons)
    assert states[FieldName.TITLE] == [ChangeState.PROPOSED]


async def test_a_page_that_stands_there_again_is_not_paid_for_again(
    installation: Installation, sandbox: Sandbox
) -> None:
    set_up(installation)
    line = "Dieselbe Zeile steht auf jeder Seite, und es sind viele Seiten.\n"
    sandbox.world.edit(1, content=line * 1000)
    async with installation.open() as services:
        finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert len(sandbox.model.state.chats()) < 5


async def test_a_day_has_as_many_documents_however_many_passes_they_take(
    installation: Installation, sandbox: Sandbox
) -> None:
    set_up(installation, SHORT_OF_ROOM + "\n[limits]\ndocuments_per_day = 1\n")
    async with installation.open() as services:
        finished = await process(services)
        spent = await services.store.calls.sum_spending(
            "home", since=services.context.clock() - timedelta(1)
        )

    assert finished.job.status is JobStatus.COMPLETED
    assert (spent.documents, spent.calls) == (1, len(sandbox.model.state.chats()))
    assert home(1) == finished.job.document
