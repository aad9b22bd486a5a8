"""What servers say when they refuse, and what it means."""

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processor.analysis import errors
from processor.analysis.errors import MODE, TEMPERATURE, TOKEN_PARAMETER, error_for


def openai_body(message: str, code: str | None = None, **more: object) -> str:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return json.dumps({"error": error | more})


TOO_LONG = {
    "llama.cpp": (
        400,
        '{"error":{"code":400,"message":"the request exceeds the available context size, try '
        'increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}',
    ),
    "llama-cpp-python": (
        400,
        openai_body(
            "This model's maximum context length is 2048 tokens. However, you requested 3000 "
            "tokens (1976 in the messages, 1024 in the completion).",
            "context_length_exceeded",
        ),
    ),
    "LiteLLM": (
        400,
        openai_body("litellm.ContextWindowExceededError: BadRequestError: the request exceeds it"),
    ),
    "OpenAI": (
        400,
        openai_body("Your input exceeds the limit of this model.", "context_length_exceeded"),
    ),
    "vLLM, naming max_tokens": (
        400,
        openai_body(
            "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum "
            "context length is 4096 tokens and your request has 1000 input tokens."
        ),
    ),
    "LM Studio": (
        400,
        '{"error":"Trying to keep the first 5000 tokens when the context overflows. However, the '
        'model is loaded with context length of only 4096 tokens, which is not enough."}',
    ),
    "Ollama": (400, openai_body("input length exceeds the context length")),
    "Anthropic": (400, openai_body("prompt is too long: 208310 tokens > 200000 maximum")),
    "Gemini": (
        400,
        '[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum '
        'number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]',
    ),
    "Groq": (
        413,
        openai_body(
            "Request too large for model in organization on tokens per minute (TPM): Limit 6000, "
            "Requested 9000, please reduce your message size and try again."
        ),
    ),
    "a proxy": (413, "<html><h1>413 Request Entity Too Large</h1></html>"),
    "a server whose prompt had a schema": (
        500,
        openai_body("json_schema request with 9000 tokens exceeds the available context size"),
    ),
}
MODE_REFUSED = {
    "llama-cpp-python": (
        500,
        "{\"error\":{\"message\":\"[{'type': 'literal_error', 'loc': ('body', "
        "'response_format', 'type'), 'msg': \\\"Input should be 'text' or 'json_object'\\\", "
        '\'input\': \'json_schema\'}]","type":"internal_server_error"}}',
    ),
    "LM Studio": (400, "{\"error\":\"'response_format.type' must be 'json_schema' or 'text'\"}"),
    "LM Studio, bare": (400, '"response_format must be json_schema or text"'),
    "llama.cpp, bad schema": (400, openai_body("JSON schema conversion failed: unsupported")),
    "llama.cpp, bad grammar": (500, openai_body("Failed to parse grammar")),
    "Groq": (
        400,
        openai_body("This model does not support response format `json_schema`."),
    ),
    "DeepSeek": (400, openai_body("This response_format type is unavailable now")),
    "Gemini": (
        400,
        '[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name '
        '\\"anyOf\\" at \'generation_config.response_schema\'","status":"INVALID_ARGUMENT"}}]',
    ),
    "Anthropic": (400, openai_body("response_format.json_schema.strict: Input should be True")),
    "an old server": (501, openai_body("structured output is not implemented")),
    "FastAPI": (422, '{"detail":[{"loc":["body","response_format"],"msg":"extra fields"}]}'),
}
PARAMETER_REFUSED = {
    "OpenAI, max_tokens": (
        openai_body(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            "unsupported_parameter",
            param="max_tokens",
        ),
        TOKEN_PARAMETER,
    ),
    "OpenAI, temperature": (
        openai_body(
            "Unsupported value: 'temperature' does not support 0 with this model. "
            "Only the default (1) value is supported.",
            "unsupported_value",
            param="temperature",
        ),
        TEMPERATURE,
    ),
}
NO_MODEL = {
    "OpenAI": (
        404,
        openai_body("The model `gpt-9` does not exist or you do not have access to it."),
    ),
    "Ollama": (404, openai_body('model "qwen9" not found, try pulling it first')),
    "LiteLLM": (400, openai_body("/chat/completions: Invalid model name passed in model=x.")),
    "LM Studio": (400, '{"error":"No models loaded. Please load a model in the developer page."}'),
    "Gemini": (404, '[{"error":{"code":404,"message":"models/x is not found for API version"}}]'),
    "Azure": (
        404,
        openai_body("The API deployment for this resource does not exist.", "DeploymentNotFound"),
    ),
    "OpenRouter": (400, openai_body("x/y is not a valid model ID")),
}
NO_ENTRY = {
    "a wrong key": (401, openai_body("Incorrect API key provided", "invalid_api_key")),
    "no credits": (402, openai_body("Insufficient Balance")),
    "forbidden": (403, "Forbidden"),
    "quota used up": (429, openai_body("You exceeded your quota", "insufficient_quota")),
    "Gemini": (
        400,
        '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.",'
        '"status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]',
    ),
    "Anthropic": (400, openai_body("Your credit balance is too low to access the API.")),
}
DECLINED = {
    "Azure": (
        400,
        openai_body(
            "The response was filtered due to the prompt triggering Azure OpenAI's content "
            "management policy.",
            "content_filter",
        ),
    ),
    "LiteLLM": (400, openai_body("litellm.ContentPolicyViolationError: refused")),
    "OpenRouter": (403, openai_body('Your input was flagged for "violence".')),
}
DOWN = {
    "busy": (503, openai_body("server busy, please try again")),
    "broken": (500, openai_body("The server had an error.")),
    "a proxy's page": (502, "<html>Bad gateway</html>"),
    "a page that speaks of a schema": (
        500,
        '<html itemscope itemtype="https://schema.org/WebPage">temperature</html>',
    ),
    "overloaded": (529, openai_body("Overloaded")),
    "too slow": (408, ""),
}
LIMITED = {
    "by a code": (429, openai_body("Rate limit reached.", "rate_limit_exceeded")),
    "naming max_tokens": (429, openai_body("TPM limit, lower max_tokens")),
    "without a word": (429, ""),
}


