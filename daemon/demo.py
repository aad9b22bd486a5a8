"""The demo that stays: a daemon with its dashboard, in a pretend world where things happen."""

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
"""Documents that arrive while one looks on: filed, for review, and with a sender unknown so far."""
_THINKING = timedelta(seconds=2)
"""So long the model takes for a document: one can see it move, and need not wait."""
_A_LETTER_EVERY = timedelta(seconds=45)
_LOOK_EVERY = timedelta(seconds=0.5)
_ENDS = {EventName.COMPLETED, EventName.FAILED, EventName.CANCELLED}
_AT_WORK = (JobStatus.PENDING, JobStatus.PROCESSING)
_COMMANDS = ("review list", "history", "undo --scan 1 --preview", "jobs", "check")


async def run_until_stopped(options: Options, sandbox: Sandbox) -> None:
    """Be a daemon that finds its documents by itself, until Ctrl-C; tell what it does."""
    sandbox.model.behave(Behaviour(delay=_THINKING.total_seconds()))
    post = PendingDocuments(sandbox.world, LETTERS)
    async with open_context(options) as memory:
        served = replace(memory, settings=with_free_port(memory.settings))
        _introduce(options, served.settings, post=post, documents=len(sandbox.world.documents))
        async with open_services(served, memory.select_instances(None)) as services:
            await _ask_for_scans(services)
            await _live(services, post)


def with_free_port(settings: Settings) -> Settings:
    """Let the dashboard have another port if its own is taken, perhaps by the real Paperclerk."""
    web = settings.daemon.web
    try:
        port = _free_port(web.host, web.port)
    except CannotListen:
        port = _free_port(web.host, 0)
    web = web.model_copy(update={"port": port})
    return replace(settings, daemon=settings.daemon.model_copy(update={"web": web}))


async def deliver(post: PendingDocuments, *, every: timedelta) -> None:
    """Let the letters arrive, one after each interval."""
    while post:
        await asyncio.sleep(every.total_seconds())
        letter = post.deliver()
        console().print(f"A letter has arrived in Paperless: {letter.original_file_name}")


async def describe_outcome(store: Store, job_id: int) -> str:
    """Say in a few words what became of the changes that a job has to do with."""
    states = Counter(state_label(change) for change in await _changes_of(store, job_id))
    return ", ".join(f"{count} {words}" for words, count in states.items()) or "nothing to write"


def _introduce(
    options: Options, settings: Settings, *, post: PendingDocuments, documents: int
) -> None:
    say = console().print
    say(f"It has {documents} documents, and {len(post)} more arrive in the next minutes.")
    say(f"Dashboard: {settings.daemon.web.public_address()}. Open the link below to watch.")
    say("\nAll of it can be done on the command line, too. In another terminal:")
    say(f"    export PAPERCLERK_CONFIG={options.config} PAPERCLERK_DATA={options.data}")
    for command in _COMMANDS:
        # As it was called itself: in a virtual environment `paperclerk` alone would not be found.
        say(f"    {sys.argv[0]} {command}")
    say("\nCtrl-C ends the demo and removes what it made.\n")


async def _ask_for_scans(services: Services) -> None:
    """Have the daemon begin with a scan: nobody wants to wait for the full minute."""
    for name in services.instances:
        await services.store.scans.request(name, asked_by="hand", now=services.context.clock())


async def _live(services: Services, post: PendingDocuments) -> None:
    async with asyncio.TaskGroup() as tasks:
        beside = (
            tasks.create_task(_print_progress(services)),
            tasks.create_task(deliver(post, every=_A_LETTER_EVERY)),
        )
        await Daemon(services).run()
        for task in beside:
            task.cancel()


async def _print_progress(services: Services) -> None:
    """Print a line for each job that ends, and one when nothing is left to do."""
    last = 0
    while True:
        events = await services.store.jobs.list_events_with_jobs(last)
        ended = [one for one in events if one.event.name in _ENDS]
        for one in ended:
            console().print(await _line(services.store, one))
        if ended:
            await _tell_of_rest(services)
        last = max([last, *(one.event.id for one in events)])
        await asyncio.sleep(_LOOK_EVERY.total_seconds())


async def _line(store: Store, one: JobEvent) -> str:
    known = await store.documents.get(one.document)
    said = await describe_outcome(store, one.event.job_id)
    if one.event.name is not EventName.COMPLETED:
        said = one.event.name.value
    return f"{one.document}  {clean_line(known.title) if known else ''}  [{said}]"


async def _tell_of_rest(services: Services) -> None:
    """Say that the queue is empty, if it is, and what is left to a person."""
    tally = await services.store.jobs.count_by_status()
    if any(tally[status] for status in _AT_WORK):
        return
    waiting = await services.store.changes.list_for_review(limit=1000)
    documents = len({change.document for change in waiting})
    review = f"{services.context.settings.daemon.web.public_address()}/review"
    console().print(f"The queue is empty; {plural(documents, 'document')} for review: {review}")


async def _changes_of(store: Store, job_id: int) -> Collection[Change]:
    """List what a job wants changed, and what else it has settled: a review, an undo."""
    own, settled = await store.changes.list_for_job(job_id), await list_settled(store, job_id)
    return {change.id: change for change in (*own, *settled)}.values()


def _free_port(host: str, port: int) -> int:
    """Return a port that can be had: this one, or any for 0; raise CannotListen."""
    with listen(host, port) as taken:
        return int(taken.getsockname()[1])
