"""What a scan would take, as it is shown to people and to scripts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from core.scans import SkipReason
from daemon.cli.output import plural
from i18n.labels import SKIPPED

_FOR_A_START = 20
_LEAST = Decimal("0.01")
_DAY, _HOUR, _MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class EstimateSummary:
    """What a scan of one instance would take, as `--json` gives it."""

    instance: str
    documents: int
    """New ones, and those in the queue."""
    new: int
    queued: int
    skipped: Mapping[str, int]
    asked: int
    """About so many have a text that the model is asked about."""
    sampled: int
    """The estimate is made from the texts of so many."""
    tokens_in: int
    tokens_out: int
    model: str
    cost: Decimal | None
    """None: no price is set."""
    currency: str
    seconds: int | None
    """One document after the other; None: this model was not asked before."""
    cost_per_month: Decimal
    """The limit; 0 means none."""
    cost_this_month: Decimal
    documents_per_day: int
    """The limit; 0 means none."""
    documents_today: int
    days: int | None
    """On so many days, today among them; None: nothing limits the documents of a day."""


def lines_of(one: EstimateSummary) -> list[str]:
    """Say what a scan would take, and how to begin with less."""
    skipped = _skipped(one)
    if not one.documents:
        return [f"{one.instance}: nothing to analyse{skipped}"]
    waiting = f", {one.queued} of them in the queue" if one.queued else ""
    lines = [
        f"{one.instance}: {plural(one.documents, 'document')}{waiting}{skipped}",
        f"    {', '.join(_takes(one))}",
        f"    {_source(one)}",
        *(f"    {said}" for said in _limits(one)),
    ]
    if one.new > _FOR_A_START:
        begin = f"paperclerk scan-now {one.instance} --limit {_FOR_A_START}"
        lines.append(f"    Start with {_FOR_A_START}:  {begin}")
    return lines


def amount(number: int) -> str:
    """Show a large number as people say it: 940, 12 k, 3.1 M."""
    if number < 1_000:
        return str(number)
    return f"{number / 1_000:.0f} k" if number < 999_500 else f"{number / 1_000_000:.1f} M"


def span(seconds: int) -> str:
    """Show how long something takes, to about a hundredth: 40 s, 12 min, 2 h 10 min, 3 days 4 h."""
    took = timedelta(seconds=seconds)
    if took < _MINUTE:
        return f"{seconds} s"
    if took < _HOUR:
        return f"{round(took / _MINUTE)} min"
    if took < 2 * _DAY:
        minutes = round(took / _MINUTE)
        return f"{minutes // 60} h {minutes % 60} min"
    hours = round(took / _HOUR)
    return f"{hours // 24} days {hours % 24} h"


def _skipped(one: EstimateSummary) -> str:
    left = "; ".join(
        f"{count} {SKIPPED[SkipReason(why)]}"
        for why, count in one.skipped.items()
        # They are told already, among those that will be analysed.
        if not (why == SkipReason.QUEUED and one.queued)
    )
    return f" ({left})" if left else ""


def _takes(one: EstimateSummary) -> Iterator[str]:
    yield f"about {amount(one.tokens_in)} tokens in and {amount(one.tokens_out)} out"
    if one.cost is None:
        yield f"at {one.model} (no price is set: limits.price_in, limits.price_out)"
    else:
        yield f"{_about(one.cost)} {one.currency} ({one.model}, your prices)"
    if one.seconds is not None:
        yield f"about {span(one.seconds)} one after the other"


def _about(cost: Decimal) -> str:
    return f"about {cost:.2f}" if cost >= _LEAST else f"less than {_LEAST}"


def _source(one: EstimateSummary) -> str:
    said = f"reckoned from the texts of {one.sampled} of {one.documents}"
    without = one.documents - one.asked
    return f"{said}; about {without} without one ask no model" if without else said


def _limits(one: EstimateSummary) -> Iterator[str]:
    if one.cost_per_month:
        used = f"{one.cost_this_month:.2f} used"
        said = f"your limit is {one.cost_per_month:.2f} {one.currency} a month, {used}"
        left = one.cost_per_month - one.cost_this_month
        more = one.cost is not None and one.cost > left
        yield f"{said}: the rest waits for the next month" if more else said
    if one.days is not None:
        used = f", {one.documents_today} used" if one.documents_today else ""
        of_a_day = f"your limit is {one.documents_per_day} documents a day{used}"
        yield f"{of_a_day}: {plural(one.days, 'day')}"
