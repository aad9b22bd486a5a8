"""Lay out the results of an evaluation as tables, for a terminal and for the documentation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.eval.corpus import DUE, LABELS, NUMBER, TOTAL
from benchmarks.eval.evaluate import Report
from benchmarks.eval.judging import JudgedValue
from benchmarks.eval.scores import (
    Score,
    group_by_mistake,
    score_checks,
    score_mistakes,
)

PAGE = Path(__file__).parents[2] / "docs" / "evaluation.md"
CARELESS_FIELDS = ("date", "correspondent", TOTAL, NUMBER, DUE)
"""Fields for which the careless model offers values."""
_MODEL_HEADINGS = ("field", "right", "wrong", "review", "missing", "precision", "coverage")


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title above it."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def as_markdown(self) -> str:
        lines = [self.headings, ["---"] * len(self.headings), *self.rows]
        return f"**{self.title}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def overview(honest: Report, lying: Report, careless: Sequence[JudgedValue]) -> Table:
    """Show all three models side by side."""
    return Table(
        f"All three models, {honest.documents} documents",
        (
            "field",
            "honest: precision",
            "honest: coverage",
            "lying: precision",
            "lying: coverage",
            "careless: wrong values written",
            "right values held back",
        ),
        [
            (
                label,
                *_precision_and_coverage(honest.scores[label]),
                *_precision_and_coverage(lying.scores[label]),
                *_careless_shares(label, careless),
            )
            for label in LABELS
        ],
    )


def model_table(title: str, scores: Mapping[str, Score]) -> Table:
    """Show the outcome of each field's values with one model, and the totals."""
    rows = [_score_row(label, score) for label, score in scores.items()]
    total = sum(scores.values(), Score())
    return Table(title, _MODEL_HEADINGS, [*rows, _score_row("all", total)])


def careless_tables(judged: Sequence[JudgedValue]) -> list[Table]:
    """Show which wrong values were written, which right ones were not, and which check decided."""
    return [
        _field_table("The careless model, by field", judged),
        Table(
            "The careless model, by mistake",
            ("field", "mistake", "wrong values", "written", "share"),
            [
                (field, mistake, str(score.wrong), str(score.written), str(score.let_through))
                for (field, mistake), score in group_by_mistake(judged).items()
            ],
        ),
        check_table("The careless model, by check", judged),
    ]


def misquoted_table(judged: Sequence[JudgedValue]) -> Table:
    """Show the same for values whose quote is another line."""
    return _field_table("The careless model, with another line as quote", judged)


def check_table(title: str, judged: Sequence[JudgedValue]) -> Table:
    """Show what each check did to wrong and right values."""
    return Table(
        title,
        ("check", "wrong: stopped", "wrong: let through", "right: held back", "by it alone"),
        [
            (
                f"`{name}`",
                str(score.stopped),
                str(score.let_through),
                str(score.held_back),
                str(score.alone),
            )
            for name, score in score_checks(judged).items()
        ],
    )


def write_section(name: str, tables: Sequence[Table], page: Path = PAGE) -> None:
    """Replace the tables of one section of the page, or add the section at the end."""
    begin, end = f"<!-- begin: {name} -->\n", f"<!-- end: {name} -->\n"
    text = page.read_text(encoding="utf-8")
    if begin not in text:
        text += f"\n## Results: {name}\n\n{begin}{end}"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    body = "\n\n".join(table.as_markdown() for table in tables)
    page.write_text(f"{before}{begin}\n{body}\n\n{end}{after}", encoding="utf-8")


def _field_table(title: str, judged: Sequence[JudgedValue]) -> Table:
    return Table(
        title,
        ("field", "wrong values", "written", "share", "right values", "held back", "share"),
        [_mistake_row(label, judged) for label in CARELESS_FIELDS],
    )


def _precision_and_coverage(score: Score) -> tuple[str, str]:
    return str(score.precision), str(score.coverage)


def _careless_shares(label: str, judged: Sequence[JudgedValue]) -> tuple[str, str]:
    score = score_mistakes(value for value in judged if value.field == label)
    return str(score.let_through), str(score.held)


def _score_row(label: str, score: Score) -> Sequence[str]:
    counts = (score.right, score.wrong, score.review, score.missing)
    return (label, *map(str, counts), str(score.precision), str(score.coverage))


def _mistake_row(label: str, judged: Sequence[JudgedValue]) -> Sequence[str]:
    score = score_mistakes(value for value in judged if value.field == label)
    wrong = (str(score.wrong), str(score.written), str(score.let_through))
    return (label, *wrong, str(score.right), str(score.held_back), str(score.held))
