"""What can go wrong between a question and its answer, named by what follows.

    ModelError
    ├── ModelUnavailable        try later; a probe tells whether the endpoint is down
    │   ├── KeyRefused          the operator must look at the key, the quota or the account
    │   ├── RateLimited         the server was asked too often, or for too much at a time
    │   ├── ModelNotFound       the operator must look at the model's name
    │   └── NotAModelServer     something answers at that address, but no model server
    ├── RequestRefused          the server would not take this request
    ├── AnswerEmpty             ask again later
    ├── AnswerUnusable          ask again later
    ├── AnswerTooLarge          ask again later
    └── HopelessAnswer          asking again changes nothing
        ├── AnswerCut           the answer does not end, even with room
        ├── AnswerRefused       the model declines this document
        ├── PromptTooLong       the document does not fit, even shortened
        ├── PromptCut           the server silently dropped part of the prompt
        └── NoAnswerMode        the server refuses every way of asking

`NotSupported` is no outcome: it tells the ladder to ask in another way.
"""

from datetime import timedelta

from core.errors import PaperclerkError, PermanentError
from core.messages import Message


class ModelError(PaperclerkError):
    """A question to the model did not bring an answer that can be used."""

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
        """The question was sent, and no answer came: it may have to be paid for all the same."""
        self.connected = connected
        """Whether a connection was made; without one, nothing was sent."""
        self.is_daily_quota = is_daily_quota
        """Whether the server refuses until the next day."""


class KeyRefused(ModelUnavailable):
    """The endpoint refuses the key, or the account behind it is out of quota."""

    code = "model_key_refused"
    user_message = "The language model's server rejected the API key. The document is waiting."
    hint = "Check ai.api_key (or ai.api_key_file) and the account's quota."


class RateLimited(ModelUnavailable):
    """The endpoint wants fewer questions, or shorter ones."""

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


class NotAModelServer(ModelUnavailable):
    """What answers is not an OpenAI-compatible API."""

    code = "not_a_model_server"
    hint = "ai.base_url must be the OpenAI-compatible address; it usually ends in /v1."


class RequestRefused(ModelError):
    """The server would not take this request, for a reason that no ladder can cure."""

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
    """The output up to then is not counted, but the prompt must be paid for."""


class HopelessAnswer(ModelError, PermanentError):
    """Asking again changes nothing."""


class AnswerCut(HopelessAnswer):
    """The answer was cut at its length limit, also with four times the room."""

    code = "answer_cut"
    user_message = "The language model's answer was cut off."
    hint = "A model that reasons at length needs a larger ai.context, or its reasoning turned off."


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
    """The server refuses every way of asking that we know."""

    code = "no_answer_mode"


class NotSupported(Exception):
    """The server refuses one feature of the request: an answer mode, or a parameter."""

    def __init__(self, feature: str, message: Message) -> None:
        super().__init__(str(message))
        self.feature = feature
        self.message = message
