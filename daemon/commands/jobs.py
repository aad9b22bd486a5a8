"""`jobs` and `job`: look at the queue, and at the whole story of one job."""

from collections.abc import Iterator, Mapping

from actions.jobs import JobDetails, get_job_details
from actions.plan_events import CheckedSuggestion, list_checked_suggestions
from core.analysis import Result
from core.jobs import Event, Job, JobStatus
from core.text import clean_line
from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console, format_local, plural, print_json, print_table
from daemon.cli.progress import story_lines
from daemon.context import open_context
from i18n.labels import field_label
from store import JobFilter, OpenMode


async def list_jobs(
    options: Options, *, name: str | None, status: JobStatus | None, limit: int, as_json: bool
) -> Exit:
    """Show jobs, newest first."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        instance = memory.select_instances(name)[0] if name else None
        jobs = await memory.store.jobs.list(JobFilter(status=status, instance=instance), limit)
        if as_json:
            print_json(jobs)
        elif not jobs:
            console().print("no jobs")
        else:
            rows = (_row(job, format_local(job.created_at, memory.zone)) for job in jobs)
            print_table(("job", "document", "kind", "status", "attempts", "created", "error"), rows)
        return Exit.OK


async def show_job(options: Options, job_id: int, *, as_json: bool) -> Exit:
    """Show one job from first to last."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        told = await get_job_details(memory.caller, job_id)
        if as_json:
            print_json(told)
        else:
            for line in _lines(told):
                console().print(line)
            rows = ((format_local(e.at, memory.zone), e.name, _facts(e)) for e in told.events)
            print_table(("when", "event", "details"), rows)
        return Exit.OK


def _row(job: Job, created: str) -> tuple[str, ...]:
    failed = job.problem is not None and job.status is not JobStatus.COMPLETED
    problem = str(job.problem.message) if job.problem and failed else ""
    attempts = f"{job.attempts}/{job.max_attempts}"
    return str(job.id), str(job.document), job.kind, job.status, attempts, created, problem


def _lines(story: JobDetails) -> Iterator[str]:
    job = story.job
    yield f"job {job.id}: {job.kind} {job.document}, {job.status}, asked for by {job.asked_by}"
    if job.problem:
        yield f"  {job.problem.code}: {job.problem.message}"
        if job.problem.hint:
            yield f"  -> {job.problem.hint}"
    if story.result:
        analysis = story.result.analysis
        yield f"  {analysis.model}, prompt {analysis.prompt_version}"
        if analysis.unread:
            yield f"  {plural(analysis.unread, 'character')} of the text were not read"
    yield from _passes(story.partial_results)
    for call in story.calls:
        tokens = f"{call.tokens_in} tokens in, {call.tokens_out} out"
        yield f"  call {call.mode}: {call.outcome}, {tokens}, {call.took_ms / 1000:.1f} s"
    yield from story_lines(story.changes, story.events)
    if checked := list_checked_suggestions(story.events):
        yield f"  checks passed: {', '.join(_passed(one) for one in checked)}"


def _passes(partial: tuple[Result, ...]) -> Iterator[str]:
    for analysis in (one.analysis for one in partial):
        if analysis.part is not None:
            found = ", ".join(
                f'{one.field} "{clean_line(one.value)}"' for one in analysis.suggestions
            )
            place = f"pass {analysis.part.number} of {analysis.part.of}"
            yield f"  {place}: {found or 'nothing found'}"


def _passed(one: CheckedSuggestion) -> str:
    return f"{field_label(one.field)} {len(one.passed)} of {len(one.checks)}"


def _facts(event: Event) -> str:
    # What stands in a list, such as what the checks found, is told above in words.
    plain = ((key, one) for key, one in event.data.items() if not isinstance(one, list | Mapping))
    return " ".join(f"{key}={value}" for key, value in plain)
