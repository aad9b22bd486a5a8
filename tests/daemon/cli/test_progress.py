"""Which jobs a command processes, and lines about their results."""

from core.changes import ChangeState
from core.documents import DocumentRef
from core.fields import CustomField
from core.jobs import UNDO, Job, JobStatus, Priority
from daemon.cli.progress import job_lines, scopes_of
from tests.builders import NOW, a_change


def an_undo() -> Job:
    return Job(
        id=1,
        document=DocumentRef("home", 7),
        kind=UNDO,
        status=JobStatus.COMPLETED,
        priority=Priority.BY_HAND,
        claim=1,
        attempts=1,
        max_attempts=3,
        scheduled_for=NOW,
        created_at=NOW,
        asked_by="hand",
    )


def test_undone_and_kept_values_of_an_undo_are_aligned() -> None:
    number = CustomField(7, "A rather long field name")
    undone = a_change(field=number, before="undone", after="4711", state=ChangeState.UNDONE)
    kept = a_change(2, before="kept", state=ChangeState.APPLIED)

    lines = job_lines(an_undo(), changes=[undone], plan=None, kept=[kept])

    assert lines[0].index("undone ->") == lines[1].index("kept ->")


def test_an_undo_that_keeps_everything_lists_what_it_kept() -> None:
    kept = a_change(before="scan", state=ChangeState.APPLIED)

    [line] = job_lines(an_undo(), changes=[], plan=None, kept=[kept])

    assert "[kept: " in line


def test_many_jobs_are_named_in_parts_that_a_statement_can_take() -> None:
    numbers = range(1, 2_502)

    scopes = scopes_of(numbers)

    assert [len(scope.jobs or ()) for scope in scopes] == [1_000, 1_000, 501]
    assert {number for scope in scopes for number in scope.jobs or ()} == set(numbers)


def test_no_job_is_no_scope_and_not_everything() -> None:
    assert scopes_of([]) == []
