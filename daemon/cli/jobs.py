"""`jobs`, `job`, `process`, `retry`, `cancel`: show the jobs of the queue, and change them."""

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

import typer

from core.analysis import Result
from core.jobs import Job, JobStatus
from core.text import clean_line
from daemon.cli.app import app
from daemon.cli.arguments import (
    AsJson,
    Document,
    Instance,
    Jobs,
    Limit,
    Options,
    Yes,
    parse_document,
    parse_number,
    parse_status,
)
from daemon.cli.exits import Exit, async_command
from daemon.cli.session import open_context, open_context_for_reading, open_services
from daemon.cli.terminal import (
    console,
    english_labels,
    format_local,
    plural,
    print_json,
    print_table,
    run_with_consent,
)
from i18n.labels import field_label

if TYPE_CHECKING:
    from actions.jobs import JobDetails
    from daemon.context import Context


_HEADINGS = ("job", "document", "pages", "kind", "status", "attempts", "created", "error")


@app.command("jobs")
@async_command
async def jobs(
    ctx: typer.Context,
    name: Instance = None,
    status: Annotated[
        JobStatus | None,
        typer.Option(
            parser=parse_status,
            autocompletion=lambda: list(JobStatus),
            metavar="|".join(JobStatus),
            help="Only jobs with this status.",
        ),
    ] = None,
    limit: Limit = 30,
    as_json: AsJson = False,
) -> Exit:
    """List jobs, newest first."""
    from store import JobFilter

    async with open_context_for_reading(ctx.obj) as context:
        instance = context.select_instances(name)[0] if name else None
        found = await context.store.jobs.list(JobFilter(status=status, instance=instance), limit)
        if as_json:
            print_json(found)
        elif not found:
            console().print("no jobs")
        else:
            rows = (_row(job, context) for job in found)
            print_table(_HEADINGS, rows)
        return Exit.OK


@app.command("job")
@async_command
async def job(
    ctx: typer.Context,
    number: Annotated[
        int, typer.Argument(parser=parse_number, metavar="JOB", help="Number of a job.")
    ],
    as_json: AsJson = False,
) -> Exit:
    """Show the timeline of one job."""
    from actions.jobs import get_job_details
    from actions.timeline import build_steps

    async with open_context_for_reading(ctx.obj) as context:
        details = await get_job_details(context.caller, number)
        if as_json:
            print_json(details)
        else:
            for line in _details_lines(details, context):
                console().print(line)
            rows = (
                (format_local(step.at, context.zone), step.name, step.facts)
                for step in build_steps(details.events, english_labels(context))
            )
            print_table(("when", "event", "details"), rows)
        return Exit.OK


@app.command("process")
def process(ctx: typer.Context, document: Document, yes: Yes = False) -> None:
    """Process one document now, even if it was processed before."""
    run_with_consent(lambda up_to: _process(ctx.obj, document, up_to), yes=yes)


