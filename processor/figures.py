"""What the log tells of an attempt that went through: what it took, and what came of it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from core.analysis import ModelCall
from core.changes import ChangeState
from core.jobs import REHEARSE, UNDO
from processor.attempt import Attempt
from processor.kinds import Report

Figures = Mapping[str, object]


def figures_of(attempt: Attempt, report: Report) -> Figures:
    """Count what an operator wants to see; neither titles nor values are among it."""
    took = round(attempt.time_taken().total_seconds() * 1000)
    return {**came_of(attempt.job.kind, report), **spent_on(attempt.calls), "took_ms": took}


def came_of(kind: str, report: Report) -> Figures:
    """Count what was written or taken back, and what is left to a person."""
    states = Counter(change.state for change in report.changes)
    planned = report.plan
    for_review = len(planned.review) if planned else 0
    if kind == UNDO:
        return {"taken_back": states[ChangeState.UNDONE], "kept": len(report.kept)}
    if kind == REHEARSE:
        return {"would_write": len(planned.now) if planned else 0, "for_review": for_review}
    waiting = for_review + states[ChangeState.CONFLICT]
    return {"written": states[ChangeState.APPLIED], "for_review": waiting}


def spent_on(calls: Sequence[ModelCall]) -> Figures:
    """Sum up the calls of an attempt; nothing if the model was not asked."""
    if not calls:
        return {}
    return {
        "model": calls[-1].model,
        "tokens_in": sum(call.tokens_in for call in calls),
        "tokens_out": sum(call.tokens_out for call in calls),
        "cost": float(sum(call.cost for call in calls)),
    }
