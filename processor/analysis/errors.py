"""Errors of the model API and its answers, named by what the caller can do about them.

    ModelError
    ├── ModelUnavailable        try later; a probe checks whether the endpoint is down
    │   ├── KeyRefused          the operator must check the key, the quota or the account
    │   ├── RateLimited         too many requests, or too many tokens at a time
    │   ├── ModelNotFound       the operator must check the model's name
    │   ├── AnswerInterrupted   the answer had begun and did not end
    │   └── NotAModelServer     something else answers at that address
    ├── RequestRefused          the server rejected this request
    ├── AnswerEmpty             ask again later
    ├── AnswerUnusable          ask again later
    ├── AnswerTooLarge          ask again later
    └── HopelessAnswer          asking again changes nothing
        ├── AnswerCut           the answer does not end, even with a higher limit
        ├── AnswerRefused       the model declines this document
        ├── PromptTooLong       the document does not fit, even shortened
        ├── PromptCut           the server silently dropped part of the prompt
        └── NoAnswerMode        the server rejects every response format

`NotSupported` is caught inside the package: another response format is tried.
"""

from datetime import timedelta

from core.errors import PaperclerkError, PermanentError
from core.messages import Message


class ModelError(PaperclerkError):
    """A request to the model brought no usable answer."""

    code = "model_error"
    user_message = "The language model returned no usable answer."


class ModelUnavailable(ModelError):
    """The endpoint did not answer as it should; it may be down."""

    code = "model_unavailable"
    user_message = "The language model is unreachable. The document is waiting; nothing is lost."
    hint = "Check that the model server is running and that ai.base_url is correct."

    def __init__(
        self,
        message: Message | str,
        *,
        retry_after: timedelta | None = None,
        unanswered: bool = False,
        connected: bool = True,
        is_daily_quota: bool = False,
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.unanswered = unanswered
        """The request was sent and not answered: it may be billed all the same."""
        self.connected = connected
        """Whether a connection was made; otherwise nothing was sent."""
        self.is_daily_quota = is_daily_quota
        """Whether the server refuses until the next day."""


class KeyRefused(ModelUnavailable):
    """The endpoint refuses the key, or the account behind it is out of quota."""

    code = "model_key_refused"
    user_message = "The language model's server rejected the API key. The document is waiting."
    hint = "Check ai.api_key (or ai.api_key_file) and the account's quota."


class RateLimited(ModelUnavailable):
    """The endpoint accepts fewer or shorter requests."""

    code = "model_rate_limited"
    user_message = (
        "The language model's server received too many requests. The document is waiting."
    )
    hint = (
        "The server sets this limit: check what your account allows, or lower processor.parallel."
    )


class ModelNotFound(ModelUnavailable):
    """The endpoint does not know the model."""

    code = "model_not_found"
    user_message = "The configured language model does not exist. The document is waiting."
    hint = "List the models with `paperclerk models NAME` and set ai.model to one of them."


class AnswerInterrupted(ModelUnavailable):
    """A streamed answer stopped before its end."""

    code = "answer_interrupted"
    user_message = "The language model stopped in the middle of its answer."
    hint = "Check the log of the model server. The next attempt asks without streaming."

    def __init__(self, message: Message) -> None:
        super().__init__(message, unanswered=True)


class NotAModelServer(ModelUnavailable):
    """What answers is not an OpenAI-compatible API."""

    code = "not_a_model_server"
    hint = "ai.base_url must be the OpenAI-compatible address; it usually ends in /v1."


class RequestRefused(ModelError):
    """The server rejected this request for a reason that no other format can change."""

    code = "model_refused_request"


class AnswerEmpty(ModelError):
    """The answer has no text."""

    code = "answer_empty"
    user_message = "The language model's answer was empty."


class AnswerUnusable(ModelError):
    """The answer is not the JSON that was asked for."""

    code = "answer_unusable"
    user_message = "The language model's answer could not be read."
    hint = "A larger model, or one built for structured output, is more reliable."


class AnswerTooLarge(ModelError):
    """The answer exceeds the size limit."""

    code = "answer_too_large"
    user_message = "The language model's answer is too large."
    hint = "Check the log of the model server: the model may be repeating itself endlessly."
    unanswered = True
    """The output is not counted, but the prompt is billed."""


class HopelessAnswer(ModelError, PermanentError):
    """A retry would not help."""


class AnswerCut(HopelessAnswer):
    """The answer was cut at its length limit, also with four times the room."""

    code = "answer_cut"
    user_message = "The language model's answer was cut off."
    hint = "If the model reasons at length, increase ai.context or turn reasoning off."


class AnswerRefused(HopelessAnswer):
    """The model or its filter declines this document."""

    code = "answer_refused"
    user_message = "The language model refused to read this document."


class PromptTooLong(HopelessAnswer):
    """The prompt does not fit into the model's context, even shortened."""

    code = "prompt_too_long"
    user_message = "The document does not fit into the language model's context."
    hint = "Lower ai.context to the actual context size of the server, or raise it on the server."


class PromptCut(HopelessAnswer):
    """The server dropped part of the prompt and answered all the same."""

    code = "prompt_cut"
    user_message = "The server truncated the document before the language model read it."
    hint = (
        "Raise the server's context size (Ollama: OLLAMA_CONTEXT_LENGTH), or "
        "lower ai.context to match it."
    )


class NoAnswerMode(HopelessAnswer):
    """The server rejects every response format."""

    code = "no_answer_mode"


class NotSupported(Exception):
    """The server rejects one feature of the request: a response format or a parameter."""

    def __init__(self, feature: str, message: Message) -> None:
        super().__init__(str(message))
        self.feature = feature
        self.message = message
