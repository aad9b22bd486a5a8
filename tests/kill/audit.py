"""The rules that must hold however often a daemon was killed. Pure: evidence in, sentences out."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import TypeVar

from core.jobs import Event, EventName, Job, JobStatus
from tests.kill.evidence import Evidence, Outcome

K = TypeVar("K")
V = TypeVar("V")
Rule = Callable[[Evidence], Iterator[str]]

_ENDS = {
    EventName.COMPLETED: JobStatus.COMPLETED,
    EventName.RETRIED: JobStatus.PENDING,
    EventName.RELEASED: JobStatus.PENDING,
    EventName.FAILED: JobStatus.FAILED,
    EventName.CANCELLED: JobStatus.CANCELLED,
    EventName.RECOVERED: None,
}
"""Events that end a claim, and where they leave the job; a recovery says so itself."""
_LIVE = {JobStatus.PENDING, JobStatus.PROCESSING}
_WHILE_CLAIMED = {
    EventName.PROGRESSED,
    EventName.RESULT_STORED,
    EventName.CHANGES_SETTLED,
}


def violations(evidence: Evidence, undisturbed: Outcome) -> list[str]:
    """Return everything that is not as it must be, compared with a run that nobody disturbed."""
    found = [sentence for rule in RULES for sentence in rule(evidence)]
    return found + list(differences(evidence.outcome, undisturbed))


def differences(outcome: Outcome, undisturbed: Outcome) -> Iterator[str]:
    """All ended as it would have without a kill: fields, names, jobs, rows and changes."""
    for id_, fields in undisturbed.fields.items():
        if outcome.fields.get(id_) != fields:
            yield f"document {id_} is {outcome.fields.get(id_)}, not {fields}"
    yield from _unlike("names", Counter(outcome.names), Counter(undisturbed.names))
    yield from _unlike("jobs", outcome.jobs, undisturbed.jobs)
    yield from _unlike("document rows", outcome.documents, undisturbed.documents)
    yield from _unlike("changes", outcome.changes, undisturbed.changes)


def nothing_is_left_over(evidence: Evidence) -> Iterator[str]:
    for job in evidence.jobs:
        if job.status in _LIVE:
            yield f"job {job.id} is still {job.status}"
    for target in evidence.holds:
        yield f"{target} is held"
    if evidence.unfinished_scans:
        yield f"{evidence.unfinished_scans} scans never ended"


def no_field_is_written_twice(evidence: Evidence) -> Iterator[str]:
    written = Counter((effect.document, effect.field) for effect in evidence.effects)
    for (document, field), times in written.items():
        if times > 1:
            yield f"{field} of document {document} was changed {times} times"


def no_stored_answer_is_paid_for_again(evidence: Evidence) -> Iterator[str]:
    for job, events in _stories(evidence):
        stored = (event.at for event in events if event.name is EventName.RESULT_STORED)
        first = min(stored, default=None)
        calls = [call for call in evidence.calls if call.job == job.id]
        late = [call for call in calls if first is not None and call.at > first]
        if late:
            yield f"job {job.id} asked the model {len(late)} times after its answer was stored"


def every_call_is_booked(evidence: Evidence) -> Iterator[str]:
    document_of = {job.id: job.document.id for job in evidence.jobs}
    booked = Counter(document_of[call.job] for call in evidence.calls)
    for document, times in evidence.asked.items():
        if times > booked[document]:
            yield f"document {document} was sent {times} times, booked {booked[document]} times"


def every_answer_was_asked_for(evidence: Evidence) -> Iterator[str]:
    for job, events in _stories(evidence):
        stored = any(event.name is EventName.RESULT_STORED for event in events)
        if stored and not evidence.asked.get(job.document.id):
            yield f"job {job.id} has an answer, but the model was never asked about {job.document}"


def claims_are_counted(evidence: Evidence) -> Iterator[str]:
    for job, events in _stories(evidence):
        names = Counter(event.name for event in events)
        if names[EventName.CLAIMED] != job.claim:
            yield f"job {job.id} has claim {job.claim}, told {names[EventName.CLAIMED]} times"
        if job.attempts != job.claim - names[EventName.RELEASED]:
            yield f"job {job.id} counts {job.attempts} attempts after {job.claim} claims"
        if job.attempts > job.max_attempts:
            yield f"job {job.id} was tried {job.attempts} times"


def events_tell_the_whole_story(evidence: Evidence) -> Iterator[str]:
    """Follow each job by its events alone: every move fits the last, and leads to its row."""
    for job, events in _stories(evidence):
        status: JobStatus | None = None
        for event in events:
            if not _fits(event, status):
                yield f"job {job.id} was {status} when event {event.id} told {event.name}"
            status = _after(event, status)
        if status is not job.status:
            yield f"job {job.id} is {job.status}, its events say {status}"


def events_are_numbered_in_order(evidence: Evidence) -> Iterator[str]:
    numbers = [event.id for event in evidence.events]
    if not evidence.numbers_have_gaps and numbers != list(range(1, len(numbers) + 1)):
        yield "the numbers of events have gaps"
    for job, events in _stories(evidence):
        if [event.at for event in events] != sorted(event.at for event in events):
            yield f"the events of job {job.id} go back in time"


def one_job_lives_at_a_time(evidence: Evidence) -> Iterator[str]:
    """Of a document and kind at most one job is live, and of a document one is in hand."""
    jobs = {job.id: job for job in evidence.jobs}
    statuses: dict[int, JobStatus | None] = {}
    for event in evidence.events:
        document = jobs[event.job_id].document
        statuses[event.job_id] = _after(event, statuses.get(event.job_id))
        siblings = {id_: statuses[id_] for id_ in statuses if jobs[id_].document == document}
        live = Counter(jobs[id_].kind for id_, status in siblings.items() if status in _LIVE)
        if any(count > 1 for count in live.values()):
            yield f"event {event.id}: two jobs of {document} of one kind are live"
        if Counter(siblings.values())[JobStatus.PROCESSING] > 1:
            yield f"event {event.id}: two jobs of {document} are in hand"


def only_the_dead_are_recovered_from(evidence: Evidence) -> Iterator[str]:
    for event in evidence.events:
        if event.name is EventName.RECOVERED:
            pid = int(str(event.data["worker"]).rpartition(":")[2])
            if pid not in evidence.killed:
                yield f"job {event.job_id} was taken from process {pid}, which nobody killed"


RULES: tuple[Rule, ...] = (
    nothing_is_left_over,
    no_field_is_written_twice,
    no_stored_answer_is_paid_for_again,
    every_call_is_booked,
    every_answer_was_asked_for,
    claims_are_counted,
    events_tell_the_whole_story,
    events_are_numbered_in_order,
    one_job_lives_at_a_time,
    only_the_dead_are_recovered_from,
)


def _unlike(what: str, found: Mapping[K, V], wanted: Mapping[K, V]) -> Iterator[str]:
    for key in sorted({*found, *wanted}, key=str):
        if found.get(key) != wanted.get(key):
            yield f"{what}: {key} is {found.get(key)}, not {wanted.get(key)}"


def _stories(evidence: Evidence) -> list[tuple[Job, list[Event]]]:
    by_job = sorted(evidence.events, key=lambda event: (event.job_id, event.id))
    told = {id_: list(events) for id_, events in groupby(by_job, key=lambda one: one.job_id)}
    return [(job, told.get(job.id, [])) for job in evidence.jobs]


def _fits(event: Event, status: JobStatus | None) -> bool:
    """Tell whether an event may follow when the job is in that status."""
    if event.name is EventName.ENQUEUED:
        return status is None
    if event.name is EventName.CLAIMED:
        return status is JobStatus.PENDING
    if event.name in _ENDS or event.name in _WHILE_CLAIMED:
        return status is JobStatus.PROCESSING
    return status in _LIVE


def _after(event: Event, status: JobStatus | None) -> JobStatus | None:
    """Return where an event leaves its job."""
    if event.name is EventName.ENQUEUED:
        return JobStatus.PENDING
    if event.name is EventName.CLAIMED:
        return JobStatus.PROCESSING
    if event.name is EventName.RECOVERED:
        return JobStatus(str(event.data["status"]))
    return _ENDS.get(event.name, status)
