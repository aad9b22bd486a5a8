"""Store a model's answers in a file, one line of JSON per document, to run other checks on them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from benchmarks.eval.corpus import label_of
from core.analysis import Analysis
from core.changes import Suggestion
from core.documents import content_hash
from core.fields import Field


class StoredSuggestion(BaseModel):
    """One value as the model suggested it; the field by its name, as ids differ."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    field: str
    value: str
    evidence: str
    confidence: float


class StoredAnswer(BaseModel):
    """The answer about one document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    model: str
    prompt_version: str
    tokens_in: int
    tokens_out: int
    unread: int = 0
    suggestions: tuple[StoredSuggestion, ...]

    @classmethod
    def of(cls, file: str, analysis: Analysis) -> "StoredAnswer":
        return cls(
            file=file,
            model=analysis.model,
            prompt_version=analysis.prompt_version,
            tokens_in=analysis.tokens_in,
            tokens_out=analysis.tokens_out,
            unread=analysis.unread,
            suggestions=tuple(
                StoredSuggestion(
                    field=label_of(suggestion.field),
                    value=suggestion.value,
                    evidence=suggestion.evidence,
                    confidence=suggestion.confidence,
                )
                for suggestion in analysis.suggestions
            ),
        )

    def as_analysis(self, text: str, fields: Iterable[Field]) -> Analysis:
        """Return the answer as the model gave it; fields that no longer exist are dropped."""
        by_label = {label_of(field): field for field in fields}
        return Analysis(
            suggestions=tuple(
                Suggestion(by_label[stored.field], stored.value, stored.evidence, stored.confidence)
                for stored in self.suggestions
                if stored.field in by_label
            ),
            model=self.model,
            prompt_version=self.prompt_version,
            content_hash=content_hash(text),
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            unread=self.unread,
        )


def append_answer(path: Path, answer: StoredAnswer) -> None:
    """Add an answer to the file at once: a slow model may be stopped before the last one."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(answer.model_dump(), ensure_ascii=False) + "\n")


def load_answers(path: Path) -> Mapping[str, StoredAnswer]:
    """Load the answers by file name; raise ValueError if a line is not an answer."""
    lines = path.read_text(encoding="utf-8").splitlines()
    answers = [StoredAnswer.model_validate_json(line) for line in lines if line.strip()]
    return {answer.file: answer for answer in answers}
