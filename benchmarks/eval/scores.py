"""Count judged values by field, by mistake and by check, as shares with their intervals."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.eval.careless import Mistake
from benchmarks.eval.corpus import LABELS, NameFinder, SampleDocument, right_values
from benchmarks.eval.judging import JudgedValue, Outcome
from core.fields import FieldName, Value, is_same_value

_Z = 1.96
"""For 95% confidence intervals."""


@dataclass(frozen=True, slots=True)
class Share:
    """A count of a total, with its Wilson score interval."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The share; None if the total is 0."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The lower and upper bound of the share; None if the total is 0."""
        if not self.of:
            return None
        share, weight = self.count / self.of, _Z**2 / self.of
        centre = share + weight / 2
        margin = _Z * math.sqrt(share * (1 - share) / self.of + weight / (4 * self.of))
        low, high = (centre - margin) / (1 + weight), (centre + margin) / (1 + weight)
        return max(0.0, low), min(1.0, high)

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "-"
        low, high = self.interval
        return f"{self.value:.1%} ({low:.0%}-{high:.0%})"


@dataclass(frozen=True, slots=True)
class Score:
    """Outcome of the values of a field."""

    right: int = 0
    wrong: int = 0
    review: int = 0
    missing: int = 0
    """The document has a value, and nothing was written or shown for review."""

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.right + other.right,
            self.wrong + other.wrong,
            self.review + other.review,
            self.missing + other.missing,
        )

    @property
    def written(self) -> int:
        return self.right + self.wrong

    @property
    def precision(self) -> Share:
        """Of what was written automatically, the share that is right."""
        return Share(self.right, self.written)

    @property
    def coverage(self) -> Share:
        """Of all values, the share that was written automatically."""
        return Share(self.written, self.written + self.review + self.missing)


@dataclass(frozen=True, slots=True)
class MistakeScore:
    """How many wrong values were written, and how many right ones were not."""

    wrong: int = 0
    written: int = 0
    right: int = 0
    held_back: int = 0

    @property
    def let_through(self) -> Share:
        return Share(self.written, self.wrong)

    @property
    def held(self) -> Share:
        return Share(self.held_back, self.right)


@dataclass(frozen=True, slots=True)
class CheckScore:
    """What one check did to wrong and right values."""

    stopped: int = 0
    """Wrong values that failed it."""
    let_through: int = 0
    """Wrong values that passed it, and all others, and were written."""
    held_back: int = 0
    """Right values that failed it."""
    alone: int = 0
    """Right values that failed no other check."""


def score_fields(
    judged: Sequence[JudgedValue], documents: Iterable[SampleDocument], find: NameFinder
) -> dict[str, Score]:
    """Score each field; what is missing is found by the truth of the documents."""
    scores = {label: _score(value for value in judged if value.field == label) for label in LABELS}
    shown: dict[tuple[str, str], list[Value]] = {}
    for value in judged:
        if value.outcome is not Outcome.LEFT_OUT:
            shown.setdefault((value.file, value.field), []).append(value.value)
    for document in documents:
        for label in LABELS:
            right = right_values(label, document.truth, find)
            missing = _count_missing(label, right, shown.get((document.file, label), []))
            scores[label] += Score(missing=missing)
    return scores


def score_mistakes(judged: Iterable[JudgedValue]) -> MistakeScore:
    """Count the wrong values that were written, and the right ones that were held back."""
    counts = Counter((value.is_right, value.is_written) for value in judged)
    wrong, right = (
        counts[False, True] + counts[False, False],
        counts[True, True] + counts[True, False],
    )
    return MistakeScore(wrong, counts[False, True], right, counts[True, False])


def group_by_mistake(judged: Iterable[JudgedValue]) -> dict[tuple[str, Mistake], MistakeScore]:
    """Score each mistake of each field, in the order of the fields and mistakes."""
    values = [value for value in judged if not value.is_right]
    keys = {(value.field, value.mistake) for value in values}
    order = sorted(keys, key=lambda key: (LABELS.index(key[0]), list(Mistake).index(key[1])))
    return {
        key: score_mistakes(value for value in values if (value.field, value.mistake) == key)
        for key in order
    }


def score_checks(judged: Sequence[JudgedValue]) -> Mapping[str, CheckScore]:
    """Score each check, and each other reason, those that stop most wrong values first."""
    names = dict.fromkeys(name for value in judged for name in (*value.passed, *value.stopped_by))
    scores = {name: _score_check(name, judged) for name in names}
    return dict(sorted(scores.items(), key=lambda item: (-item[1].stopped, -item[1].held_back)))


def _score(judged: Iterable[JudgedValue]) -> Score:
    counts = Counter((value.outcome, value.is_right) for value in judged)
    return Score(
        right=counts[Outcome.WRITTEN, True],
        wrong=counts[Outcome.WRITTEN, False],
        review=counts[Outcome.REVIEW, True] + counts[Outcome.REVIEW, False],
    )


def _count_missing(label: str, right: Sequence[Value], shown: Sequence[Value]) -> int:
    if label == FieldName.TAGS:
        return sum(not any(is_same_value(tag, other) for other in shown) for tag in right)
    return len(right) if not shown else 0


def _score_check(name: str, judged: Sequence[JudgedValue]) -> CheckScore:
    right = [value for value in judged if value.is_right and name in value.stopped_by]
    wrong = [value for value in judged if not value.is_right]
    return CheckScore(
        stopped=sum(name in value.stopped_by for value in wrong),
        let_through=sum(name in value.passed and value.is_written for value in wrong),
        held_back=len(right),
        alone=sum(len(value.stopped_by) == 1 for value in right),
    )
