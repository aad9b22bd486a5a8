"""What becomes of a job whose attempt failed."""

from datetime import timedelta
from itertools import pairwise

import pytest

from core.errors import PaperclerkError, Problem
from core.messages import plain
from core.names import TagMissing
from paperless_client import (
    DocumentGone,
    PaperlessRefused,
    PaperlessUnavailable,
    PermissionMissing,
)
from processor.analysis import errors
from processor.verdict import (
    Cancel,
    DocumentExcluded,
    EndpointDown,
    Fail,
    Forget,
    OverLimit,
    PlaceHold,
    Retry,
    RetryPolicy,
    TargetOnHold,
    judge,
    problem_of,
    with_jitter,
)
from tests.builders import NOW, because

WAIT = timedelta(minutes=5)
POLICY = RetryPolicy(max_attempts=3, step=timedelta(minutes=5))
CAUSE = Problem("model_unavailable", plain("connection refused"))
GONE = DocumentGone(plain("read document 7"), plain("404"), document=7, status=404)
HOPELESS = [
    errors.AnswerCut("cut"),
    errors.AnswerRefused("refused"),
    errors.PromptTooLong("too long"),
    errors.PromptCut("prompt cut"),
    errors.NoAnswerMode("no mode"),
]
WORTH_ANOTHER_TRY = [
    errors.AnswerEmpty("empty"),
    errors.AnswerUnusable("unusable"),
    errors.ModelUnavailable("timed out, but the probe succeeded"),
    errors.RequestRefused("400"),
    PaperlessUnavailable(plain("read document 7"), plain("502")),
    PaperlessRefused(plain("change document 7"), plain("400"), status=400, details={}),
    PermissionMissing(plain("change document 7"), plain("403"), permission="change_document"),
    TagMissing(["no-ai"]),
    KeyError("a bug of ours"),
]


def verdict_on(error: Exception, *, attempts: int = 1) -> object:
    return judge(error, attempts=attempts, now=NOW, policy=POLICY)


@pytest.mark.parametrize("error", WORTH_ANOTHER_TRY, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    ("attempts", "verdict"),
    [
        (1, Retry(NOW + timedelta(minutes=5))),
        (2, Retry(NOW + timedelta(minutes=10))),
        (3, Fail()),
        (4, Fail()),
    ],
)
def test_most_errors_are_tried_again_after_a_growing_pause_until_attempts_are_used_up(
    error: Exception, attempts: int, verdict: object
) -> None:
    assert verdict_on(error, attempts=attempts) == verdict


@pytest.mark.parametrize("error", HOPELESS, ids=lambda error: type(error).__name__)
def test_what_is_hopeless_fails_at_once(error: Exception) -> None:
    assert verdict_on(error) == Fail()


@pytest.mark.parametrize("attempts", [1, 3])
def test_a_document_that_is_gone_is_forgotten(attempts: int) -> None:
    assert verdict_on(GONE, attempts=attempts) == Forget()


@pytest.mark.parametrize("attempts", [1, 3])
def test_a_withdrawn_document_is_cancelled_with_the_reason(attempts: int) -> None:
    error = DocumentExcluded("has the excluded tag no-ai")

    assert verdict_on(error, attempts=attempts) == Cancel(plain("has the excluded tag no-ai"))


@pytest.mark.parametrize("attempts", [1, 3])
@pytest.mark.parametrize(
    ("error", "blames"), [(EndpointDown, True), (OverLimit, False)], ids=["outage", "limit"]
)
def test_what_must_rest_is_held_whatever_the_attempt(
    error: type[TargetOnHold], *, blames: bool, attempts: int
) -> None:
    until = NOW + timedelta(seconds=20)
    error_raised = error("model:http://ollama:11434/v1", CAUSE, because("refused"), until)

    assert verdict_on(error_raised, attempts=attempts) == PlaceHold(
        "model:http://ollama:11434/v1", CAUSE, because("refused"), until, blames_document=blames
    )


@pytest.mark.parametrize(("attempt", "minutes"), [(1, 5), (2, 10), (3, 15)])
def test_the_pause_grows_by_a_step_with_each_attempt(attempt: int, minutes: int) -> None:
    assert RetryPolicy().wait_after(attempt) == timedelta(minutes=minutes)


@pytest.mark.parametrize("attempt", [0, -1])
def test_attempts_are_counted_from_one(attempt: int) -> None:
    with pytest.raises(ValueError, match="counted from 1"):
        POLICY.wait_after(attempt)


@pytest.mark.parametrize("error", [errors.AnswerCut("cut"), GONE, TagMissing(["no-ai"])])
def test_an_error_of_ours_is_described_by_itself(
    error: PaperclerkError | DocumentGone,
) -> None:
    problem = problem_of(error)

    assert (problem.code, str(problem.message)) == (error.code, str(error))
    assert (problem.user_message, problem.hint) == (error.user_message, error.hint)
    assert problem_of(error).user_message


def test_an_error_that_nobody_foresaw_is_described_by_kind_and_place_not_by_its_words() -> None:
    def stumble() -> None:
        raise ZeroDivisionError("Sehr geehrte Frau Muster")

    with pytest.raises(ZeroDivisionError) as caught:
        stumble()
    problem = problem_of(caught.value)

    assert problem.code == "unexpected"
    assert str(problem.message).startswith("ZeroDivisionError in test_verdict.py:")
    assert "Muster" not in str(problem.message)
    assert problem.user_message


def test_an_error_that_was_never_raised_has_no_place() -> None:
    assert str(problem_of(KeyError("secret")).message) == "KeyError in no place"


def test_what_an_outage_stopped_together_does_not_come_back_together() -> None:
    waits = sorted(with_jitter(WAIT, number) for number in range(1, 31))

    apart = [later - earlier for earlier, later in pairwise(waits)]
    assert waits[0] >= WAIT * 0.9
    assert waits[-1] <= WAIT
    assert min(apart) > timedelta(milliseconds=300)
