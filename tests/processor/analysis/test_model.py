"""What a reply is worth, and how to ask when something was refused."""

from dataclasses import replace

import pytest

from core.analysis import Capabilities
from processor.analysis import errors
from processor.analysis.errors import MODE, TEMPERATURE, TOKEN_PARAMETER
from processor.analysis.model import (
    JSON_OBJECT,
    JSON_SCHEMA,
    TEXT,
    ModelReply,
    drop_implausible_counts,
    next_format,
    require_complete_text,
)
from processor.analysis.prompt import Prompt

PROMPT = Prompt(system="s" * 3000, user="u" * 5000, fields=(), schema={}, left_out=0)
REPLY = ModelReply(
    text='{"title": "x"}', finish_reason="stop", refusal="", tokens_in=2000, tokens_out=9
)
STRICT = Capabilities(JSON_SCHEMA)


@pytest.mark.parametrize(
    "reply",
    [
        REPLY,
        replace(REPLY, finish_reason=""),
        replace(REPLY, finish_reason="tool_calls"),
        replace(REPLY, tokens_in=0),
        replace(REPLY, tokens_in=1000),
    ],
)
def test_a_whole_reply_is_taken(reply: ModelReply) -> None:
    assert require_complete_text(reply, PROMPT) == '{"title": "x"}'


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (replace(REPLY, refusal="I cannot help with that."), errors.AnswerRefused),
        (replace(REPLY, finish_reason="content_filter"), errors.AnswerRefused),
        (replace(REPLY, finish_reason="length"), errors.AnswerCut),
        (replace(REPLY, finish_reason="length", text=""), errors.AnswerCut),
        (replace(REPLY, tokens_in=999), errors.PromptCut),
        (replace(REPLY, tokens_in=999, text=""), errors.PromptCut),
        (replace(REPLY, tokens_in=999, finish_reason="length"), errors.PromptCut),
        (replace(REPLY, text=""), errors.AnswerEmpty),
        (replace(REPLY, text=" \n "), errors.AnswerEmpty),
        (replace(REPLY, text=" \n ", finish_reason="length"), errors.AnswerEmpty),
    ],
)
def test_any_other_reply_is_an_error_and_never_a_guess(
    reply: ModelReply, error: type[errors.ModelError]
) -> None:
    with pytest.raises(error):
        require_complete_text(reply, PROMPT)


@pytest.mark.parametrize(
    ("how", "refused", "other"),
    [
        (STRICT, MODE, Capabilities(JSON_OBJECT)),
        (Capabilities(JSON_OBJECT), MODE, Capabilities(TEXT)),
        (Capabilities(TEXT), MODE, None),
        (STRICT, TOKEN_PARAMETER, replace(STRICT, token_parameter="max_completion_tokens")),
        (replace(STRICT, token_parameter="max_completion_tokens"), TOKEN_PARAMETER, None),
        (STRICT, TEMPERATURE, replace(STRICT, temperature=False)),
        (replace(STRICT, temperature=False), TEMPERATURE, None),
        (STRICT, "something else", None),
    ],
)
def test_what_was_refused_is_asked_for_in_another_way_or_not_at_all(
    how: Capabilities, refused: str, other: Capabilities | None
) -> None:
    assert next_format(how, refused) == other


def test_what_was_learned_is_kept_on_the_way_down() -> None:
    how: Capabilities | None = STRICT

    for refused in (TOKEN_PARAMETER, MODE, TEMPERATURE, MODE):
        assert how is not None
        how = next_format(how, refused)

    assert how == Capabilities(TEXT, token_parameter="max_completion_tokens", temperature=False)


@pytest.mark.parametrize(
    ("reported_in", "reported_out", "believed"),
    [
        (2000, 9, (2000, 9)),
        (28_000, 200_000, (28_000, 200_000)),
        (28_001, 9, (0, 9)),
        (2000, 200_001, (2000, 0)),
        (10**12, 10**12, (0, 0)),
        (1, 1, (0, 1)),
        (8, 0, (8, 0)),
    ],
)
def test_a_count_of_tokens_that_no_server_can_reach_counts_as_missing(
    reported_in: int, reported_out: int, believed: tuple[int, int]
) -> None:
    reply = drop_implausible_counts(
        replace(REPLY, tokens_in=reported_in, tokens_out=reported_out), PROMPT
    )

    assert (reply.tokens_in, reply.tokens_out) == believed
