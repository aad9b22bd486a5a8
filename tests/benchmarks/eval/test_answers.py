from pathlib import Path

import pytest

from benchmarks.eval.answers import StoredAnswer, append_answer, load_answers
from benchmarks.eval.corpus import NUMBER
from core.analysis import Analysis
from core.changes import Suggestion
from core.documents import content_hash
from core.fields import CustomField, FieldName

DATE = Suggestion(FieldName.DATE, "2026-03-18", "Bonn, 18.03.2026", 0.9)
ANALYSIS = Analysis(
    suggestions=(DATE, Suggestion(CustomField(3, NUMBER), "4711", "Rechnung 4711", 0.8)),
    model="small",
    prompt_version="1",
    content_hash=content_hash("text"),
    tokens_in=1200,
    tokens_out=90,
    unread=5,
)


def test_an_answer_is_the_same_after_it_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    append_answer(path, StoredAnswer.of("a.txt", ANALYSIS))
    append_answer(path, StoredAnswer.of("ä.txt", ANALYSIS))

    answers = load_answers(path)

    fields = (FieldName.DATE, CustomField(3, NUMBER))
    assert list(answers) == ["a.txt", "ä.txt"]
    assert answers["ä.txt"].as_analysis("text", fields) == ANALYSIS


def test_a_custom_field_is_found_by_its_name_and_a_missing_one_dropped(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    append_answer(path, StoredAnswer.of("a.txt", ANALYSIS))
    answer = load_answers(path)["a.txt"]

    other_id = answer.as_analysis("text", [CustomField(8, NUMBER)])
    without = answer.as_analysis("text", [FieldName.DATE])

    assert [suggestion.field for suggestion in other_id.suggestions] == [CustomField(8, NUMBER)]
    assert without.suggestions == (DATE,)


def test_a_line_that_is_no_answer_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"file": "a.txt"}\n')

    with pytest.raises(ValueError, match="suggestions"):
        load_answers(path)
