"""Refusals of model servers: status, body and headers as real servers send them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.model.behaviour import (
    Failure,
    Mode,
    Overflow,
    Parameter,
    UnknownModel,
    Unsupported,
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error response."""

    status: int
    body: object
    headers: Mapping[str, str] = field(default_factory=dict)


def openai_error(
    status: int, message: str, *, code: str | None = None, param: str | None = None
) -> Refusal:
    """Build an error in the form of OpenAI, which most servers use."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return Refusal(status, body)


def litellm_error(status: int, message: str) -> Refusal:
    """Build an error of LiteLLM's proxy: the text of another server within its own."""
    error = {"message": f"litellm.{message}", "type": None, "param": None, "code": str(status)}
    return Refusal(status, {"error": error})


def gemini_error(message: str) -> Refusal:
    """Build an error of Gemini: the body is a list."""
    error = {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}
    return Refusal(400, [{"error": error}])


def refuse_mode(mode: Mode, how: Unsupported) -> Refusal:
    match how:
        case Unsupported.SERVER_ERROR:
            message = (
                "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), "
                "'msg': \"Input should be 'text' or 'json_object'\"}]"
            )
            return openai_error(500, message)
        case Unsupported.BARE_STRING:
            other = Mode.JSON_SCHEMA if mode is Mode.JSON_OBJECT else Mode.JSON_OBJECT
            return Refusal(400, {"error": f"'response_format.type' must be '{other}' or 'text'"})
        case Unsupported.LITELLM:
            inner = "Input should be 'text' or 'json_object'"
            return litellm_error(
                500, f"InternalServerError: OpenAIException - response_format: {inner}"
            )
        case Unsupported.VALIDATION_FAILED:
            message = "Failed to generate JSON. Please adjust your prompt."
            return openai_error(400, message, code="json_validate_failed")
        case _:
            message = f"This model does not support response format `{mode}`."
            return openai_error(400, message, param="response_format")


def refuse_parameter(parameter: Parameter) -> Refusal:
    if parameter is Parameter.MAX_TOKENS:
        message = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead."
        )
        return openai_error(400, message, code="unsupported_parameter", param="max_tokens")
    message = (
        "Unsupported value: 'temperature' does not support 0 with this model. "
        "Only the default (1) value is supported."
    )
    return openai_error(400, message, code="unsupported_value", param="temperature")


def refuse_too_long(tokens: int, context: int, dialect: Overflow) -> Refusal:
    match dialect:
        case Overflow.LLAMA_CPP:
            error = {
                "code": 400,
                "message": f"request ({tokens} tokens) exceeds the available context size "
                f"({context} tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": tokens,
                "n_ctx": context,
            }
            return Refusal(400, {"error": error})
        case Overflow.LITELLM:
            message = (
                "BadRequestError: litellm.ContextWindowExceededError: "
                f"request of {tokens} tokens does not fit into {context}"
            )
            return litellm_error(400, message)
        case Overflow.GEMINI:
            message = (
                f"The input token count ({tokens}) exceeds the maximum number of tokens "
                f"allowed ({context})."
            )
            return gemini_error(message)
        case _:
            message = (
                f"This model's maximum context length is {context} tokens. However, your "
                f"messages resulted in {tokens} tokens. Please reduce the length of the messages."
            )
            code = "context_length_exceeded"
            return openai_error(400, message, code=code, param="messages")


def refuse_unknown_model(model: str, how: UnknownModel) -> Refusal:
    if how is UnknownModel.BAD_REQUEST:
        return litellm_error(400, f"BadRequestError: Invalid model name passed in model={model}")
    message = f"The model `{model}` does not exist or you do not have access to it."
    return openai_error(404, message, code="model_not_found", param="model")


_FAILURES = {
    Failure.WRONG_KEY: openai_error(401, "Incorrect API key provided.", code="invalid_api_key"),
    Failure.PAYMENT_REQUIRED: openai_error(402, "Insufficient credits.", code="402"),
    Failure.INSUFFICIENT_QUOTA: openai_error(
        429, "You exceeded your current quota, please check your plan.", code="insufficient_quota"
    ),
    Failure.RATE_LIMITED: openai_error(429, "Rate limit reached.", code="rate_limit_exceeded"),
    Failure.SERVER_ERROR: openai_error(500, "The server had an error."),
    Failure.UNAVAILABLE: openai_error(503, "The server is busy, please try again."),
    Failure.LIST_BODY: gemini_error("Unknown field."),
    Failure.KEY_NOT_VALID: gemini_error("API key not valid. Please pass a valid API key."),
    Failure.PROMPT_FILTERED: openai_error(
        400,
        "The response was filtered due to the prompt triggering the content management policy.",
        code="content_filter",
    ),
    Failure.BAD_GATEWAY: Refusal(502, "<html><h1>502 Bad Gateway</h1><hr>nginx</html>"),
    Failure.NO_WORDS: Refusal(503, ""),
    Failure.LITELLM_LIMITED: litellm_error(429, "RateLimitError: Rate limit reached."),
}


def refuse_by_failure(failure: Failure, retry_after: str | None) -> Refusal:
    refusal = _FAILURES[failure]
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return Refusal(refusal.status, refusal.body, headers)
