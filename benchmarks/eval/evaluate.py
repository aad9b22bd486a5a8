"""Ask a model about the documents, let the real checks and policy decide, and judge the result."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.eval.answers import StoredAnswer, append_answer
from benchmarks.eval.careless import Mistake, OfferedValue, offer_values
from benchmarks.eval.corpus import NameFinder, SampleDocument, label_of
from benchmarks.eval.judging import JudgedValue, Outcome, judge_plan, quote_is_in_text
from benchmarks.eval.scores import Score, score_fields
from core.analysis import Analysis
from core.changes import Suggestion
from core.documents import content_hash
from core.fields import FieldName, NewNamePolicy
from core.jobs import JobStatus
from daemon.lifecycle import register_instances
from daemon.services import Services
from paperless_client import Document
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.plan import build_plan
from processor.policy import Reason
from scanner.scan import ScanOrder

_ATTEMPTS = 3
_MAX_PAUSE = timedelta(minutes=20)
"""Longer than a job waits between two attempts."""
CHECKS_FAILED = "checks_failed"
"""Reason for a value whose checks ended with an error."""
_START = datetime(2026, 12, 1, 12, tzinfo=UTC)
"""When every document has arrived."""


class QuickClock:
    """A clock that can skip the pauses between attempts."""

    def __init__(self, start: datetime = _START) -> None:
        self._start = start
        self._began = time.monotonic()

    def __call__(self) -> datetime:
        return self._start + timedelta(seconds=time.monotonic() - self._began)

    def skip(self, pause: timedelta) -> None:
        self._start += pause


ValueSource = Callable[[SampleDocument, Sequence[str]], Sequence[OfferedValue]]
"""Returns the values that a careless model offers for a document, given the names in use."""


@dataclass(frozen=True, slots=True)
class Archive:
    """One Paperless with its documents as they were before anything was filed."""

    instance: Instance
    names: NamesInUse
    documents: Mapping[SampleDocument, Document]
    find: NameFinder
    now: datetime

    def judge(
        self, document: SampleDocument, analysis: Analysis | None
    ) -> tuple[JudgedValue, ...] | None:
        """Plan the changes of a document as a job would, and judge them; None if that fails."""
        fetched = self.documents[document]
        try:
            plan = build_plan(analysis, fetched, self.names, self.instance, now=self.now)
        except Exception:  # noqa: BLE001 - a job that fails writes nothing, whatever the error
            return None
        return tuple(judge_plan(plan, document, self.find))

    def creating_names(self) -> "Archive":
        """Return the archive with a policy that creates new names unless a check fails."""
        policy = self.instance.policy
        allowed = {**policy.new_names, FieldName.CORRESPONDENT: NewNamePolicy.CREATE}
        return replace(
            self, instance=replace(self.instance, policy=replace(policy, new_names=allowed))
        )


@dataclass(frozen=True, slots=True)
class Answers:
    """A model's answers by file; None for a document that is not worth a question."""

    by_file: Mapping[str, Analysis | None]
    unfinished: Mapping[str, int] = field(default_factory=dict)
    """How many documents have no answer, by the code of their problem or the cause of a hold."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of all documents with one model."""

    model: str
    documents: int
    scores: Mapping[str, Score]
    judged: Sequence[JudgedValue]
    invented: Sequence[JudgedValue] = ()
    """Values whose evidence is not in the text."""
    unfinished: Mapping[str, int] = field(default_factory=dict)

    @property
    def wrong(self) -> list[JudgedValue]:
        """Values that were written although they are wrong."""
        return [value for value in self.judged if value.is_written and not value.is_right]

    @property
    def invented_and_written(self) -> list[JudgedValue]:
        return [value for value in self.invented if value.is_written]


async def open_archive(
    services: Services, name: str, documents: Iterable[SampleDocument], find: NameFinder
) -> Archive:
    """Fetch the documents, the names and the custom fields of an instance."""
    instance = await services.instances[name].with_custom_fields()
    fetched = {
        document: await instance.paperless.fetch_document(document.id) for document in documents
    }
    names = await instance.catalogue.names_with_aliases()
    return Archive(instance, names, fetched, find, services.context.clock())


