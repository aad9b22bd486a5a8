"""The interactive demo: a daemon with its dashboard, in a sandbox where documents arrive."""

import asyncio
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta

from core.changes import Change, ChangeFilter
from core.jobs import DRY_RUN, EventName, JobEvent, JobStatus
from core.settings import Settings
from core.text import clean_line
from daemon.cli.arguments import Options
from daemon.cli.terminal import console, plural
from daemon.context import open_context
from daemon.executor import list_settled
from daemon.run import Daemon
from daemon.services import Services, open_services
from dashboard.server import CannotListen, listen
from i18n.labels import state_label
from sandbox import Sandbox
from sandbox.model import Behaviour
from sandbox.paperless import PendingDocuments, World
from store import JobFilter, Store

LETTERS = frozenset(
    {"scan_0044.pdf", "scan_0045.pdf", "scan_0048.pdf", "scan_0049.pdf"}
    | {"CH-90412.pdf", "scan_0110.pdf", "Letter Year 5.pdf", "folio_214.pdf"}
)
"""File names of documents that arrive during the demo: of the German and the English archive."""
_MODEL = Behaviour(delay=1.0, token_delay=0.025)
"""About four seconds for a document, most of them streamed: long enough to watch."""
_LETTER_INTERVAL = timedelta(seconds=45)
_MAX_ROWS = 1000
"""More than the demo has documents and changes."""
_POLL_INTERVAL = timedelta(seconds=0.5)
_ENDS = {EventName.COMPLETED, EventName.FAILED, EventName.CANCELLED}
_AT_WORK = (JobStatus.PENDING, JobStatus.PROCESSING)
_COMMANDS = ("review list", "history", "undo --scan 1 --preview", "jobs", "check")


@dataclass(frozen=True, slots=True)
class Totals:
    """What the demo did so far, counted as the dashboard counts it."""

    completed: int
    """Documents that were processed."""
    written: int
    """Fields that were written and not undone since."""
    for_review: int
    """Documents with suggestions for review."""
    failed: int

    def __str__(self) -> str:
        return (
            f"{plural(self.completed, 'document')} processed,"
            f" {plural(self.written, 'field')} written,"
            f" {plural(self.for_review, 'document')} for review, {self.failed} failed"
        )


class Progress:
    """Prints a line for each job that ends, and the totals when nothing is left to do."""

    def __init__(self, services: Services, daemon: Daemon) -> None:
        self._services = services
        self._daemon = daemon
        self._last_event = 0

    async def follow(self) -> None:
        while True:
            await self.print_news()
            await asyncio.sleep(_POLL_INTERVAL.total_seconds())

    async def print_news(self) -> None:
        """Print the jobs that have ended and, if they were the last, the totals."""
        if await self.print_ended():
            await self._print_if_idle()

    async def print_ended(self) -> bool:
        """Print the jobs that have ended since the last call; return whether there were any."""
        store = self._services.store
        events = await store.jobs.list_events_with_jobs(self._last_event)
        ended = [event for event in events if event.event.name in _ENDS]
        for event in ended:
            console().print(await _line(store, event))
        self._last_event = max([self._last_event, *(event.event.id for event in events)])
        return bool(ended)

    async def _print_if_idle(self) -> None:
        """Print the totals and what to open next, if the queue is empty."""
        store = self._services.store
        tally = await store.jobs.count_by_status()
        if any(tally[status] for status in _AT_WORK):
            return
        console().print(f"The queue is empty: {await load_totals(store)}.")
        if self._daemon.password_link and await store.access.get_password_hash() is None:
            console().print(f"Choose a password for the dashboard: {self._daemon.password_link}")
        else:
            address = self._services.context.settings.daemon.web.public_address()
            console().print(f"Review them: {address}/review")


async def run_until_stopped(options: Options, sandbox: Sandbox) -> None:
    """Run a daemon in the sandbox until Ctrl-C, and print what it does."""
    sandbox.model.behave(_MODEL)
    post = PendingDocuments(sandbox.world, find_letters(sandbox.world))
    async with open_context(options) as context:
        settings = with_free_port(context.settings)
        # With another port, the files do not say what is in effect.
        from_files = settings == context.settings
        served = replace(context, settings=settings, options=options if from_files else None)
        _print_introduction(
            options, served.settings, post=post, documents=len(sandbox.world.documents)
        )
        async with open_services(served, context.select_instances(None)) as services:
            await _ask_for_scans(services)
            await _run_daemon(services, post)


