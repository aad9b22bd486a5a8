import httpx
import pytest

from sandbox.model import (
    Behaviour,
    Failure,
    Mode,
    ModelServer,
    Overflow,
    Parameter,
    Unsupported,
)
from tests.sandbox.model.prompts import (
    BILL,
    JSON_OBJECT,
    answer_of,
    choice_of,
    json_schema,
    post_chat,
)

LONG = BILL + "Noch eine Zeile ohne Belang.\n" * 400
NO_SCHEMA = frozenset({Mode.JSON_OBJECT})
NO_OBJECT = frozenset({Mode.JSON_SCHEMA})
FORMS = {Mode.JSON_SCHEMA: json_schema(), Mode.JSON_OBJECT: JSON_OBJECT}


@pytest.mark.parametrize(
    ("lacking", "how", "status", "words"),
    [
        (Mode.JSON_SCHEMA, Unsupported.BAD_REQUEST, 400, "response format `json_schema`"),
        (Mode.JSON_OBJECT, Unsupported.BAD_REQUEST, 400, "response_format"),
        (Mode.JSON_SCHEMA, Unsupported.SERVER_ERROR, 500, "should be 'text' or 'json_object'"),
        (Mode.JSON_OBJECT, Unsupported.BARE_STRING, 400, "must be 'json_schema' or 'text'"),
        (Mode.JSON_SCHEMA, Unsupported.BARE_STRING, 400, "must be 'json_object' or 'text'"),
        (Mode.JSON_SCHEMA, Unsupported.LITELLM, 500, "litellm.InternalServerError"),
        (Mode.JSON_OBJECT, Unsupported.VALIDATION_FAILED, 400, "json_validate_failed"),
    ],
)
def test_a_mode_that_is_missing_is_refused_in_the_servers_own_way(
    http: httpx.Client, lacking: Mode, how: Unsupported, status: int, words: str
) -> None:
    modes = [mode for mode in Mode if mode is not lacking]
    http.post("/sandbox/behaviour", json={"modes": modes, "unsupported": how})

    refused = post_chat(http, response_format=FORMS[lacking])

    assert refused.status_code == status
    assert words in refused.text
    for form in (None, *(FORMS[mode] for mode in modes)):
        assert post_chat(http, response_format=form).status_code == 200


def test_a_bare_string_is_the_whole_error(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(modes=NO_OBJECT, unsupported=Unsupported.BARE_STRING))

    assert isinstance(post_chat(http, response_format=JSON_OBJECT).json()["error"], str)


def test_a_schema_may_be_ignored_without_a_word(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(modes=NO_SCHEMA, unsupported=Unsupported.IGNORED))

    content = choice_of(post_chat(http, response_format=json_schema(["date"])))["message"][
        "content"
    ]

    assert content.startswith("Here is")
    assert "```json\n{" in content
    assert '"title"' in content


@pytest.mark.parametrize(
    ("parameter", "value", "code"),
    [
        (Parameter.MAX_TOKENS, 900, "unsupported_parameter"),
        (Parameter.TEMPERATURE, 0, "unsupported_value"),
    ],
)
def test_reasoning_models_refuse_parameters(
    model: ModelServer, http: httpx.Client, parameter: Parameter, value: int, code: str
) -> None:
    model.behave(Behaviour(rejects=frozenset(Parameter)))

    error = post_chat(http, **{str(parameter): value}).json()["error"]

    assert (error["code"], error["param"]) == (code, parameter)
    assert post_chat(http, max_completion_tokens=900).status_code == 200


@pytest.mark.parametrize(
    ("failure", "status", "words"),
    [
        (Failure.WRONG_KEY, 401, "invalid_api_key"),
        (Failure.PAYMENT_REQUIRED, 402, "Insufficient credits"),
        (Failure.INSUFFICIENT_QUOTA, 429, "insufficient_quota"),
        (Failure.RATE_LIMITED, 429, "rate_limit_exceeded"),
        (Failure.SERVER_ERROR, 500, "server_error"),
        (Failure.UNAVAILABLE, 503, "busy"),
        (Failure.LIST_BODY, 400, "INVALID_ARGUMENT"),
        (Failure.KEY_NOT_VALID, 400, "API key not valid"),
        (Failure.PROMPT_FILTERED, 400, "content_filter"),
        (Failure.BAD_GATEWAY, 502, "<h1>502 Bad Gateway</h1>"),
        (Failure.NO_WORDS, 503, ""),
        (Failure.LITELLM_LIMITED, 429, "litellm.RateLimitError"),
    ],
)
def test_a_failing_server_says_so(
    model: ModelServer, http: httpx.Client, failure: Failure, status: int, words: str
) -> None:
    model.behave(Behaviour(failure=failure))

    response = post_chat(http)

    assert response.status_code == status
    assert words in response.text
    assert "retry-after" not in response.headers


def test_a_failure_may_say_when_to_come_back(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(failure=Failure.RATE_LIMITED, retry_after="17"))

    assert post_chat(http).headers["retry-after"] == "17"


def test_an_error_may_be_a_list(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(failure=Failure.LIST_BODY))

    assert isinstance(post_chat(http).json(), list)


@pytest.mark.parametrize(
    ("dialect", "words"),
    [
        (Overflow.LLAMA_CPP, "exceed_context_size_error"),
        (Overflow.OPENAI, "context_length_exceeded"),
        (Overflow.LITELLM, "litellm.ContextWindowExceededError"),
        (Overflow.GEMINI, "The input token count"),
    ],
)
def test_a_prompt_that_is_too_long_is_refused_in_four_dialects(
    model: ModelServer, http: httpx.Client, dialect: Overflow, words: str
) -> None:
    model.behave(Behaviour(context=1000, overflow=dialect))

    response = post_chat(http, LONG)

    assert response.status_code == 400
    assert words in response.text
    assert post_chat(http, BILL).status_code == 200


def test_llama_cpp_tells_both_numbers(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(context=1000))

    error = post_chat(http, LONG).json()["error"]

    assert error["n_ctx"] == 1000
    assert error["n_prompt_tokens"] > 3000


def test_a_silent_cut_is_recognised_by_the_token_count_alone(
    model: ModelServer, http: httpx.Client
) -> None:
    model.behave(Behaviour(context=1000, overflow=Overflow.SILENT))

    response = post_chat(http, LONG, response_format=json_schema())

    assert response.json()["usage"]["prompt_tokens"] == 500
    assert answer_of(response)["correspondent"]["value"] != "Stadtwerke Musterstadt"
    assert answer_of(response)["date"]["value"] == ""