@app.command("retry")
def retry(
    ctx: typer.Context,
    numbers: Annotated[
        list[int] | None,
        typer.Argument(
            parser=parse_number, metavar="JOB", help="Numbers of jobs; default: all failed jobs."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--instance", metavar="NAME", help="Only jobs of this instance.")
    ] = None,
    yes: Yes = False,
) -> None:
    """Retry failed or cancelled jobs now."""
    run_with_consent(lambda up_to: _retry(ctx.obj, numbers, name, up_to), yes=yes)


@app.command("cancel")
@async_command
async def cancel(
    ctx: typer.Context,
    numbers: Jobs,
    why: Annotated[str, typer.Option(metavar="TEXT", help="Reason, stored with the job.")] = "",
) -> Exit:
    """Cancel jobs; a running one ends within a second, unless it is writing already."""
    from actions import jobs

    async with open_context(ctx.obj) as context:
        for number in numbers:
            job = await jobs.cancel(context.caller, number, why)
            running = job.status is JobStatus.PROCESSING
            state = "is being cancelled" if running else f"is {job.status}"
            console().print(f"job {job.id} ({job.document}) {state}")
        return Exit.OK


async def _process(options: Options, document: str, up_to: Decimal | None) -> Exit:
    from actions import jobs
    from daemon.cli.progress import process_jobs

    ref = parse_document(document)
    async with open_services(options, ref.instance) as services:
        # Checked first, so that a number that does not exist leaves nothing in the queue.
        await jobs.require_document(services.caller, ref)
        job = await jobs.process_again(services.caller, ref, up_to=up_to)
        return await process_jobs(services, [job])


async def _retry(
    options: Options, numbers: list[int] | None, name: str | None, up_to: Decimal | None
) -> Exit:
    from actions import jobs
    from daemon.cli.progress import process_queued

    # Jobs that are given by number may be of any instance.
    async with open_services(options, None if numbers else name) as services:
        services.context.select_instances(name)
        ids = numbers or await jobs.list_failed(services.caller, name)
        if not ids:
            console().print("nothing has failed")
            return Exit.OK
        return await process_queued(services, await jobs.retry(services.caller, ids, up_to=up_to))


def _row(job: Job, context: "Context") -> tuple[str, ...]:
    failed = job.problem is not None and job.status is not JobStatus.COMPLETED
    problem = str(job.problem.message) if job.problem and failed else ""
    return (
        str(job.id),
        str(job.document),
        str(job.pages or ""),
        english_labels(context).code(job.kind),
        job.status,
        f"{job.attempts}/{job.max_attempts}",
        format_local(job.created_at, context.zone),
        problem,
    )


def _details_lines(details: "JobDetails", context: "Context") -> Iterator[str]:
    from actions.timeline import list_checked_suggestions
    from daemon.cli.progress import change_lines

    yield from _job_lines(details.job, context)
    if details.result:
        analysis = details.result.analysis
        yield f"  {analysis.model}, prompt {analysis.prompt_version}"
        if analysis.unread:
            yield f"  {plural(analysis.unread, 'character')} of the text were not read"
    yield from _part_lines(details.partial_results)
    for call in details.ended_calls:
        tokens = f"{call.tokens_in} input, {call.tokens_out} output tokens"
        yield f"  call {call.mode}: {call.outcome}, {tokens}, {call.took_ms / 1000:.1f} s"
    if details.running_call:
        yield f"  call {details.running_call.mode}: running"
    yield from change_lines(details.changes, details.suggestions)
    if checked := list_checked_suggestions(details.suggestions):
        counts = (
            f"{field_label(suggestion.field)} {len(suggestion.passed)} of {len(suggestion.checks)}"
            for suggestion in checked
        )
        yield f"  checks passed: {', '.join(counts)}"


def _job_lines(job: Job, context: "Context") -> Iterator[str]:
    """Yield what is stored with the job itself."""
    labels = english_labels(context)
    requested = f"requested by {labels.who(job.asked_by)}"
    yield f"job {job.id}: {labels.code(job.kind)} of {job.document}, {job.status}, {requested}"
    if job.status is JobStatus.PROCESSING:
        yield f"  {labels.progress(job)} · {job.progress}%"
    if job.pages:
        yield f"  {plural(job.pages, 'page')}"
    if job.problem:
        yield f"  {job.problem.code}: {job.problem.message}"
        if job.problem.hint:
            yield f"  -> {job.problem.hint}"
    if consent := job.consent:
        settings = context.settings.instances.get(job.document.instance)
        cost = f"{consent.cost:.2f} {settings.limits.currency if settings else ''}".strip()
        confirmed = (
            f"confirmed by {labels.who(consent.by)} at {format_local(consent.at, context.zone)}"
        )
        yield f"  estimated cost of the run: {cost}, {confirmed}"


def _part_lines(partial_results: tuple[Result, ...]) -> Iterator[str]:
    """Yield a line for each part of a long document that was analysed on its own."""
    for analysis in (result.analysis for result in partial_results):
        if analysis.part is not None:
            found = ", ".join(
                f'{suggestion.field} "{clean_line(suggestion.value)}"'
                for suggestion in analysis.suggestions
            )
            place = f"pass {analysis.part.number} of {analysis.part.of}"
            yield f"  {place}: {found or 'nothing found'}"
