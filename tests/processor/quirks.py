"""The result of each quirk of a model server, shared by tests and documentation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expected:
    """How a job ends with such a server, and the number of calls the first time."""

    end: str
    """`filed`, `retried`, `on hold` until the server works again, or `fails`."""
    outcome: str
    """Of the last call: `ok`, or the error's code."""
    calls: int


def filed(calls: int) -> Expected:
    return Expected("filed", "ok", calls)


def again(code: str, calls: int = 1) -> Expected:
    return Expected("retried", code, calls)


def fails(code: str, calls: int = 1) -> Expected:
    return Expected("fails", code, calls)


def held(code: str) -> Expected:
    return Expected("on hold", code, 1)


EXPECTED: dict[str, Expected] = {
    "schema_refused": filed(2),
    "schema_breaks_the_server": filed(2),
    "schema_refused_by_a_proxy": filed(2),
    "schema_ignored": filed(1),
    "schema_only": filed(1),
    "schema_only_and_broken": filed(3),
    "plain_text_only": filed(3),
    "form_checked_by_the_server": filed(3),
    "unions_refused": filed(1),
    "open_schema_refused": filed(1),
    "loose_schema_refused": filed(1),
    "the_word_json_wanted": filed(2),
    "max_tokens_refused": filed(2),
    "max_completion_tokens_dropped": filed(1),
    "temperature_refused": filed(2),
    "unknown_parameters_refused": filed(1),
    "developer_breaks_the_server": filed(1),
    "thinking_before": filed(1),
    "fence_around": filed(1),
    "prose_around": filed(1),
    "thoughts_apart": filed(1),
    "content_in_parts": filed(1),
    "answer_in_reasoning": filed(1),
    "answer_in_reasoning_content": filed(1),
    "nothing_but_thoughts": again("answer_empty", 3),
    "answer_in_a_tool_call": filed(1),
    "slips_in_the_json": filed(1),
    "rubbish": again("answer_unusable", 3),
    "empty": again("answer_empty", 3),
    "blanks_for_an_object": filed(3),
    "blanks_without_end": filed(2),
    "cut_at_the_limit": fails("answer_cut", 2),
    "declined": fails("answer_refused"),
    "filtered_half_way": fails("answer_refused"),
    "filtered_beforehand": fails("answer_refused"),
    "tokens_not_counted": filed(1),
    "page_with_200": again("not_a_model_server"),
    "error_with_200": again("not_a_model_server"),
    "no_choices": again("not_a_model_server"),
    "error_as_a_list": again("model_refused_request"),
    "key_refused_as_a_list": held("model_key_refused"),
    "out_of_quota": held("model_key_refused"),
    "too_many_requests": held("model_rate_limited"),
    "too_many_requests_at_a_proxy": held("model_rate_limited"),
    "busy": again("model_unavailable"),
    "busy_without_a_word": again("model_unavailable"),
    "bad_gateway": again("model_unavailable"),
    "any_model_name_taken": filed(1),
    "model_not_found": held("model_not_found"),
    "model_not_found_at_a_proxy": held("model_not_found"),
    "slow_to_load": filed(1),
    "never_loaded": again("model_unavailable"),
    "too_long_for_llama_cpp": filed(4),
    "too_long_for_openai": filed(4),
    "too_long_for_litellm": filed(4),
    "too_long_for_gemini": filed(4),
    "cut_in_silence": fails("prompt_cut"),
}
