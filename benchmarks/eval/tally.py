"""Count marks, field by field, and say what share was right."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks.eval.judging import Mark
from core.fields import FieldName


@dataclass(frozen=True, slots=True)
class Tally:
    """How often each mark was given."""

    right: int = 0
    wrong: int = 0
    review: int = 0
    missing: int = 0

    @classmethod
    def of(cls, marks: Iterable[Mark]) -> "Tally":
        counted = Counter(marks)
        return cls(*(counted[mark] for mark in Mark))

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.right + other.right,
            self.wrong + other.wrong,
            self.review + other.review,
            self.missing + other.missing,
        )

    @property
    def written(self) -> int:
        return self.right + self.wrong

    @property
    def precision(self) -> float | None:
        """Of what was written without a person, the share that is right; None if nothing was."""
        return self.right / self.written if self.written else None

    @property
    def coverage(self) -> float | None:
        """Of all values, the share that was written without a person."""
        every = self.written + self.review + self.missing
        return self.written / every if every else None


def tally_up(marks: Iterable[Mapping[FieldName, Iterable[Mark]]]) -> dict[FieldName, Tally]:
    """Add up the marks of all documents, by field."""
    total = dict.fromkeys(FieldName, Tally())
    for of_paper in marks:
        for field, given in of_paper.items():
            total[field] += Tally.of(given)
    return total
