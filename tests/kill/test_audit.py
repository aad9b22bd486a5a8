"""The audit of a kill finds what it looks for: each rule is seen to fail."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.changes import Change, ChangeState
from core.documents import DocumentRef
from core.fields import FieldName
from core.jobs import ANALYZE, Event, EventName, Job, JobStatus
from core.settings import load_daemon_settings
from tests.kill.audit import violations
from tests.kill.evidence import Call, Evidence, Outcome
from tests.kill.killer import DaemonKiller, RunOptions
from tests.kill.recording_sandbox import Effect, RecordingSandbox, small_world

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
DEAD, ALIVE = 41, 42
EVENTS = (
    EventName.ENQUEUED,
    EventName.CLAIMED,
    EventName.PROGRESSED,
    EventName.RECOVERED,
    EventName.CLAIMED,
    EventName.RESULT_STORED,
    EventName.CHANGES_RECORDED,
    EventName.CHANGES_SETTLED,
    EventName.COMPLETED,
)

Spoil = Callable[[Evidence], Evidence]


def at(number: int) -> datetime:
    """When the event of that number was recorded."""
    return START + timedelta(seconds=number)


def an_event(number: int, name: EventName, *, job: int = 1) -> Event:
    data = {"worker": f"host:{DEAD}", "status": "pending"} if name is EventName.RECOVERED else {}
    return Event(number, job, name, at(number), None, data)


def a_job(id_: int = 1) -> Job:
    """A job that was recovered once and went through then."""
    ref = DocumentRef("home", 7)
    times = {"scheduled_for": START, "created_at": START}
    counts = {"priority": 0, "claim": 2, "attempts": 2, "max_attempts": 3}
    return Job(id_, ref, ANALYZE, JobStatus.COMPLETED, asked_by="timer", **times, **counts)  # type: ignore[arg-type]  # two kinds of values


def a_change(**facts: object) -> Change:
    """A title that was written."""
    ref, title = DocumentRef("home", 7), FieldName.TITLE
    details = ("quote", 1.0, (), None, "rule", START, START)
    written = Change(1, ref, 1, title, "scan", "Stromrechnung", ChangeState.APPLIED, *details)
    return replace(written, **facts)  # type: ignore[arg-type]  # as the table says


def with_change(**facts: object) -> Spoil:
    return lambda clean: replace(clean, changes=(a_change(**facts),))


OUTCOME = Outcome(
    fields={7: {"title": "Stromrechnung", "tag Strom": True}},
    names=(("tags", "Strom"),),
    jobs={(7, ANALYZE, "completed"): 1},
    documents={7: ("done", True)},
    changes={(7, "title", "scan", "Stromrechnung", "applied"): 1},
)
CLEAN = Evidence(
    outcome=OUTCOME,
    first={7: {"title": "scan", "tag Strom": True}},
    jobs=(a_job(),),
    changes=(a_change(),),
    events=tuple(an_event(number, name) for number, name in enumerate(EVENTS, start=1)),
    calls=(Call(1, at(4)),),
    effects=(Effect(7, "title", "Stromrechnung"),),
    asked={7: 1},
    holds=(),
    unfinished_scans=0,
    numbers_have_gaps=False,
    killed=frozenset({DEAD}),
)


def with_job(**changes: object) -> Spoil:
    return lambda clean: replace(clean, jobs=(replace(clean.jobs[0], **changes),))  # type: ignore[arg-type]  # as the table says


def without_event(number: int) -> Spoil:
    """Lose an event, and number the others anew so that no gap tells."""

    def spoil(clean: Evidence) -> Evidence:
        left = [event for event in clean.events if event.id != number]
        return replace(clean, events=tuple(replace(e, id=n) for n, e in enumerate(left, start=1)))

    return spoil


def with_twin(clean: Evidence) -> Evidence:
    """Enqueue and claim a second job of the document while the first is being processed."""
    first, second, *rest = clean.events
    twin = [an_event(0, EventName.ENQUEUED, job=2), an_event(0, EventName.CLAIMED, job=2)]
    events = enumerate([first, second, *twin, *rest], start=1)
    numbered = tuple(replace(event, id=number, at=at(number)) for number, event in events)
    return replace(clean, events=numbered, jobs=(*clean.jobs, a_job(2)))


def with_outcome(**changes: object) -> Spoil:
    return lambda clean: replace(clean, outcome=replace(clean.outcome, **changes))  # type: ignore[arg-type]  # as the table says


def test_a_clean_run_has_no_violations() -> None:
    assert violations(CLEAN, OUTCOME) == []


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (with_outcome(fields={7: {"title": "scan"}}), "document 7 is {"),
        (with_outcome(fields={}), "document 7 is None"),
        (with_outcome(names=(("tags", "Strom"), ("tags", "Strom"))), "names:"),
        (with_outcome(jobs={(7, ANALYZE, "failed"): 1}), "jobs:"),
        (with_outcome(documents={7: ("queued", True)}), "document rows:"),
        (with_outcome(changes={}), "changes:"),
        (with_job(status=JobStatus.PROCESSING), "job 1 is still processing"),
        (lambda clean: replace(clean, holds=("paperless:home",)), "paperless:home is held"),
        (lambda clean: replace(clean, unfinished_scans=1), "1 scans never ended"),
        (lambda clean: replace(clean, effects=clean.effects * 2), "title of document 7 was"),
        (lambda clean: replace(clean, calls=(*clean.calls, Call(1, at(7)))), "asked the model 1"),
        (lambda clean: replace(clean, asked={7: 2}), "was sent 2 times, booked 1"),
        (lambda clean: replace(clean, asked={7: 0}), "the model was never asked about home/7"),
        (with_job(claim=3, attempts=3), "job 1 has claim 3, recorded 2 times"),
        (with_job(attempts=1), "job 1 counts 1 attempts after 2"),
        (with_job(reconciles=1), "job 1 counts 1 reconciles after 0"),
        (with_change(state=ChangeState.INTENDED), "title of document 7 is written by no change"),
        (with_change(after="Rechnung"), "change 1 is applied, title of document 7 is Strom"),
        (with_change(write_begun_at=START), "change 1 has begun and is applied"),
        (with_outcome(fields={**OUTCOME.fields, 8: {"title": "scan"}}), "document 8 is"),
        (with_job(max_attempts=1), "job 1 was tried 2 and"),
        (without_event(4), "job 1 was processing when event 4 recorded claimed"),
        (without_event(2), "job 1 was pending when event 2 recorded progressed"),
        (without_event(9), "job 1 is completed, its events say processing"),
        (lambda clean: replace(clean, events=clean.events[1:]), "the numbers of events have gaps"),
        (
            lambda clean: replace(
                clean, events=(*clean.events[:-1], replace(clean.events[-1], at=START))
            ),
            "the events of job 1 go back in time",
        ),
        (with_twin, "of one kind are live"),
        (with_twin, "are being processed"),
        (lambda clean: replace(clean, killed=frozenset({ALIVE})), "taken from process 41"),
    ],
)
def test_the_audit_tells(spoil: Spoil, expected: str) -> None:
    found = violations(spoil(CLEAN), OUTCOME)

    assert any(expected in sentence for sentence in found), found


def test_a_daemon_that_is_killed_takes_any_free_port(tmp_path: Path) -> None:
    with RecordingSandbox(small_world()) as recording_sandbox:
        killer = DaemonKiller(recording_sandbox, tmp_path / "daemons", RunOptions())
        killer.configure("")
        killer.close()

    assert load_daemon_settings(killer.config, {}).web.port == 0
