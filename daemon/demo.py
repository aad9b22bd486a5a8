"""The interactive demo: a daemon with its dashboard, in a sandbox where documents arrive."""

import asyncio
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

from core.changes import Change
from core.jobs import EventName, JobEvent, JobStatus
from core.settings import Settings
from core.text import clean_line
from daemon.cli.options import Options
from daemon.cli.output import console, plural
from daemon.context import open_context
from daemon.executor import list_settled
from daemon.run import Daemon
from daemon.services import Services, open_services
from dashboard.server import CannotListen, listen
from i18n.labels import state_label
from sandbox import Sandbox
from sandbox.model import Behaviour
from sandbox.paperless import PendingDocuments
from store import Store

LETTERS = (33, 36, 39, 32, 30, 29)
"""Documents that arrive during the demo: filed, for review, and with a new correspondent."""
_MODEL_DELAY = timedelta(seconds=2)
"""How long the model takes for a document: long enough to watch."""
_LETTER_INTERVAL = timedelta(seconds=45)
_POLL_INTERVAL = timedelta(seconds=0.5)
_ENDS = {EventName.COMPLETED, EventName.FAILED, EventName.CANCELLED}
_AT_WORK = (JobStatus.PENDING, JobStatus.PROCESSING)
_COMMANDS = ("review list", "history", "undo --scan 1 --preview", "jobs", "check")


async def run_until_stopped(options: Options, sandbox: Sandbox) -> None:
    """Run a daemon in the sandbox until Ctrl-C, and print what it does."""
    sandbox.model.behave(Behaviour(delay=_MODEL_DELAY.total_seconds()))
    post = PendingDocuments(sandbox.world, LETTERS)
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
    async with asyncio.TaskGroup() as tasks:
        beside = (
            tasks.create_task(_print_progress(services)),
            tasks.create_task(deliver(post, every=_LETTER_INTERVAL)),
        )
        await Daemon(services).run()
        for task in beside:
            task.cancel()


async def _print_progress(services: Services) -> None:
    """Print a line for each job that ends, and one when nothing is left to do."""
    last = 0
    while True:
        events = await services.store.jobs.list_events_with_jobs(last)
        ended = [event for event in events if event.event.name in _ENDS]
        for event in ended:
            console().print(await _line(services.store, event))
        if ended:
            await _print_if_idle(services)
        last = max([last, *(event.event.id for event in events)])
        await asyncio.sleep(_POLL_INTERVAL.total_seconds())


async def _line(store: Store, ended: JobEvent) -> str:
    known = await store.documents.get(ended.document)
    outcome = await describe_outcome(store, ended.event.job_id)
    if ended.event.name is not EventName.COMPLETED:
        outcome = ended.event.name.value
    return f"{ended.document}  {clean_line(known.title) if known else ''}  [{outcome}]"


async def _print_if_idle(services: Services) -> None:
    """Print how many documents are for review, if the queue is empty."""
    tally = await services.store.jobs.count_by_status()
    if any(tally[status] for status in _AT_WORK):
        return
    waiting = await services.store.changes.list_for_review(limit=1000)
    documents = len({change.document for change in waiting})
    review = f"{services.context.settings.daemon.web.public_address()}/review"
    console().print(f"The queue is empty; {plural(documents, 'document')} for review: {review}")


async def _changes_of(store: Store, job_id: int) -> Collection[Change]:
    """Return the changes that a job planned, and those that it wrote or undid."""
    own, settled = await store.changes.list_for_job(job_id), await list_settled(store, job_id)
    return {change.id: change for change in (*own, *settled)}.values()


def _free_port(host: str, port: int) -> int:
    """Return a free port: this one, or any for 0; raise CannotListen."""
    with listen(host, port) as taken:
        return int(taken.getsockname()[1])