def error_of(status: int, body: str) -> Exception:
    return error_for(status, body, {})


@pytest.mark.parametrize("server", TOO_LONG)
def test_a_prompt_that_is_too_long_is_recognised(server: str) -> None:
    assert type(error_of(*TOO_LONG[server])) is errors.PromptTooLong


@pytest.mark.parametrize("server", MODE_REFUSED)
def test_a_refused_answer_mode_is_recognised(server: str) -> None:
    error = error_of(*MODE_REFUSED[server])

    assert isinstance(error, errors.NotSupported)
    assert error.feature == MODE


@pytest.mark.parametrize("server", PARAMETER_REFUSED)
def test_a_refused_parameter_is_recognised(server: str) -> None:
    body, feature = PARAMETER_REFUSED[server]

    error = error_of(400, body)

    assert isinstance(error, errors.NotSupported)
    assert error.feature == feature


@pytest.mark.parametrize("server", NO_MODEL)
def test_a_model_that_does_not_exist_is_recognised(server: str) -> None:
    assert type(error_of(*NO_MODEL[server])) is errors.ModelNotFound


@pytest.mark.parametrize("server", NO_ENTRY)
def test_a_refused_key_or_account_is_recognised(server: str) -> None:
    assert type(error_of(*NO_ENTRY[server])) is errors.KeyRefused


@pytest.mark.parametrize("server", DECLINED)
def test_a_declined_document_is_recognised(server: str) -> None:
    assert type(error_of(*DECLINED[server])) is errors.AnswerRefused


@pytest.mark.parametrize("server", DOWN)
def test_a_server_in_trouble_is_recognised(server: str) -> None:
    assert type(error_of(*DOWN[server])) is errors.ModelUnavailable


@pytest.mark.parametrize("server", LIMITED)
def test_a_server_that_was_asked_too_often_is_recognised(server: str) -> None:
    assert type(error_of(*LIMITED[server])) is errors.RateLimited


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, "404 page not found"),
        (404, '{"detail":"Not Found"}'),
        (404, "<html>model not found</html>"),
        (301, ""),
        (302, "<html>Log in</html>"),
        (307, ""),
    ],
)
def test_an_address_without_a_model_server_is_recognised(status: int, body: str) -> None:
    assert type(error_of(status, body)) is errors.NotAModelServer


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, ""),
        (400, '[{"error":{"code":400,"message":"Unknown field.","status":"INVALID_ARGUMENT"}}]'),
        (405, "Method Not Allowed"),
        (418, "I'm a teapot"),
        (422, '{"detail":"unprocessable"}'),
    ],
)
def test_what_nobody_foresaw_is_a_refused_request(status: int, body: str) -> None:
    assert type(error_of(status, body)) is errors.RequestRefused


