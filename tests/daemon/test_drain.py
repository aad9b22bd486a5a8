"""Which jobs a command works on."""

from daemon.drain import scopes_of


def test_many_jobs_are_named_in_parts_that_a_statement_can_take() -> None:
    numbers = range(1, 2_502)

    scopes = scopes_of(numbers)

    assert [len(scope.jobs or ()) for scope in scopes] == [1_000, 1_000, 501]
    assert {number for scope in scopes for number in scope.jobs or ()} == set(numbers)


def test_no_job_is_no_scope_and_not_everything() -> None:
    assert scopes_of([]) == []
