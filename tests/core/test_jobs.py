"""Jobs as values."""

from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime

import pytest

from core.documents import DocumentRef
from core.jobs import ANALYZE, EventName, Job, JobStatus, NewJob, Priority, Stage

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def a_job() -> Job:
    return Job(
        id=1,
        document=DocumentRef("home", 7),
        kind=ANALYZE,
        status=JobStatus.PENDING,
        priority=Priority.NEW,
        claim=0,
        attempts=0,
        max_attempts=3,
        scheduled_for=NOW,
        created_at=NOW,
        asked_by="timer",
    )


def test_what_was_asked_for_by_hand_goes_before_new_and_new_before_backlog() -> None:
    assert sorted(Priority, reverse=True) == [Priority.BY_HAND, Priority.NEW, Priority.BACKLOG]


def test_a_job_cannot_be_changed_only_copied() -> None:
    job = a_job()

    with pytest.raises(FrozenInstanceError):
        job.attempts = 1  # type: ignore[misc] # the very thing that must not work

    assert replace(job, attempts=1) != job


def test_a_job_begins_without_a_stage_a_worker_or_a_problem() -> None:
    job = a_job()

    assert (job.stage, job.progress, job.worker, job.problem) == (None, 0, None, None)


def test_a_new_job_is_an_analysis_asked_for_by_a_scan() -> None:
    job = NewJob(DocumentRef("home", 7))

    assert (job.kind, job.priority, job.asked_by, job.max_attempts) == ("analyze", 10, "timer", 3)


def test_two_new_jobs_do_not_share_their_payload() -> None:
    first, other = NewJob(DocumentRef("home", 7)), NewJob(DocumentRef("home", 8))

    assert first.payload is not other.payload


@pytest.mark.parametrize("words", [JobStatus, Stage, EventName])
def test_each_word_is_stored_as_its_own_lower_case_name(
    words: type[JobStatus | Stage | EventName],
) -> None:
    assert [str(word) for word in words] == [word.name.lower() for word in words]
