"""Whatever a document or a model says: exactly the end state that was written down by hand."""

from datetime import UTC, datetime

import pytest

from core.changes import Change
from core.jobs import JobStatus
from processor.processor import FinishedJob
from sandbox import Sandbox
from sandbox.paperless.records import Kind
from tests.hostile.case import TITLE_BEFORE, Case, Wait
from tests.hostile.cases import CASES
from tests.installation import Installation, drain_one, enqueue_document, home, snapshot
from tests.store.builders import FakeClock

ARRIVED = datetime(2026, 10, 20, 9, tzinfo=UTC)


def test_every_case_has_a_name_of_its_own_and_there_are_enough() -> None:
    names = [case.name for case in CASES]

    assert len(set(names)) == len(names) >= 60


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_the_end_state_is_as_written_down(
    installation: Installation, sandbox: Sandbox, clock: FakeClock, case: Case
) -> None:
    document = sandbox.world.add_document(case.text, f"{TITLE_BEFORE}.pdf", added=ARRIVED).id
    before, names = snapshot(sandbox), names_of(sandbox)
    installation.configure(case.rules, all_fields="replace")
    sandbox.model.behave(case.model)

    async with installation.open() as services:
        await enqueue_document(services, document)
        finished = await drain_one(services)
        while finished.job.status is JobStatus.PENDING:
            clock.advance(hours=1)
            finished = await drain_one(services)
        waiting = await services.store.changes.list_for_review(document=home(document), limit=100)

    assert outcome(finished) == (case.status, case.code)
    assert snapshot(sandbox) == {**before, document: {**before[document], **case.filed}}
    assert names_of(sandbox) - names == set(case.made)
    assert names <= names_of(sandbox)
    assert_waits(waiting, case.waits)


def outcome(finished: FinishedJob) -> tuple[JobStatus, str]:
    job = finished.job
    return job.status, job.problem.code if job.problem else ""


def names_of(sandbox: Sandbox) -> set[tuple[str, str]]:
    with sandbox.world.lock:
        names = sandbox.world.names
        return {(str(kind), entry.name) for kind in Kind for entry in names[kind].values()}


def assert_waits(waiting: tuple[Change, ...], expected: tuple[Wait, ...]) -> None:
    found = [(change.field, str(change.after)) for change in waiting]
    assert found == [(suggestion.field, suggestion.value) for suggestion in expected]
    for change, suggestion in zip(waiting, expected, strict=True):
        assert suggestion.because in change.reasons
