"""Tell a job's whole story."""

from dataclasses import dataclass

from actions.caller import Caller
from core.analysis import ModelCall, Result, ResultKind
from core.changes import Change
from core.jobs import Event, Job
from store import Store


@dataclass(frozen=True, slots=True)
class JobStory:
    """Everything that is known of one job."""

    job: Job
    events: tuple[Event, ...]
    calls: tuple[ModelCall, ...]
    result: Result | None
    partial_results: tuple[Result, ...]
    """Of a long document one for each pass that was read, in order."""
    changes: tuple[Change, ...]


async def story(caller: Caller, job_id: int) -> JobStory:
    """Tell a job from first to last; raise JobNotFound."""
    store, job = caller.store, await caller.job(job_id)
    results = await store.results.all_of_job(job_id)
    return JobStory(
        job=job,
        events=await store.jobs.events(job_id),
        calls=await store.calls.of_job(job_id),
        result=next((one for one in results if one.kind is ResultKind.FINAL), None),
        partial_results=tuple(one for one in results if one.kind is ResultKind.PARTIAL),
        changes=await _changes_of(store, job),
    )


async def _changes_of(store: Store, job: Job) -> tuple[Change, ...]:
    """List what a job planned, wrote or undid; accepted changes belong to their analysis."""
    match job.kind, job.payload.get("changes"):
        case "apply", _:
            return await store.changes.of_apply_job(job.id)
        case "undo", list(ids):
            return await store.changes.listed(ids)
        case _:
            return await store.changes.of_job(job.id)
