"""What a model said about one document, and what each call to it cost."""

from dataclasses import dataclass
from datetime import datetime

from core.changes import Suggestion


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that a model said about one document."""

    suggestions: tuple[Suggestion, ...]
    model: str
    prompt_version: str
    """Hash of the prompt's words, the owner's instructions among them."""
    content_hash: str
    """Hash of the text that was analysed."""
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """A stored analysis: a numbered snapshot of one job."""

    id: int
    job_id: int
    analysis: Analysis
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call to a model, whatever became of it."""

    endpoint: str
    model: str
    mode: str
    outcome: str
    """`ok`, or the code of the error."""
    tokens_in: int
    tokens_out: int
    took_ms: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an endpoint was found to understand, for one model."""

    mode: str
    """Answer mode: json_schema, json_object or text."""
    token_parameter: str = "max_tokens"  # noqa: S105 - a parameter's name
    temperature: bool = True
