"""Make titles by a pattern again when a person decides about the values they consist of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from core import title_patterns
from core.changes import Change, ChangeState, Decision, RevisedChange
from core.fields import FieldName, Value, is_empty
from processor.analysis.checks import TITLE_LENGTH
from processor.plan import Reason


@dataclass(frozen=True, slots=True)
class _Parts:
    """The values for the open placeholders of a pattern."""

    decided: Mapping[FieldName, Value]
    suggested: Mapping[FieldName, Value]
    """Of fields that keep waiting."""


def recompute_title(waiting: Iterable[Change], decision: Decision) -> Decision:
    """Return the decision with the accepted title as its pattern makes it of the decided values.

    A title that the person edited stays as it is.
    """
    waiting = tuple(waiting)
    title = _find_title(waiting)
    if title is None:
        return decision
    accept = tuple(
        replace(
            accepted, after=_fill(title.pattern, _collect_parts(waiting, decision)) or title.after
        )
        if accepted.change_id == title.id and not accepted.is_edited
        else accepted
        for accepted in decision.accept
    )
    return replace(decision, accept=accept)


def revise_title(waiting: Iterable[Change], decision: Decision) -> RevisedChange | None:
    """Return what becomes of a title that keeps waiting; None if it stays as it is."""
    waiting = tuple(waiting)
    title = _find_title(waiting)
    decided = {*decision.reject, *decision.unchanged, *(item.change_id for item in decision.accept)}
    if title is None or title.id in decided:
        return None
    parts = _collect_parts(waiting, decision)
    text = _fill(title.pattern, parts)
    if not parts.decided or not text:
        return None
    pattern = title_patterns.fill(title.pattern, parts.decided)
    return RevisedChange(title.id, text, _reasons_left(title, pattern, parts), pattern)


def _find_title(waiting: Iterable[Change]) -> Change | None:
    return next((c for c in waiting if c.field is FieldName.TITLE and c.pattern), None)


def _collect_parts(waiting: Iterable[Change], decision: Decision) -> _Parts:
    accepted = {accepted.change_id: accepted.after for accepted in decision.accept}
    kept = {*decision.reject, *decision.unchanged}
    decided: dict[FieldName, Value] = {}
    suggested: dict[FieldName, Value] = {}
    for change in waiting:
        if change.field not in set(title_patterns.PLACEHOLDERS.values()):
            continue
        assert isinstance(change.field, FieldName)
        if change.id in accepted:
            decided[change.field] = accepted[change.id]
        elif change.id in kept:
            is_conflict = change.state is ChangeState.CONFLICT
            decided[change.field] = change.found if is_conflict else change.before
        else:
            suggested[change.field] = change.after
    return _Parts(
        {field: value for field, value in decided.items() if not is_empty(value)}, suggested
    )


def _fill(pattern: str, parts: _Parts) -> str:
    filled = title_patterns.fill(pattern, {**parts.suggested, **parts.decided})
    return title_patterns.drop_open(filled)[:TITLE_LENGTH]


def _reasons_left(title: Change, pattern: str, parts: _Parts) -> tuple[str, ...]:
    """Return why the title still waits."""
    open_fields = set(title_patterns.list_fields(pattern))
    settled: dict[str, bool] = {
        Reason.TITLE_PART_IN_REVIEW: not open_fields & parts.suggested.keys(),
        Reason.TITLE_PART_MISSING: not open_fields - parts.suggested.keys(),
    }
    return tuple(reason for reason in title.reasons if not settled.get(reason, False))
