"""Results of analyses, and the calls to the model behind them."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from core.changes import Suggestion

YEARS_BACK = 15
"""Maximum age of a plausible date: an older one is more often a date of birth, or misread."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One of the parts of a long document, each with a prompt of its own."""

    number: int
    """Counted from 1."""
    of: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """The suggestions of a model for one document, or for one chunk of it."""

    suggestions: tuple[Suggestion, ...]
    model: str
    prompt_version: str
    """Hash of the prompt's text, including the owner's instructions."""
    content_hash: str
    """Hash of the text that was analyzed."""
    tokens_in: int = 0
    tokens_out: int = 0
    examples: tuple[int, ...] = ()
    """Ids of the documents shown as examples."""
    part: Chunk | None = None
    """The chunk; None: the whole document."""
    unread: int = 0
    """Characters of the text that the model did not get."""


class ResultKind(StrEnum):
    """Role of a result for its job."""

    PARTIAL = "partial"
    """Of one chunk, or of a text, prompt or model that has changed since."""
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class Result:
    """A stored analysis of one job."""

    id: int
    job_id: int
    number: int
    """Counted from 1 within the job."""
    kind: ResultKind
    schema_version: int
    """Version of the format in which it is stored."""
    analysis: Analysis
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ModelAndPrompt:
    """A model and prompt version that produced results."""

    model: str
    prompt_version: str
    last_at: datetime


OK = "ok"
"""Outcome of a call with a usable answer."""
STARTED = "started"
"""Outcome of a call that is running, or whose process died."""
PROBED = "probe"
"""Outcome of a call that tested whether the endpoint streams; its answer is not used."""
NOT_CONNECTED = "not_connected"
"""Outcome of a call that could not connect: nothing was sent, so it is not counted."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call to a model, with any outcome."""

    endpoint: str
    model: str
    mode: str
    outcome: str
    """`ok`, `started`, `probe`, `not_connected`, or the code of the error."""
    tokens_in: int
    tokens_out: int
    took_ms: int
    at: datetime
    cost: Decimal = Decimal(0)
    """An estimate until the call has ended."""


@dataclass(frozen=True, slots=True)
class RawResponse:
    """The raw response of a model to one call."""

    call: ModelCall
    text: str
    is_cut: bool
    """Whether it was longer than the maximum that is stored."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The request format that an endpoint supports for one model."""

    mode: str
    """Answer mode: json_schema, json_object or text."""
    token_parameter: str = "max_tokens"  # noqa: S105 - a parameter's name
    temperature: bool = True
    streams: bool | None = None
    """Whether the endpoint streams in this mode and ends with the usage; None: not known yet."""
