"""Judge planned changes against the truth: names by id, dates by day, titles by telling words."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.eval.careless import Mistake
from benchmarks.eval.corpus import NUMBER, NameFinder, SampleDocument, Truth, label_of, right_values
from core.changes import Plan, PlannedChange
from core.fields import FieldName, Value, is_same_value

_LEFT_OUT = re.compile(r"\[?(?:\.{3,}|…)\]?")


class Outcome(StrEnum):
    """What happens to a suggested value without a person."""

    WRITTEN = "written"
    REVIEW = "review"
    LEFT_OUT = "left out"
    """Neither written nor shown: it cannot be read, for example."""


@dataclass(frozen=True, slots=True)
class JudgedValue:
    """A suggested value, whether it is right, and the result of the checks."""

    file: str
    field: str
    value: Value
    evidence: str
    is_right: bool
    outcome: Outcome
    passed: tuple[str, ...] = ()
    """Names of the checks that it passed."""
    stopped_by: tuple[str, ...] = ()
    """Names of the checks that it failed; other reasons if it passed all of them."""
    mistake: Mistake = Mistake.NONE

    @property
    def is_written(self) -> bool:
        return self.outcome is Outcome.WRITTEN

    def __str__(self) -> str:
        return f'{self.file}: {self.field} "{self.value}" by "{self.evidence}"'


def judge_plan(plan: Plan, document: SampleDocument, find: NameFinder) -> Iterator[JudgedValue]:
    """Yield a judgement for each change of a plan."""
    outcomes = {
        Outcome.WRITTEN: plan.now,
        Outcome.REVIEW: plan.review,
        Outcome.LEFT_OUT: plan.leave,
    }
    for outcome, changes in outcomes.items():
        for change in changes:
            yield _judge_change(change, outcome, document, find)


def is_right(label: str, value: Value, truth: Truth, find: NameFinder) -> bool:
    """Return whether a value, of the tags one of them, is what a careful person would file."""
    if label == FieldName.TITLE:
        return title_is_right(str(value), truth.title_contains)
    right = right_values(label, truth, find)
    if label == NUMBER:
        return any(_letters(str(value)) == _letters(str(number)) for number in right)
    return any(is_same_value(value, expected) for expected in right)


def title_is_right(title: str, telling: Iterable[str]) -> bool:
    """Return whether a title contains all words of one of the entries, even within its words."""
    plain = _plain(title)
    return any(all(word in plain for word in _plain(entry).split()) for entry in telling)


def quote_is_in_text(quote: str, text: str) -> bool:
    """Return whether a quote is in the text, ignoring everything but letters and digits.

    This deliberately differs from the check of the product.
    """
    letters = _letters(text)
    parts = [_letters(part) for part in _LEFT_OUT.split(quote)]
    return any(parts) and all(part in letters for part in parts)


def _judge_change(
    change: PlannedChange, outcome: Outcome, document: SampleDocument, find: NameFinder
) -> JudgedValue:
    label = label_of(change.field)
    failed = tuple(result.check for result in change.checks if result.failure)
    return JudgedValue(
        file=document.file,
        field=label,
        value=change.after,
        evidence=change.evidence,
        is_right=is_right(label, change.after, document.truth, find),
        outcome=outcome,
        passed=tuple(result.check for result in change.checks if not result.failure),
        stopped_by=failed or change.reasons,
    )


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold())
    kept = (c if c.isalnum() else " " for c in apart if not unicodedata.combining(c))
    return " ".join("".join(kept).split())


def _letters(text: str) -> str:
    return _plain(text).replace(" ", "")
