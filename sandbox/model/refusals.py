"""The ways in which servers say no: status, body and headers as they were seen."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.model.behaviour import Failure, Mode, Overflow, Parameter, Unsupported


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is none."""

    status: int
    body: object
    headers: Mapping[str, str] = field(default_factory=dict)


def openai_error(
    status: int, message: str, *, code: str | None = None, param: str | None = None
) -> Refusal:
    """Refuse in the shape that most servers took over from OpenAI."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return Refusal(status, body)


def mode_refused(mode: Mode, how: Unsupported) -> Refusal:
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
        case _:
            message = f"This model does not support response format `{mode}`."
            return openai_error(400, message, param="response_format")


def parameter_refused(parameter: Parameter) -> Refusal:
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


def too_long(tokens: int, context: int, dialect: Overflow) -> Refusal:
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
                "litellm.BadRequestError: litellm.ContextWindowExceededError: "
                f"request of {tokens} tokens does not fit into {context}"
            )
            return Refusal(400, {"error": {"message": message, "type": None, "code": "400"}})
        case _:
            message = (
                f"This model's maximum context length is {context} tokens. However, your "
                f"messages resulted in {tokens} tokens. Please reduce the length of the messages."
            )
            code = "context_length_exceeded"
            return openai_error(400, message, code=code, param="messages")


def unknown_model(model: str) -> Refusal:
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
    Failure.LIST_BODY: Refusal(
        400,
        [{"error": {"code": 400, "message": "Unknown field.", "status": "INVALID_ARGUMENT"}}],
    ),
}


def failed(failure: Failure, retry_after: str | None) -> Refusal:
    refusal = _FAILURES[failure]
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return Refusal(refusal.status, refusal.body, headers)