def test_an_answer_that_the_server_itself_found_unfit_is_unusable() -> None:
    body = openai_body(
        "Generated JSON does not match the expected schema.",
        "json_validate_failed",
        failed_generation='{"title": ',
    )

    assert type(error_of(400, body)) is errors.AnswerUnusable


def test_thinking_that_used_up_all_tokens_is_a_cut_answer_not_a_refused_parameter() -> None:
    body = openai_body(
        "Could not finish the message because max_tokens or model output limit was reached."
    )

    assert type(error_of(400, body)) is errors.AnswerCut


def test_words_of_a_document_that_the_server_repeats_mean_nothing() -> None:
    request = "You are a careful filing clerk. " * 100 + "Temperature and context length of rooms"

    assert type(error_of(400, openai_body(f"bad request: {request}"))) is errors.RequestRefused


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("120", timedelta(minutes=2)),
        ("0", timedelta(0)),
        ("7.66", timedelta(seconds=7.66)),
        ("", None),
        ("-5", timedelta(0)),
        ("soon", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("9" * 400, timedelta(days=1)),
    ],
)
@pytest.mark.parametrize(
    ("status", "body"), [(503, "busy"), (429, "too many"), (429, "insufficient_quota")]
)
def test_the_wait_that_a_server_asks_for_is_kept(
    status: int, body: str, header: str, wait: timedelta | None
) -> None:
    error = error_for(status, body, {"retry-after": header})

    assert isinstance(error, errors.ModelUnavailable)
    assert error.retry_after == wait


@pytest.mark.parametrize(
    ("until", "wait"),
    [
        ("Wed, 21 Oct 2026 07:28:00 GMT", timedelta(minutes=28)),
        ("Wed, 21 Oct 2026 06:28:00 GMT", timedelta(0)),
        ("Fri, 31 Dec 9999 23:59:59 GMT", timedelta(days=1)),
    ],
)
def test_a_date_is_held_against_the_date_of_the_answer(until: str, wait: timedelta) -> None:
    dated = {"retry-after": until, "date": "Wed, 21 Oct 2026 07:00:00 GMT"}

    error = error_for(503, "", dated)

    assert isinstance(error, errors.ModelUnavailable)
    assert error.retry_after == wait


@pytest.mark.parametrize(
    ("body", "is_daily"),
    [
        ("Rate limit reached: 14400 requests per day (RPD)", True),
        ("Rate limit reached for tokens per minute (TPM)", False),
        ("Rate limit exceeded: free-models-per-day", True),
        ('{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}', True),
        ("You have reached your daily limit", True),
        ("insufficient_quota", False),
    ],
)
def test_a_quota_that_ends_with_the_day_is_named_in_the_message(
    body: str, *, is_daily: bool
) -> None:
    assert ("(daily quota)" in str(error_for(429, body, {}))) is is_daily


def test_without_a_header_nobody_asks_for_a_wait() -> None:
    error = error_for(429, "", {})

    assert isinstance(error, errors.ModelUnavailable)
    assert error.retry_after is None


def test_the_message_quotes_the_server_on_one_short_line() -> None:
    error = error_of(400, "no\nsuch \x1b[31mthing " + "x" * 5000)

    assert str(error).startswith("the model server answered 400: no such [31mthing xxx")
    assert len(str(error)) < 250


@given(st.integers(min_value=300, max_value=599), st.text())
def test_every_answer_means_something_that_the_ladder_or_the_verdict_knows(
    status: int, body: str
) -> None:
    assert isinstance(error_of(status, body), errors.ModelError | errors.NotSupported)


@pytest.mark.parametrize("body", ["", " \n", "\u200b"])
def test_a_server_without_words_is_not_quoted(body: str) -> None:
    assert str(error_for(503, body, {})) == "the model server answered 503"