def find_letters(world: World) -> list[int]:
    """Return the documents that arrive during the demo."""
    return [id_ for id_, each in world.documents.items() if each.original_file_name in LETTERS]


def with_free_port(settings: Settings) -> Settings:
    """Return settings with another port if the dashboard's port is taken."""
    web = settings.daemon.web
    try:
        port = _free_port(web.host, web.port)
    except CannotListen:
        port = _free_port(web.host, 0)
    web = web.model_copy(update={"port": port})
    return replace(settings, daemon=settings.daemon.model_copy(update={"web": web}))


async def deliver(post: PendingDocuments, *, every: timedelta) -> None:
    """Add the pending documents to Paperless, one after each interval."""
    while post:
        await asyncio.sleep(every.total_seconds())
        letter = post.deliver()
        console().print(f"A letter has arrived in Paperless: {letter.original_file_name}")


async def load_totals(store: Store) -> Totals:
    """Return what happened to the documents so far."""
    done = JobFilter(status=JobStatus.COMPLETED)
    completed = {job.document for job in await store.jobs.list(done, limit=_MAX_ROWS)}
    written = await store.changes.list_applied(ChangeFilter())
    waiting = {change.document for change in await store.changes.list_for_review(limit=_MAX_ROWS)}
    failed = (await store.jobs.count_by_status())[JobStatus.FAILED]
    return Totals(len(completed), len(written), len(waiting), failed)


async def describe_outcome(store: Store, job_id: int) -> str:
    """Return how many changes of a job are in which state."""
    states = Counter(state_label(change) for change in await _changes_of(store, job_id))
    return ", ".join(f"{count} {words}" for words, count in states.items()) or "nothing to write"


def _print_introduction(
    options: Options, settings: Settings, *, post: PendingDocuments, documents: int
) -> None:
    say = console().print
    say(f"It has {documents} documents; {len(post)} more will arrive in the next minutes.")
    say(f"Dashboard: {settings.daemon.web.public_address()}. Open the link below to watch.")
    say("\nYou can also use the command line, in another terminal:")
    say(f"    export PAPERCLERK_CONFIG={options.config} PAPERCLERK_DATA={options.data}")
    for command in _COMMANDS:
        # By its path: in a virtual environment `paperclerk` alone would not be found.
        say(f"    {sys.argv[0]} {command}")
    say("\nCtrl-C ends the demo and deletes its files.\n")


async def _ask_for_scans(services: Services) -> None:
    """Request a scan, so that the demo does not wait for the timer."""
    for name in services.instances:
        await services.store.scans.request(name, asked_by="hand", now=services.context.clock())


async def _run_daemon(services: Services, post: PendingDocuments) -> None:
    daemon = Daemon(services)
    progress = Progress(services, daemon)
    async with asyncio.TaskGroup() as tasks:
        beside = (
            tasks.create_task(progress.follow()),
            tasks.create_task(deliver(post, every=_LETTER_INTERVAL)),
        )
        await daemon.run()
        for task in beside:
            task.cancel()
    await progress.print_ended()


async def _line(store: Store, ended: JobEvent) -> str:
    known = await store.documents.get(ended.document)
    is_dry_run = ended.kind == DRY_RUN
    outcome = "dry run" if is_dry_run else await describe_outcome(store, ended.event.job_id)
    if ended.event.name is not EventName.COMPLETED:
        outcome = ended.event.name.value
    return f"{ended.document}  {clean_line(known.title) if known else ''}  [{outcome}]"


async def _changes_of(store: Store, job_id: int) -> Collection[Change]:
    """Return the changes that a job planned, and those that it wrote or undid."""
    own, settled = await store.changes.list_for_job(job_id), await list_settled(store, job_id)
    return {change.id: change for change in (*own, *settled)}.values()


def _free_port(host: str, port: int) -> int:
    """Return a free port: this one, or any for 0; raise CannotListen."""
    with listen(host, port) as taken:
        return int(taken.getsockname()[1])
