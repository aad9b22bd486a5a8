"""The JSON object in what a model wrote."""

import json
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from processor.analysis.answer import read_object
from processor.analysis.errors import AnswerUnusable

KEYS = ("title", "date")
ANSWER = '{"title": {"value": "final"}}'
DRAFT = '{"title": {"value": "draft"}}'


def read(text: str) -> dict[str, object]:
    return read_object(text, KEYS)


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        f"\n {ANSWER} \n",
        f"\ufeff{ANSWER}",
        f"```json\n{ANSWER}\n```",
        f"```JSON\n{ANSWER}```",
        f"```\n{ANSWER}\n```",
        f"``` {ANSWER} ```",
        f"Here is the answer:\n{ANSWER}\nI hope this helps!",
        f"[{ANSWER}]",
        f"<think>Let me see.</think>{ANSWER}",
        f"<thinking>\nLet me see.\n</thinking>\n{ANSWER}",
        f"<THINK></THINK>{ANSWER}",
        f"Let me see.</think>{ANSWER}",
        f"Let me see.</think>\nAgain.</think>\n{ANSWER}",
        f"<think>{DRAFT}</think>{ANSWER}",
        f"{DRAFT} hm, no</think>{ANSWER}",
        f"<think>\n```json\n{DRAFT}\n```\n</think>\n```json\n{ANSWER}\n```",
        f"<think>a<think>{DRAFT}</think>{DRAFT}</think>{ANSWER}",
        f"{ANSWER}<think>Was that right? {DRAFT}",
        f"Draft: {DRAFT}\nFinal: {ANSWER}",
        f"```json\n{DRAFT}\n```\nBetter:\n```json\n{ANSWER}\n```",
        f'{{"note": "not this one"}}\n{ANSWER}',
        f'{ANSWER}\n{{"note": "nor this one"}}',
    ],
)
def test_the_answer_is_found_in_what_stands_around_it(text: str) -> None:
    assert read(text) == {"title": {"value": "final"}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"title": {"value": "final",},}', {"title": {"value": "final"}}),
        ("{'title': {'value': 'final'}}", {"title": {"value": "final"}}),
        ('{title: {value: "final"}}', {"title": {"value": "final"}}),
        ('{"title": {"value": "final"}', {"title": {"value": "final"}}),
        ('{"title": "Rechnung "Strom" 2026"}', {"title": 'Rechnung "Strom" 2026'}),
        ('{"title": "two\nlines"}', {"title": "two\nlines"}),
        (
            '{"title": {"value": "a"} "date": {"value": "b"}}',
            {"title": {"value": "a"}, "date": {"value": "b"}},
        ),
        ('```json\n{"title": "final",}\n```\nDone.', {"title": "final"}),
        (f'{DRAFT}\n{{"title": "two\nlines"}}', {"title": "two\nlines"}),
        ('{"title": "draft",} or rather {"title": "final",}', {"title": "final"}),
    ],
)
def test_small_slips_are_mended(text: str, expected: dict[str, object]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "I cannot read this document.",
        "null",
        "42",
        '"title"',
        "[]",
        "{}",
        '["title", "date"]',
        '{"note": "title"}',
        '{"answer": {"title": "wrapped"}}',
        '{"type": "object", "properties": {"title": {"type": "string"}}}',
        f"<think>{DRAFT}",
        f"<think>{DRAFT}</think>",
        f"{DRAFT}</think>",
        "} backwards {",
        "{{title}}",
    ],
)
def test_what_holds_no_such_object_is_unusable(text: str) -> None:
    with pytest.raises(AnswerUnusable):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"title": {"value": "Stromrech',
        '{"title": "Stromrechnung", "date": "2026-10-3',
        '{"title": {"value": "a"}, "date": {"value": "2026-10-3',
        '{"title": {"value": "a"}, "da',
        '```json\n{"title": {"value": "a"}, "date": {"value": "2026-1',
    ],
)
def test_an_answer_that_breaks_off_is_never_completed_by_guessing(text: str) -> None:
    with pytest.raises(AnswerUnusable):
        read(text)


def test_an_answer_may_speak_of_thinking() -> None:
    answer = {"title": {"value": "Why <think> and </think> matter"}}

    assert read(json.dumps(answer)) == answer


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"title":' * 5_000,
        '{"title":' * 5_000 + "}" * 4_999,
        "{" * 2_000 + "}",
        "<think>" * 2_000 + "{",
    ],
)
def test_runaway_nesting_is_unusable(text: str) -> None:
    with pytest.raises(AnswerUnusable):
        read(text)


# fmt: off
PIECES = (
    "{", "}", "[", "]", '"', "'", ":", ",", "title", "date", "value", "\\", "\n", " ", "//", "/*",
    "```json", "```", "<think>", "</think>", "null", "1e999", "-", "NaN", "\\ud800", "„", ANSWER,
)
# fmt: on


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
@example('{"title": 1' + "0" * 5_000 + "}")
@example('{"```json1e999```json}')
def test_any_text_is_an_object_with_a_key_or_unusable(text: str) -> None:
    try:
        found = read(text)
    except AnswerUnusable:
        return

    assert found.keys() & set(KEYS)


nothing_else = st.text(st.characters(exclude_characters='{}<>"['))


@given(
    answer=st.fixed_dictionaries({"title": st.text()}, optional={"date": st.text()}),
    before=nothing_else,
    after=nothing_else,
)
def test_prose_around_an_answer_changes_nothing(
    answer: dict[str, str], before: str, after: str
) -> None:
    assert read(before + json.dumps(answer) + after) == answer


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "pit",
    [
        '{"title":' * 50_000,
        '{"title" ' * 50_000 + "}",
        "{" * 100_000 + "}" * 100_000,
        '{"title": "' + '\\"' * 100_000 + "}",
    ],
)
def test_an_answer_without_bottom_is_refused_before_long(pit: str) -> None:
    with pytest.raises(AnswerUnusable):
        read(pit)


@pytest.mark.parametrize(
    "pit", ["['" * 10 + "'a" * 4_500, "(" * 10 + "'a" * 4_900, "(" * 10 + "'a " * 3_000]
)
def test_a_repair_that_takes_too_long_is_given_up(pit: str) -> None:
    with pytest.raises(AnswerUnusable):
        read('{"title": ' + pit + "}")

    assert sys.getprofile() is None


def test_an_answer_is_found_at_the_end_of_much_talk() -> None:
    assert read("Let me {think} aloud. " * 10_000 + ANSWER) == json.loads(ANSWER)
