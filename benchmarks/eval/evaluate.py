"""Let the clerk file every document of the evaluation by itself, and judge what it did."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from benchmarks.eval.corpus import NameFinder, Paper, names_in
from benchmarks.eval.judging import Filed, is_right, judge_paper, stands_in
from benchmarks.eval.tally import Tally, tally_up
from core.changes import WAITING, Change, ChangeState
from core.documents import DocumentRef
from core.fields import Field, FieldName, Value
from core.jobs import JobStatus
from daemon.context import Context
from daemon.lifecycle import register_instances
from daemon.services import Services, open_services
from processor.tags import CAME_ALONG
from sandbox import Sandbox
from scanner.scan import ScanOrder

_ATTEMPTS = 3
_LONGEST_PAUSE = timedelta(minutes=20)
"""Longer than a job waits between two attempts."""
_START = datetime(2026, 12, 1, 12, tzinfo=UTC)
"""When every document has arrived."""


class QuickClock:
    """A clock that goes on like any other, and skips the pauses between attempts."""

    def __init__(self, start: datetime = _START) -> None:
        self._start = start
        self._began = time.monotonic()

    def __call__(self) -> datetime:
        return self._start + timedelta(seconds=time.monotonic() - self._began)

    def skip(self, pause: timedelta) -> None:
        self._start += pause


@dataclass(frozen=True, slots=True)
class Written:
    """A value that was written without a person."""

    file: str
    field: Field
    value: Value
    evidence: str

    def __str__(self) -> str:
        return f'{self.file}: {self.field} "{self.value}" by "{self.evidence}"'


@dataclass(frozen=True, slots=True)
class Report:
    """What came of all documents with one model."""

    model: str
    tallies: Mapping[FieldName, Tally]
    wrong: tuple[Written, ...]
    invented: tuple[Written, ...]
    """Written, with a quote that does not stand in the text."""
    kept_back: int
    """Values with such a quote that were put before a person instead."""
    unfinished: Mapping[str, int] = field(default_factory=dict)
    """How many documents did not come through, by the code of their problem, or why they rest."""


async def evaluate(
    memory: Context, name: str, sandbox: Sandbox, papers: Iterable[Paper], clock: QuickClock
) -> Report:
    """File the documents of one instance and judge each."""
    find = names_in(sandbox.world)
    async with open_services(memory, [name]) as services:
        await register_instances(services)
        await services.scanners[name].scan(ScanOrder())
        unfinished = await _work(services, name, clock)
        changes = {
            paper: await services.store.changes.list_for_document(DocumentRef(name, paper.id))
            for paper in papers
        }
    return _judged(memory.settings.instances[name].ai.model, changes, find, unfinished)


async def _work(services: Services, name: str, clock: QuickClock) -> dict[str, int]:
    """Drain the queue, retries included; return why how many did not come through."""
    codes: dict[int, str] = {}
    for _ in range(_ATTEMPTS):
        async for finished in services.processor().drain():
            job = finished.job
            codes.pop(job.document.id, None)
            if job.status is not JobStatus.COMPLETED and job.problem is not None:
                codes[job.document.id] = job.problem.code
        pending = (await services.store.jobs.count_by_status(name))[JobStatus.PENDING]
        if causes := await _list_hold_causes(services, name):
            return dict.fromkeys(causes, pending)
        if not pending:
            break
        clock.skip(_LONGEST_PAUSE)
    return Counter(codes.values())


async def _list_hold_causes(services: Services, name: str) -> list[str]:
    instance = services.instances[name]
    held = {instance.paperless_target, instance.model_target}
    return [
        str(hold.cause) for hold in await services.store.holds.list_active() if hold.target in held
    ]


def _judged(
    model: str,
    changes: Mapping[Paper, tuple[Change, ...]],
    find: NameFinder,
    unfinished: Mapping[str, int],
) -> Report:
    every = [(paper, change) for paper, made in changes.items() for change in made]
    false = [
        (paper, change)
        for paper, change in every
        if change.evidence and not stands_in(change.evidence, paper.text)
    ]
    return Report(
        model=model,
        tallies=tally_up(judge_paper(_filed(m), p.truth, find) for p, m in changes.items()),
        wrong=tuple(
            _written(paper, change)
            for paper, change in every
            if _is_written(change) and not _is_right(change, paper, find)
        ),
        invented=tuple(_written(paper, change) for paper, change in false if _is_written(change)),
        kept_back=sum(1 for _, change in false if change.state in WAITING),
        unfinished=unfinished,
    )


def _filed(changes: Iterable[Change]) -> dict[FieldName, Filed]:
    """Sort what was written and what waits by field."""
    made = tuple(changes)
    return {
        field: Filed(
            written=tuple(c.after for c in made if c.field is field and _is_written(c)),
            waiting=tuple(c.after for c in made if c.field is field and c.state in WAITING),
        )
        for field in FieldName
    }


def _is_right(change: Change, paper: Paper, find: NameFinder) -> bool:
    # Nobody has said yet what is right for custom fields.
    if not isinstance(change.field, FieldName):
        return True
    return is_right(change.after, change.field, paper.truth, find)


def _is_written(change: Change) -> bool:
    # A parent tag comes along by itself, with no quote of its own.
    return change.state is ChangeState.APPLIED and CAME_ALONG not in change.reasons


def _written(paper: Paper, change: Change) -> Written:
    return Written(paper.file, change.field, change.after, change.evidence)