async def ask_model(
    services: Services,
    name: str,
    documents: Iterable[SampleDocument],
    clock: QuickClock,
    store_in: Path | None = None,
) -> Answers:
    """Process every document of an instance by jobs, retries included, and collect the answers."""
    files = {document.id: document.file for document in documents}
    found: dict[str, Analysis | None] = {}
    codes: dict[int, str] = {}
    await register_instances(services)
    await services.scanners[name].scan(ScanOrder())
    for _ in range(_ATTEMPTS):
        async for finished in services.processor().drain():
            job = finished.job
            codes.pop(job.document.id, None)
            if job.status is JobStatus.COMPLETED:
                result = await services.store.results.get_final(job.id)
                found[files[job.document.id]] = result.analysis if result else None
                if store_in and result:
                    answer = StoredAnswer.of(files[job.document.id], result.analysis)
                    append_answer(store_in, answer)
            elif job.problem is not None:
                codes[job.document.id] = job.problem.code
        pending = (await services.store.jobs.count_by_status(name))[JobStatus.PENDING]
        if causes := await _list_hold_causes(services, name):
            return Answers(found, dict.fromkeys(causes, pending))
        if not pending:
            break
        clock.skip(_MAX_PAUSE)
    return Answers(found, Counter(codes.values()))


def restore_answers(stored: Mapping[str, StoredAnswer], archive: Archive) -> Answers:
    """Return stored answers as if the model had just given them."""
    fields = archive.instance.prompt_settings.asked_fields
    return Answers(
        {
            document.file: stored[document.file].as_analysis(document.text, fields)
            for document in archive.documents
            if document.file in stored
        }
    )


def judge_answers(model: str, answers: Answers, archive: Archive) -> Report:
    """Run the checks on the answers, and judge what would be written."""
    results = [
        archive.judge(document, answers.by_file[document.file])
        for document in archive.documents
        if document.file in answers.by_file
    ]
    judged = [value for values in results for value in values or ()]
    failed = {CHECKS_FAILED: results.count(None)} if None in results else {}
    texts = {document.file: document.text for document in archive.documents}
    return Report(
        model=model,
        documents=len(archive.documents),
        scores=score_fields(judged, archive.documents, archive.find),
        judged=judged,
        invented=[
            value
            for value in judged
            if value.evidence and not quote_is_in_text(value.evidence, texts[value.file])
        ],
        unfinished={**answers.unfinished, **failed},
    )


def judge_careless(archive: Archive, offer: ValueSource = offer_values) -> list[JudgedValue]:
    """Run the checks on every value of the careless model, one at a time."""
    names = [name.name for name in archive.names.by_field[FieldName.CORRESPONDENT]]
    archive = archive.creating_names()
    return [
        judged
        for document in archive.documents
        for offered in offer(document, names)
        for judged in _judge_offered(offered, document, archive)
    ]


def _judge_offered(
    offered: OfferedValue, document: SampleDocument, archive: Archive
) -> tuple[JudgedValue, ...]:
    fields = {label_of(field): field for field in archive.instance.prompt_settings.asked_fields}
    suggestion = Suggestion(
        fields[offered.field], offered.value, offered.evidence, offered.confidence
    )
    analysis = Analysis((suggestion,), "careless", "", content_hash(document.text))
    judged = archive.judge(document, analysis)
    if judged is None:
        return (_failed(offered, document),)
    # A value that Paperless already has shows nothing about the checks.
    return tuple(
        replace(value, mistake=offered.mistake)
        for value in judged
        if Reason.ALREADY_SO not in value.stopped_by
    )


def _failed(offered: OfferedValue, document: SampleDocument) -> JudgedValue:
    return JudgedValue(
        document.file,
        offered.field,
        offered.value,
        offered.evidence,
        is_right=offered.mistake is Mistake.NONE,
        outcome=Outcome.LEFT_OUT,
        stopped_by=(CHECKS_FAILED,),
        mistake=offered.mistake,
    )


async def _list_hold_causes(services: Services, name: str) -> list[str]:
    instance = services.instances[name]
    held = {instance.paperless_target, instance.model_target}
    return [
        str(hold.cause) for hold in await services.store.holds.list_active() if hold.target in held
    ]
