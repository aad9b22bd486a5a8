"""The quirks of model servers, by name. Each was seen at a real server."""

from collections.abc import Mapping

from sandbox.model.behaviour import (
    Behaviour,
    Demand,
    Dropped,
    Failure,
    Mode,
    Outcome,
    Overflow,
    Parameter,
    UnknownModel,
    Unsupported,
    Usage,
    Wrapping,
)

_NO_MODES: frozenset[Mode] = frozenset()
_SCHEMA, _OBJECT = frozenset({Mode.JSON_SCHEMA}), frozenset({Mode.JSON_OBJECT})

_FORM: Mapping[str, Behaviour] = {
    "schema_refused": Behaviour(modes=_OBJECT),
    "schema_breaks_the_server": Behaviour(modes=_OBJECT, unsupported=Unsupported.SERVER_ERROR),
    "schema_refused_by_a_proxy": Behaviour(modes=_OBJECT, unsupported=Unsupported.LITELLM),
    "schema_ignored": Behaviour(modes=_NO_MODES, unsupported=Unsupported.IGNORED),
    "schema_only": Behaviour(modes=_SCHEMA, unsupported=Unsupported.BARE_STRING),
    "schema_only_and_broken": Behaviour(
        modes=_SCHEMA, unsupported=Unsupported.BARE_STRING, outcome=Outcome.RUBBISH, only_in=_SCHEMA
    ),
    "plain_text_only": Behaviour(modes=_NO_MODES),
    "form_checked_by_the_server": Behaviour(
        modes=_NO_MODES, unsupported=Unsupported.VALIDATION_FAILED
    ),
    "unions_refused": Behaviour(demands=frozenset({Demand.NO_UNIONS})),
    "open_schema_refused": Behaviour(demands=frozenset({Demand.CLOSED})),
    "loose_schema_refused": Behaviour(demands=frozenset({Demand.STRICT})),
    "the_word_json_wanted": Behaviour(modes=_OBJECT, demands=frozenset({Demand.WORD_JSON})),
    "max_tokens_refused": Behaviour(rejects=frozenset({Parameter.MAX_TOKENS})),
    "max_completion_tokens_dropped": Behaviour(drops=frozenset(Dropped)),
    "temperature_refused": Behaviour(rejects=frozenset({Parameter.TEMPERATURE})),
    "unknown_parameters_refused": Behaviour(demands=frozenset({Demand.KNOWN_PARAMETERS})),
    "developer_breaks_the_server": Behaviour(demands=frozenset({Demand.NO_DEVELOPER})),
}
"""What a server accepts and refuses."""

_WORDS: Mapping[str, Behaviour] = {
    "thinking_before": Behaviour(wrapping=frozenset({Wrapping.THINKING})),
    "fence_around": Behaviour(wrapping=frozenset({Wrapping.FENCED})),
    "prose_around": Behaviour(wrapping=frozenset({Wrapping.PROSE})),
    "thoughts_apart": Behaviour(wrapping=frozenset({Wrapping.REASONING_CONTENT})),
    "content_in_parts": Behaviour(wrapping=frozenset({Wrapping.PARTS})),
    "answer_in_reasoning": Behaviour(wrapping=frozenset({Wrapping.ALL_IN_REASONING})),
    "answer_in_reasoning_content": Behaviour(
        wrapping=frozenset({Wrapping.ALL_IN_REASONING_CONTENT})
    ),
    "nothing_but_thoughts": Behaviour(
        wrapping=frozenset({Wrapping.THINKING, Wrapping.ALL_IN_REASONING})
    ),
    "answer_in_a_tool_call": Behaviour(outcome=Outcome.TOOL_CALLS),
    "slips_in_the_json": Behaviour(outcome=Outcome.BROKEN_JSON),
    "rubbish": Behaviour(outcome=Outcome.RUBBISH),
    "empty": Behaviour(outcome=Outcome.EMPTY),
    "blanks_for_an_object": Behaviour(modes=_OBJECT, outcome=Outcome.BLANKS, only_in=_OBJECT),
    "blanks_without_end": Behaviour(outcome=Outcome.ENDLESS_BLANKS, only_in=_SCHEMA),
    "cut_at_the_limit": Behaviour(outcome=Outcome.CUT),
    "declined": Behaviour(outcome=Outcome.REFUSAL),
    "filtered_half_way": Behaviour(outcome=Outcome.CONTENT_FILTER),
    "filtered_beforehand": Behaviour(failure=Failure.PROMPT_FILTERED),
    "tokens_not_counted": Behaviour(usage=Usage.OMITTED),
}
"""The form of an answer, or its absence."""

_PLACE: Mapping[str, Behaviour] = {
    "page_with_200": Behaviour(outcome=Outcome.HTML),
    "error_with_200": Behaviour(outcome=Outcome.ERROR),
    "no_choices": Behaviour(outcome=Outcome.NO_CHOICES),
    "error_as_a_list": Behaviour(failure=Failure.LIST_BODY),
    "key_refused_as_a_list": Behaviour(failure=Failure.KEY_NOT_VALID),
    "out_of_quota": Behaviour(failure=Failure.INSUFFICIENT_QUOTA),
    "too_many_requests": Behaviour(failure=Failure.RATE_LIMITED, retry_after="30"),
    "too_many_requests_at_a_proxy": Behaviour(failure=Failure.LITELLM_LIMITED),
    "busy": Behaviour(failure=Failure.UNAVAILABLE),
    "busy_without_a_word": Behaviour(failure=Failure.NO_WORDS),
    "bad_gateway": Behaviour(failure=Failure.BAD_GATEWAY),
    "any_model_name_taken": Behaviour(models=(), unknown_model=UnknownModel.ACCEPTED),
    "model_not_found": Behaviour(models=("other",), unknown_model=UnknownModel.REFUSED),
    "model_not_found_at_a_proxy": Behaviour(
        models=("other",), unknown_model=UnknownModel.BAD_REQUEST
    ),
    "slow_to_load": Behaviour(delay=0.3),
    "never_loaded": Behaviour(delay=600),
}
"""What responds at the address, and its state."""

_CONTEXT = 3000
_LENGTH: Mapping[str, Behaviour] = {
    "too_long_for_llama_cpp": Behaviour(context=_CONTEXT, overflow=Overflow.LLAMA_CPP),
    "too_long_for_openai": Behaviour(context=_CONTEXT, overflow=Overflow.OPENAI),
    "too_long_for_litellm": Behaviour(context=_CONTEXT, overflow=Overflow.LITELLM),
    "too_long_for_gemini": Behaviour(context=_CONTEXT, overflow=Overflow.GEMINI),
    "cut_in_silence": Behaviour(context=_CONTEXT, overflow=Overflow.SILENT),
}
"""Reactions to a prompt that is longer than the server's context."""

QUIRKS: Mapping[str, Behaviour] = {**_FORM, **_WORDS, **_PLACE, **_LENGTH}


def get_quirk(quirk: str) -> Behaviour:
    """Return the behaviour of a quirk; raise ValueError if it is unknown."""
    if quirk not in QUIRKS:
        raise ValueError(f"no such quirk: {quirk}")
    return QUIRKS[quirk]
