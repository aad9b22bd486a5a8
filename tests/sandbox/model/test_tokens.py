import pytest

from sandbox.model.question import Message
from sandbox.model.tokens import ModelOutput, count_prompt, cut_end, cut_front

PROMPT = (Message("system", "s" * 70), Message("user", "u" * 70))


def test_about_three_and_a_half_characters_are_a_token() -> None:
    assert count_prompt(PROMPT) == 40


@pytest.mark.parametrize(
    ("tokens", "left"), [(40, (70, 70)), (30, (35, 70)), (20, (0, 70)), (10, (0, 35))]
)
def test_a_prompt_is_cut_from_the_front(tokens: int, left: tuple[int, int]) -> None:
    cut = cut_front(PROMPT, tokens)

    assert tuple(len(message.content) for message in cut) == left
    assert count_prompt(cut) == tokens


@pytest.mark.parametrize(
    ("limit", "left"),
    [(100, ("content", "thoughts")), (3, ("co", "thoughts")), (2, ("", "thought"))],
)
def test_thoughts_use_up_the_room_of_the_content(limit: int, left: tuple[str, str]) -> None:
    cut = cut_end(ModelOutput("content", "thoughts"), limit)

    assert (cut.content, cut.thoughts) == left
