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

`NotSupported` is caught inside the package: another response format is tried. `error_for` maps the
error response of a model server to one of these errors; servers word them differently.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial

from core.errors import PaperclerkError, PermanentError
from core.messages import Message, message
from core.text import clean_line, split_words
from paperless_client import parse_http_date, parse_retry_after


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


MODE, TOKEN_PARAMETER, TEMPERATURE = "mode", "token_parameter", "temperature"

_MEANINGS: tuple[tuple[str, Callable[[Message], Exception]], ...] = (
    (
        r"exceed_context_size|context_length_exceeded|ContextWindowExceeded"
        r"|(?:exceeds? the|maximum) (?:available )?context|context (?:size|window|length)"
        r"|prompt is too long|input token count|reduce (?:the length|your message)",
        PromptTooLong,
    ),
    # From reasoning models; must precede the pattern for an unsupported max_tokens.
    (r"output limit was reached", AnswerCut),
    (r"content_filter|content.?policy|content management policy|was flagged", AnswerRefused),
    (r"api[ _]key[ _](?:not valid|invalid)|invalid_api_key|credit balance", KeyRefused),
    # The server itself validated the answer against the schema.
    (r"json_validate_failed", AnswerUnusable),
    (r"max_tokens", partial(NotSupported, TOKEN_PARAMETER)),
    (r"temperature", partial(NotSupported, TEMPERATURE)),
    (
        r"response.format|json_schema|json_object|schema|grammar|structured output",
        partial(NotSupported, MODE),
    ),
    (
        r"model_not_found|invalid model|not a valid model|no models? loaded|no endpoints found"
        r"|(?:models?|deployment)\b.{0,100}(?:not exist|not found)",
        ModelNotFound,
    ),
)
"""Errors by the text of the response; the first match counts."""
_STATUSES_WITH_TEXT = frozenset({400, 403, 404, 413, 415, 422, 500, 501})
"""Statuses whose text is more specific than the number."""
_BY_STATUS: Mapping[int, Callable[[Message], Exception]] = {
    **dict.fromkeys((401, 402, 403), KeyRefused),
    404: NotAModelServer,
    413: PromptTooLong,
}
_EXAMINED = 2000
"""Characters of a body that are examined; the rest may repeat the request and its document."""
_QUOTED = 200
_PASSAGE = 4
"""Words in a row that show that the response repeats the request."""
_PER_DAY = re.compile(r"\b(?:per|a)[ _-]day\b|PerDay|\bdaily\b|\b[RT]PD\b")


def error_for(
    status: int,
    body: str,
    headers: Mapping[str, str],
    *,
    sent: str = "",
    now: datetime | None = None,
) -> Exception:
    """Return the error for a response with `status` and `body` to the text that was `sent`."""
    said = _describe(status, _quote(body, sent))
    if status in _STATUSES_WITH_TEXT and (build := _find_meaning(body[:_EXAMINED])):
        return build(said)
    if status in _BY_STATUS:
        return _BY_STATUS[status](said)
    if status == 429:
        limited = KeyRefused if "insufficient_quota" in body else RateLimited
        is_daily = _PER_DAY.search(body[:_EXAMINED]) is not None
        if is_daily:
            said = message("{said} (daily quota)", said=said)
        wait = _retry_after(headers, now)
        return limited(said, retry_after=wait, is_daily_quota=is_daily)
    if 300 <= status < 400:
        return NotAModelServer(message("{said} (redirects are not followed)", said=said))
    if status == 408 or status >= 500:
        return ModelUnavailable(said, retry_after=_retry_after(headers, now))
    return RequestRefused(said)


def _describe(status: int, quoted: Message | str) -> Message:
    answered = message("the model server answered {status}", status=str(status))
    return message("{said}: {answer}", said=answered, answer=quoted) if quoted else answered


def _quote(body: str, sent: str) -> Message | str:
    """Return the beginning of a body, unless it repeats text of the document."""
    quoted = clean_line(body)[:_QUOTED]
    words, request = split_words(quoted), " ".join(split_words(sent))
    starts = range(len(words) - _PASSAGE + 1)
    repeats = any(" ".join(words[start : start + _PASSAGE]) in request for start in starts)
    return message("(the answer repeats the request)") if repeats else quoted


def _find_meaning(body: str) -> Callable[[Message], Exception] | None:
    if body.lstrip().startswith("<"):
        return None  # A proxy's HTML page, whose text says nothing about the model.
    matching = (build for pattern, build in _MEANINGS if re.search(pattern, body, re.I | re.S))
    return next(matching, None)


def _retry_after(headers: Mapping[str, str], now: datetime | None) -> timedelta | None:
    # A date is compared with the server's own clock, so differences between clocks do not matter.
    sent_at = parse_http_date(headers.get("date", "")) or now
    return parse_retry_after(headers.get("retry-after", ""), now=sent_at)
