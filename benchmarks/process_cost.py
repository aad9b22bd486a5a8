"""`make bench-process`: what filing a document costs Paperless, now, before, and in other tools.

Requests, bytes and background tasks are counted. No time is measured, so the figures are the same
in each run. Bytes are those of the bodies in both directions, before compression.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from rich.table import Table

from actions import review
from actions.decisions import Edits
from benchmarks.loop_time import INSTANCE, running_services
from benchmarks.measure import console
from benchmarks.process_others import WAYS, Body, Way, undo_before
from benchmarks.sandbox_process import Address
from core.documents import DocumentRef
from core.jobs import ANALYZE, UNDO, JobStatus, NewJob, Priority
from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import Kind, World, load_world

_SAMPLE = 1
"""An electricity bill: all of its fields can be written without review."""
_LISTS = ("tags", "correspondents", "document_types", "custom_fields")
_RULES = """
[scan]
cron = "@yearly"
done_tag = "Erledigt"
remove_tags = ["Inbox"]
exclude_tags = ["Privat"]

[limits]
documents_per_day = 0
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost to Paperless per document."""

    requests: float
    """Without lists of names, which we fetch at most every five minutes."""
    lists: float
    kilobytes: float
    """Without the bytes of the lists."""
    tasks: float


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table."""

    what: str
    cost: Cost
    goal: int | None = None
    """Maximum number of requests, without background tasks; None if there is no goal."""

    @property
    def is_met(self) -> bool:
        return self.goal is None or (self.cost.requests <= self.goal and self.cost.tasks == 0)


@dataclass(frozen=True, slots=True)
class Case:
    """One way in which we file documents."""

    mode: str = "replace"
    examples: int = 0
    e_invoices: bool = False

    @property
    def tables(self) -> str:
        fields = ("title", "correspondent", "document_type", "tags", "date")
        modes = "\n".join(f'{field} = "{self.mode}"' for field in fields)
        custom = f'custom_fields = {{ "Rechnungsnummer" = "{self.mode}" }}'
        return f"{_RULES}\n[fields]\n{modes}\n{custom}\n"


class Installation:
    """Processes a number of documents of one Paperless and counts the cost."""

    def __init__(self, sandbox: Sandbox, services: Services) -> None:
        self.services = services
        self.sandbox = sandbox
        self.numbers = sorted(sandbox.world.documents)
        self._tasks = 0

    async def file(self) -> Cost:
        """Analyse all documents, after the lists of names were fetched."""
        await self.services.instances[INSTANCE].catalogue.names()
        await self.services.instances[INSTANCE].custom_fields.all()
        for number in self.numbers:
            await self._enqueue(number, ANALYZE)
        return await self.drain()

    async def undo(self) -> Cost:
        """Undo everything that was written."""
        for number in self.numbers:
            changes = await self.services.store.changes.list_for_document(
                DocumentRef(INSTANCE, number)
            )
            await self._enqueue(number, UNDO, changes=[change.id for change in changes])
        return await self.drain()

    async def accept(self) -> Cost:
        """Accept everything in review; requests made by the decision itself do not count."""
        for number in self.numbers:
            await review.accept(self.services.caller, [DocumentRef(INSTANCE, number)], Edits({}))
        return await self.drain()

    async def drain(self) -> Cost:
        """Process the queue and return the cost."""
        self.begin()
        finished = [ended async for ended in self.services.processor().drain()]
        assert [ended.job.status for ended in finished] == [JobStatus.COMPLETED] * len(self.numbers)
        return self.cost()

    def replay(self, way: Way, bodies: Sequence[Body]) -> Cost:
        """Write the documents with the requests of another tool."""
        token = {"Authorization": f"Token {self.sandbox.token}"}
        self.begin()
        with httpx.Client(base_url=self.sandbox.url, headers=token, timeout=60) as http:
            for number, body in zip(self.numbers, bodies, strict=True):
                way.write(http, number, body)
        return self.cost()

    def begin(self) -> None:
        """Reset the counters."""
        self.sandbox.paperless.requests.clear()
        self._tasks = self.sandbox.world.worker.tasks

    def cost(self) -> Cost:
        """Return the counts per document."""
        made, count = list(self.sandbox.paperless.requests), len(self.numbers)
        about = [request for request in made if request.path.split("/")[2] not in _LISTS]
        return Cost(
            requests=len(about) / count,
            lists=(len(made) - len(about)) / count,
            kilobytes=sum(request.sent + request.received for request in about) / count / 1000,
            tasks=(self.sandbox.world.worker.tasks - self._tasks) / count,
        )

    def written(self) -> list[Body]:
        """Return the content of each PATCH since the start, in document order."""
        patches = [
            request for request in self.sandbox.paperless.requests if request.method == "PATCH"
        ]
        by_path = {patch.path: patch.body for patch in patches if isinstance(patch.body, dict)}
        return [by_path[f"/api/documents/{number}/"] for number in self.numbers]

    async def _enqueue(self, number: int, kind: str, **payload: object) -> None:
        ref, clock = DocumentRef(INSTANCE, number), self.services.context.clock
        new = NewJob(ref, kind, Priority.BY_HAND, asked_by="bench", payload=payload)
        assert await self.services.store.jobs.enqueue(new, now=clock()) is not None


