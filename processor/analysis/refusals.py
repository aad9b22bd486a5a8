"""Tell from a model server's error answer what it means; servers say the same in many ways."""

import re
from collections.abc import Mapping
from datetime import timedelta

from processor.analysis import errors

MODE, TOKEN_PARAMETER, TEMPERATURE = "mode", "token_parameter", "temperature"

_TOO_LONG = re.compile(
    r"exceed_context_size|context_length_exceeded|ContextWindowExceeded|maximum context length"
    r"|exceeds? the (?:available )?context|context (?:size|window|length)",
    re.IGNORECASE,
)
_ABOUT_MODE = re.compile(
    r"response_format|response format|json_schema|json_object|schema|grammar|structured output",
    re.IGNORECASE,
)
_NEGOTIABLE = frozenset({400, 404, 415, 422, 500, 501})
_NO_ENTRY = frozenset({401, 402, 403})
_SAID_AT_MOST = 200


def error_for(status: int, body: str, headers: Mapping[str, str]) -> Exception:
    """Return the error that fits an answer with `status` and `body`."""
    said = f"the model server answered {status}: {_excerpt(body)}"
    if status in _NEGOTIABLE and (about := _what_it_is_about(body)):
        return about(said)
    if status in _NO_ENTRY or (status == 429 and "insufficient_quota" in body):
        return errors.KeyRefused(said)
    if status == 404:
        return errors.ModelNotFound(said)
    if 300 <= status < 400:
        return errors.NotAModelServer(f"{said} (redirects are not followed)")
    if status in {408, 429} or status >= 500:
        return errors.ModelUnavailable(said, retry_after=_retry_after(headers))
    return errors.RequestRefused(said)


def _what_it_is_about(body: str) -> "type[Exception] | _Refusal | None":
    if _TOO_LONG.search(body):
        return errors.PromptTooLong
    if "max_tokens" in body:
        return _Refusal(TOKEN_PARAMETER)
    if "temperature" in body:
        return _Refusal(TEMPERATURE)
    return _Refusal(MODE) if _ABOUT_MODE.search(body) else None


class _Refusal:
    """Makes the NotSupported of one feature."""

    def __init__(self, feature: str) -> None:
        self._feature = feature

    def __call__(self, message: str) -> Exception:
        return errors.NotSupported(self._feature, message)


def _retry_after(headers: Mapping[str, str]) -> timedelta | None:
    said = headers.get("retry-after", "")
    return timedelta(seconds=int(said)) if said.isdecimal() else None


def _excerpt(body: str) -> str:
    """Return the beginning of an error text, on one line; servers may echo the whole prompt."""
    return " ".join(body.split())[:_SAID_AT_MOST]
