"""The evaluation itself, on a few of its documents."""

import json
from pathlib import Path

import pytest

from benchmarks.eval.__main__ import Choices, exit_of, run
from benchmarks.eval.evaluate import Report
from benchmarks.eval.judging import JudgedValue, Outcome
from daemon.cli.exits import Exit

FEW = Choices(documents=3)


async def test_the_evaluation_shows_all_three_models_and_that_no_invented_quote_was_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = await run(FEW)

    shown = capsys.readouterr().out
    honest, others = shown.split("The sandbox's model, ")
    lying, careless = others.split("The careless model, by field")
    assert code is Exit.OK
    assert "3 documents, model sandbox-model" in honest
    assert "correspondent   3      0" in honest
    assert "Written, with evidence that is not in the text: 0" in lying
    assert "Held back because the evidence is not in the text: 0" not in lying
    assert "other date" in careless
    assert "`date_is_the_documents`" in careless
    assert "The careless model, with another line as quote" in careless
    assert "All three models, 3 documents" in careless


async def test_a_model_that_cannot_be_reached_is_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERCLERK_EVAL_AI__BASE_URL", "http://127.0.0.1:1/v1")

    await run(FEW)

    shown = " ".join(capsys.readouterr().out.split())
    honest, lying = shown.split("The sandbox's model, ")
    assert "3 documents could not be processed: no connection to the model" in honest
    assert "could not be processed" not in lying


async def test_stored_answers_are_judged_again_without_the_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = tmp_path / "answers.jsonl"
    choices = Choices(documents=3, answers=answers)
    await run(choices)
    first = capsys.readouterr().out
    monkeypatch.setenv("PAPERCLERK_EVAL_AI__BASE_URL", "http://127.0.0.1:1/v1")

    await run(choices)

    assert capsys.readouterr().out == first
    stored = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]
    assert [answer["model"] for answer in stored] == ["sandbox-model"] * 3


async def test_only_documents_with_a_stored_answer_are_judged_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers.jsonl"
    await run(Choices(documents=3, answers=answers))
    capsys.readouterr()

    await run(Choices(answers=answers))

    assert "3 documents, answers of sandbox-model" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("outcome", "code"), [(Outcome.REVIEW, Exit.OK), (Outcome.WRITTEN, Exit.LOOK)]
)
def test_an_invented_quote_that_was_written_fails_the_evaluation(
    outcome: Outcome, code: Exit
) -> None:
    value = JudgedValue(
        "01.txt", "title", "Gutachten", "zum Wintergarten", is_right=False, outcome=outcome
    )
    report = Report("model", 1, {}, judged=[value], invented=[value])

    assert exit_of([report]) is code
