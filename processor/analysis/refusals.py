"""Tell from a model server's error answer what it means; servers say the same in many ways."""

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
    # Of reasoning models, which otherwise refuse max_tokens by name.
    (r"output limit was reached", errors.AnswerCut),
    (r"content_filter|content.?policy|content management policy|was flagged", errors.AnswerRefused),
    (r"api[ _]key[ _](?:not valid|invalid)|invalid_api_key|credit balance", errors.KeyRefused),
    # The server held the answer against the schema itself.
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
"""What an answer is about, by its words; the first that fits counts."""
_TALKATIVE = frozenset({400, 403, 404, 413, 415, 422, 500, 501})
"""Statuses whose words tell more than the number does."""
_BY_STATUS: Mapping[int, Callable[[Message], Exception]] = {
    **dict.fromkeys((401, 402, 403), errors.KeyRefused),
    404: errors.NotAModelServer,
    413: errors.PromptTooLong,
}
_LOOKED_AT = 2000
"""Characters of a body: further on it may repeat the request, and with it the document."""
_QUOTED = 200
_PASSAGE = 4
"""So many words in a row are no chance: they are a passage of what was sent."""
_PER_DAY = re.compile(r"\b(?:per|a)[ _-]day\b|PerDay|\bdaily\b|\b[RT]PD\b")


def error_for(
    status: int,
    body: str,
    headers: Mapping[str, str],
    *,
    sent: str = "",
    now: datetime | None = None,
) -> Exception:
    """Return the error that fits an answer with `status` and `body` to what was `sent`."""
    said = _said(status, _quote(body, sent))
    if status in _TALKATIVE and (meant := _meaning(body[:_LOOKED_AT])):
        return meant(said)
    if status in _BY_STATUS:
        return _BY_STATUS[status](said)
    if status == 429:
        limited = errors.KeyRefused if "insufficient_quota" in body else errors.RateLimited
        is_daily = _PER_DAY.search(body[:_LOOKED_AT]) is not None
        if is_daily:
            said = message("{said} (daily quota)", said=said)
        wait = _retry_after(headers, now)
        return limited(said, retry_after=wait, is_daily_quota=is_daily)
    if 300 <= status < 400:
        return errors.NotAModelServer(message("{said} (redirects are not followed)", said=said))
    if status == 408 or status >= 500:
        return errors.ModelUnavailable(said, retry_after=_retry_after(headers, now))
    return errors.RequestRefused(said)


def _said(status: int, quoted: Message | str) -> Message:
    answered = message("the model server answered {status}", status=str(status))
    return message("{said}: {answer}", said=answered, answer=quoted) if quoted else answered


def _quote(body: str, sent: str) -> Message | str:
    """Return the beginning of a body, but nothing of a document that it repeats."""
    quoted = clean_line(body)[:_QUOTED]
    said, asked = split_words(quoted), " ".join(split_words(sent))
    passages = (" ".join(said[start : start + _PASSAGE]) for start in range(len(said)))
    repeats = any(len(one.split()) == _PASSAGE and one in asked for one in passages)
    return message("(it repeats the request)") if repeats else quoted


def _meaning(body: str) -> Callable[[Message], Exception] | None:
    if body.lstrip().startswith("<"):
        return None  # A proxy's page, whatever words are on it.
    fitting = (make for words, make in _MEANINGS if re.search(words, body, re.I | re.S))
    return next(fitting, None)


def _retry_after(headers: Mapping[str, str], now: datetime | None) -> timedelta | None:
    # A date is compared with the server's own clock, so differences between clocks do not matter.
    sent_at = parse_http_date(headers.get("date", "")) or now
    return parse_retry_after(headers.get("retry-after", ""), now=sent_at)
