"""What a model said about one document, and what each call to it cost."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from core.changes import Suggestion

YEARS_BACK = 15
"""Old papers are scanned as well, but an older date is more often a birthday or misread."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One of the parts of a long document, each of which is asked about by itself."""

    number: int
    """Counted from 1."""
    of: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that a model said about one document, or about one pass of it."""

    suggestions: tuple[Suggestion, ...]
    model: str
    prompt_version: str
    """Hash of the prompt's words, the owner's instructions among them."""
    content_hash: str
    """Hash of the text that was analysed."""
    tokens_in: int = 0
    tokens_out: int = 0
    examples: tuple[int, ...] = ()
    """Documents that were shown to the model as examples."""
    part: Chunk | None = None
    """Which pass it is about; None: the whole document."""
    unread: int = 0
    """How many characters of the text the model was not shown."""


class ResultKind(StrEnum):
    """What a result is to its job."""

    PARTIAL = "partial"
    """About one pass, or about a text, prompt or model that has changed since."""
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class Result:
    """A stored analysis: a numbered snapshot of one job."""

    id: int
    job_id: int
    number: int
    """Counted from 1 within the job."""
    kind: ResultKind
    schema_version: int
    """Of the shape in which it is kept."""
    analysis: Analysis
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ModelAndPrompt:
    """A model, and a version of the prompt, by which results came about."""

    model: str
    prompt_version: str
    last_at: datetime


@dataclass(frozen=True, slots=True)
class DeletedResult:
    """What is left of a result that retention took: its address stays known."""

    result_id: int
    instance: str
    deleted_at: datetime


OK = "ok"
"""Outcome of a call that was answered as asked."""
STARTED = "started"
"""Outcome of a call that is under way, or that its process did not survive."""
NOT_CONNECTED = "not_connected"
"""Outcome of a call that could not connect: nothing was sent, so it is not counted."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call to a model, whatever became of it."""

    endpoint: str
    model: str
    mode: str
    outcome: str
    """`ok`, `started`, `not_connected`, or the code of the error."""
    tokens_in: int
    tokens_out: int
    took_ms: int
    at: datetime
    cost: Decimal = Decimal(0)
    """Until the call has ended, what it is expected to cost."""


@dataclass(frozen=True, slots=True)
class RawResponse:
    """What a model wrote, word by word, whatever became of it."""

    call: ModelCall
    text: str
    is_cut: bool
    """It was longer than what is kept."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an endpoint was found to understand, for one model."""

    mode: str
    """Answer mode: json_schema, json_object or text."""
    token_parameter: str = "max_tokens"  # noqa: S105 - a parameter's name
    temperature: bool = True
