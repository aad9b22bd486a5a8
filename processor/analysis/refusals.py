"""Map a model server's error response to one of our errors; servers word them differently."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial

from core.messages import Message, message
from core.text import clean_line, split_words
from paperless_client import parse_http_date, parse_retry_after
from processor.analysis import errors

MODE, TOKEN_PARAMETER, TEMPERATURE = "mode", "token_parameter", "temperature"

_MEANINGS: tuple[tuple[str, Callable[[Message], Exception]], ...] = (
    (
        r"exceed_context_size|context_length_exceeded|ContextWindowExceeded"
        r"|(?:exceeds? the|maximum) (?:available )?context|context (?:size|window|length)"
        r"|prompt is too long|input token count|reduce (?:the length|your message)",
        errors.PromptTooLong,
    ),
    # From reasoning models; must precede the pattern for an unsupported max_tokens.
    (r"output limit was reached", errors.AnswerCut),
    (r"content_filter|content.?policy|content management policy|was flagged", errors.AnswerRefused),
    (r"api[ _]key[ _](?:not valid|invalid)|invalid_api_key|credit balance", errors.KeyRefused),
    # The server itself validated the answer against the schema.
    (r"json_validate_failed", errors.AnswerUnusable),
    (r"max_tokens", partial(errors.NotSupported, TOKEN_PARAMETER)),
    (r"temperature", partial(errors.NotSupported, TEMPERATURE)),
    (
        r"response.format|json_schema|json_object|schema|grammar|structured output",
        partial(errors.NotSupported, MODE),
    ),
    (
        r"model_not_found|invalid model|not a valid model|no models? loaded|no endpoints found"
        r"|(?:models?|deployment)\b.{0,100}(?:not exist|not found)",
        errors.ModelNotFound,
    ),
)
"""Errors by the text of the response; the first match counts."""
_STATUSES_WITH_TEXT = frozenset({400, 403, 404, 413, 415, 422, 500, 501})
"""Statuses whose text is more specific than the number."""
_BY_STATUS: Mapping[int, Callable[[Message], Exception]] = {
    **dict.fromkeys((401, 402, 403), errors.KeyRefused),
    404: errors.NotAModelServer,
    413: errors.PromptTooLong,
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
        limited = errors.KeyRefused if "insufficient_quota" in body else errors.RateLimited
        is_daily = _PER_DAY.search(body[:_EXAMINED]) is not None
        if is_daily:
            said = message("{said} (daily quota)", said=said)
        wait = _retry_after(headers, now)
        return limited(said, retry_after=wait, is_daily_quota=is_daily)
    if 300 <= status < 400:
        return errors.NotAModelServer(message("{said} (redirects are not followed)", said=said))
    if status == 408 or status >= 500:
        return errors.ModelUnavailable(said, retry_after=_retry_after(headers, now))
    return errors.RequestRefused(said)


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
