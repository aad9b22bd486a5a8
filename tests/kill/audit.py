"""The rules that must hold however often a daemon was killed: pure functions over the evidence."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, pairwise
from typing import TypeVar

from core.changes import Change, ChangeState
from core.fields import FieldName
from core.jobs import MAX_RECONCILES, Event, EventName, Job, JobStatus
from tests.kill.evidence import Evidence, Outcome, words_of
from tests.kill.recording_sandbox import Effect, differences_of

K = TypeVar("K")
V = TypeVar("V")
Rule = Callable[[Evidence], Iterator[str]]

_ENDS = {
    EventName.COMPLETED: JobStatus.COMPLETED,
    EventName.RETRIED: JobStatus.PENDING,
    EventName.RELEASED: JobStatus.PENDING,
    EventName.FAILED: JobStatus.FAILED,
    EventName.CANCELLED: JobStatus.CANCELLED,
    EventName.RECONCILING: JobStatus.PENDING,
    EventName.RECOVERED: None,
}
"""Events that end a claim, and the resulting status; a recovery records it itself."""
_WHILE_PENDING = {EventName.CLAIMED, EventName.CANCELLED, EventName.RECONCILING}
_MAY_BE_THERE = {ChangeState.APPLIED, ChangeState.UNCONFIRMED, ChangeState.OVERRIDDEN}
_LIVE = {JobStatus.PENDING, JobStatus.PROCESSING}
_WHILE_CLAIMED = {
    EventName.PROGRESSED,
    EventName.RESULT_STORED,
    EventName.CHANGES_SETTLED,
}


def violations(evidence: Evidence, expected: Outcome) -> list[str]:
    """Return every difference from the expected results, and every broken rule."""
    return broken_rules(evidence) + list(differences(evidence.outcome, expected))


def broken_rules(evidence: Evidence) -> list[str]:
    """Return the broken rules, regardless of the expected results."""
    return [sentence for rule in RULES for sentence in rule(evidence)]


def differences(outcome: Outcome, expected: Outcome) -> Iterator[str]:
    """Yield each field, name, job, row and change that is not as expected."""
    for id_ in sorted({*outcome.fields, *expected.fields}):
        if outcome.fields.get(id_) != expected.fields.get(id_):
            yield f"document {id_} is {outcome.fields.get(id_)}, not {expected.fields.get(id_)}"
    yield from _unlike("names", Counter(outcome.names), Counter(expected.names))
    yield from _unlike("jobs", outcome.jobs, expected.jobs)
    yield from _unlike("document rows", outcome.documents, expected.documents)
    yield from _unlike("changes", outcome.changes, expected.changes)


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
    for job, events in _events_by_job(evidence):
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
    for job, events in _events_by_job(evidence):
        stored = any(event.name is EventName.RESULT_STORED for event in events)
        if stored and not evidence.asked.get(job.document.id):
            yield f"job {job.id} has an answer, but the model was never asked about {job.document}"


def claims_are_counted(evidence: Evidence) -> Iterator[str]:
    for job, events in _events_by_job(evidence):
        claims = sum(event.name is EventName.CLAIMED for event in events)
        if claims != job.claim:
            yield f"job {job.id} has claim {job.claim}, recorded {claims} times"
        attempts, reconciles = _counted(events)
        if job.attempts != attempts:
            yield f"job {job.id} counts {job.attempts} attempts after {attempts}"
        if job.reconciles != reconciles:
            yield f"job {job.id} counts {job.reconciles} reconciles after {reconciles}"
        if job.attempts > job.max_attempts or job.reconciles > MAX_RECONCILES:
            yield f"job {job.id} was tried {job.attempts} and compared {job.reconciles} times"


def what_we_wrote_is_in_the_ledger(evidence: Evidence) -> Iterator[str]:
    """Every value that is new in Paperless belongs to a written or unconfirmed change."""
    known = {_place(change) for change in evidence.changes if change.state in _MAY_BE_THERE}
    for effect in effects_that_stayed(evidence):
        if (effect.document, effect.field) not in known:
            yield f"{effect.field} of document {effect.document} is written by no change"


def what_the_ledger_says_is_there(evidence: Evidence) -> Iterator[str]:
    """Paperless has the newest written change of each field: nobody else writes here."""
    newest = {
        _place(change): change for change in evidence.changes if change.state is ChangeState.APPLIED
    }
    for (document, field), change in newest.items():
        has = evidence.outcome.fields.get(document, {}).get(field)
        wanted = change.after is not None if field.startswith("tag ") else words_of(change.after)
        if (bool(has) if field.startswith("tag ") else has) != wanted:
            yield f"change {change.id} is applied, {field} of document {document} is {has}"


def no_begun_write_is_forgotten(evidence: Evidence) -> Iterator[str]:
    """The effect of every sent write or undo is known or unconfirmed."""
    for change in evidence.changes:
        if change.has_begun and change.state is not ChangeState.UNCONFIRMED:
            yield f"change {change.id} has begun and is {change.state}, its job is over"


def effects_that_stayed(evidence: Evidence) -> Iterator[Effect]:
    """Yield each field and tag that differs from the start."""
    yield from differences_of(evidence.first, evidence.outcome.fields)


def _place(change: Change) -> tuple[int, str]:
    """Return the document and the field of a change, as effects are named."""
    tag = words_of(change.after) or words_of(change.before)
    names = {FieldName.TAGS: f"tag {tag}", FieldName.DATE: "created"}
    name = names.get(change.field) if isinstance(change.field, FieldName) else None
    return change.document.id, name or str(change.field)


def events_explain_every_status(evidence: Evidence) -> Iterator[str]:
    """Check that the events of each job form a valid sequence that ends in its status."""
    for job, events in _events_by_job(evidence):
        status: JobStatus | None = None
        for event in events:
            if not _fits(event, status):
                yield f"job {job.id} was {status} when event {event.id} recorded {event.name}"
            status = _after(event, status)
        if status is not job.status:
            yield f"job {job.id} is {job.status}, its events say {status}"


def events_are_numbered_in_order(evidence: Evidence) -> Iterator[str]:
    numbers = [event.id for event in evidence.events]
    if not evidence.numbers_have_gaps and numbers != list(range(1, len(numbers) + 1)):
        yield "the numbers of events have gaps"
    for job, events in _events_by_job(evidence):
        for before, event in pairwise(events):
            if event.at < before.at:
                back = f"{event.name} is {before.at - event.at} before {before.name}"
                yield f"the events of job {job.id} go back in time: {back}"


def one_job_lives_at_a_time(evidence: Evidence) -> Iterator[str]:
    """Check that a document has at most one live job per kind, and one that is processing."""
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
            yield f"event {event.id}: two jobs of {document} are being processed"


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
    what_we_wrote_is_in_the_ledger,
    what_the_ledger_says_is_there,
    no_begun_write_is_forgotten,
    events_explain_every_status,
    events_are_numbered_in_order,
    one_job_lives_at_a_time,
    only_the_dead_are_recovered_from,
)


def _unlike(what: str, found: Mapping[K, V], wanted: Mapping[K, V]) -> Iterator[str]:
    for key in sorted({*found, *wanted}, key=str):
        if found.get(key) != wanted.get(key):
            yield f"{what}: {key} is {found.get(key)}, not {wanted.get(key)}"


def _events_by_job(evidence: Evidence) -> list[tuple[Job, list[Event]]]:
    by_job = sorted(evidence.events, key=lambda event: (event.job_id, event.id))
    events_of = {
        id_: list(events) for id_, events in groupby(by_job, key=lambda event: event.job_id)
    }
    return [(job, events_of.get(job.id, [])) for job in evidence.jobs]


def _counted(events: Iterable[Event]) -> tuple[int, int]:
    """Return the number of attempts since the last start, and of those that only checked."""
    counts, compares = [0, 0], False
    for event in events:
        if event.name is EventName.RESTARTED:
            counts, compares = [0, 0], False
        elif event.name is EventName.CLAIMED:
            counts[compares] += 1
        elif event.name is EventName.RELEASED:
            counts[compares] -= 1
        elif event.name is EventName.RECONCILING or "ends_as" in event.data:
            compares = True
    return counts[0], counts[1]


def _fits(event: Event, status: JobStatus | None) -> bool:
    """Return whether an event is allowed for a job in that status."""
    if event.name is EventName.ENQUEUED:
        return status is None
    if event.name is EventName.RESTARTED:
        return status is not None and status not in _LIVE
    if status is JobStatus.PENDING and event.name in _WHILE_PENDING:
        return True
    if event.name is EventName.CLAIMED:
        return False
    if event.name in _ENDS or event.name in _WHILE_CLAIMED:
        return status is JobStatus.PROCESSING
    return status in _LIVE


def _after(event: Event, status: JobStatus | None) -> JobStatus | None:
    """Return the status of a job after an event."""
    if event.name in {EventName.ENQUEUED, EventName.RESTARTED}:
        return JobStatus.PENDING
    if event.name is EventName.CLAIMED:
        return JobStatus.PROCESSING
    if event.name is EventName.RECOVERED:
        return JobStatus(str(event.data["status"]))
    return _ENDS.get(event.name, status)