async def measure(documents: int) -> list[Line]:
    """Measure all ways of filing the same documents."""
    async with _installation(Case(), documents) as installation:
        lines = [Line("written", await installation.file(), goal=4)]
        bodies = installation.written()
        undone = Line("undone", await installation.undo(), goal=3)
        others = [Line(way.name, installation.replay(way, bodies)) for way in WAYS]
        back = Way("undone as before", undo_before)
        others.insert(1, Line(back.name, installation.replay(back, bodies)))
    async with _installation(Case(examples=3), documents) as installation:
        lines += [Line("written, with examples", await installation.file(), goal=5), undone]
    async with _installation(Case(e_invoices=True), documents) as installation:
        lines.append(Line("written, with an invoice's original", await installation.file(), goal=5))
    async with _installation(Case("review"), documents) as installation:
        lines.append(Line("for review only", await installation.file(), goal=1))
        accepted = Line("accepted in review", await installation.accept(), goal=3)
    async with _installation(Case("review", examples=3), documents) as installation:
        lines += [
            Line("for review only, with examples", await installation.file(), goal=2),
            accepted,
        ]
    async with _installation(Case(), documents) as installation:
        _spoil(installation.sandbox.world)
        lines.append(Line("written, an old custom field is refused", await installation.file()))
    return lines + others


def show(lines: Sequence[Line], documents: int) -> None:
    """Print the table."""
    title = f"For each of {documents} documents"
    table = Table(title=title, title_justify="left")
    for heading in ("", "requests", "goal", "lists of names", "kB", "background tasks"):
        table.add_column(heading, justify="right" if heading else "left")
    for line in lines:
        cost, goal = line.cost, "" if line.goal is None else f"{line.goal}"
        figures = (f"{cost.lists:.1f}", f"{cost.kilobytes:.1f}", f"{cost.tasks:.1f}")
        table.add_row(line.what, f"{cost.requests:.1f}", goal, *figures)
    console().print(table)


@asynccontextmanager
async def _installation(case: Case, documents: int) -> AsyncIterator[Installation]:
    with (
        tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder,
        Sandbox(_world(documents)) as sandbox,
    ):
        switch = "true" if case.e_invoices else "false"
        settings = f"{sandbox.settings()}examples = {case.examples}\neinvoices = {switch}\n"
        address = Address(sandbox.url, sandbox.token, sandbox.model.base_url, settings)
        async with running_services(Path(folder), address, case.tables) as services:
            yield Installation(sandbox, services)


def _world(documents: int) -> World:
    """Build a Paperless with a number of copies of one document."""
    world = load_world()
    world.add_name(Kind.TAG, "Erledigt")
    sample, inbox = world.documents[_SAMPLE], world.find(Kind.TAG, "Inbox").id
    world.documents.clear()
    for number in range(documents):
        # The copies differ slightly: Paperless lists exact duplicates in each response.
        text = sample.content + " " * number
        copy = world.add_document(text, "scan_0031.pdf", added=sample.added)
        copy.tags = {inbox}
    return world


def _spoil(world: World) -> None:
    """Set an amount on each document that Paperless no longer accepts."""
    for document in world.documents.values():
        document.custom_fields[world.find_custom_field("Betrag").id] = "12,50 €"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=50)
    options = parser.parse_args()
    lines = asyncio.run(measure(options.documents))
    show(lines, options.documents)
    missed = [line.what for line in lines if not line.is_met]
    sys.exit(f"goals missed: {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()
