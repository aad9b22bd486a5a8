"""`make bench-index`: the archive index beside plain FTS5, a model call, and a bare crawl.

Everything is measured in the same run. Texts are made from the lines of the sample documents, with
other numbers and names in each.
"""

import argparse
import asyncio
import random
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, thread_time
from typing import Concatenate, ParamSpec, TypeVar

from rich.table import Table
from sqlalchemy import Connection

from benchmarks.loop_time import INSTANCE, running_services
from benchmarks.measure import console
from benchmarks.sandbox_process import running_sandbox
from core.archive import ArchiveDocument, ArchiveFields, ArchiveSearch
from core.documents import DocumentRef
from paperless_client import Document, NameLists, PaperlessClient, Transport, build_http
from scanner.backfill import BATCH, IndexFiller, IndexRules
from store.database import Database
from store.engine import INDEX_FILE_NAME, index_engines_for
from store.index import sqlite
from store.index.archive import ArchiveIndex
from store.index.query import build_groups

P = ParamSpec("P")
T = TypeVar("T")

SAMPLES = (Path("benchmarks/eval/documents"), Path("sandbox/documents"))
QUERIES = ("krankengeld", "rechnung", "rechnung strom", "vertrag kündigung haftpflicht", "telekom")
MODEL_SECONDS = 0.5
_ROUNDS = 15
_PAGE_SECONDS, _DOCUMENT_SECONDS = 0.03, 0.00075
"""What a Paperless was seen to take for a range of ids, and for each document in it."""
_NAMES = 60_000
_SYLLABLES = "ba be bi do fa ge hei ka kel la len mann mei ner pa rich sa schen ter tor wal zel"


class TimedDatabase(Database):
    """Measures the CPU time of each transaction of the writer."""

    def __init__(self, folder: Path) -> None:
        super().__init__(index_engines_for(None, folder))
        self.milliseconds = list[float]()

    async def write(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        def timed(connection: Connection) -> T:
            # Not by the clock: on a busy machine that would measure who else is at work.
            began = thread_time()
            try:
                return work(connection, *args, **kwargs)
            finally:
                self.milliseconds.append((thread_time() - began) * 1000)

        return await super().write(timed)


@dataclass(frozen=True, slots=True)
class Search:
    """CPU time of one search in milliseconds."""

    whole_word: float
    """Plain FTS5, for the words as they are."""
    same_words: float
    """Plain FTS5, for all words that contain them, as ours."""
    ours: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured."""

    documents: int
    raw_bytes: int
    index_bytes: int
    vocabulary_bytes: int
    put_ms: float
    transactions_ms: Sequence[float]
    searches: dict[str, Search] = field(default_factory=dict)


def make_texts(count: int) -> Iterator[str]:
    """Yield texts of two pages on average, always the same ones."""
    chance = random.Random(7)  # noqa: S311 - no secret
    lines = [
        line
        for folder in SAMPLES
        for file in sorted(folder.glob("*.txt"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    syllables = _SYLLABLES.split()
    names = [
        "".join(chance.choices(syllables, k=chance.randint(2, 4))).title() for _ in range(_NAMES)
    ]

    def make_line() -> str:
        line = chance.choice(lines)
        # The other half are letterheads, which have the same numbers each time.
        if chance.random() < 0.5:
            line = re.sub(r"\d", lambda _: str(chance.randint(0, 9)), line)
        if chance.random() < 0.35:
            line += " " + names[min(_NAMES - 1, int(chance.paretovariate(0.35)))]
        return line

    for _ in range(count):
        yield "\n".join(make_line() for _ in range(chance.randint(30, 110)))


async def measure(folder: Path, documents: int) -> Figures:
    """Fill the index and a plain FTS5 table with the same texts, and search both."""
    database = TimedDatabase(folder)
    index = ArchiveIndex(database)
    with closing(sqlite3.connect(folder / "plain.db", isolation_level=None)) as plain:
        plain.execute("PRAGMA journal_mode=WAL")
        plain.execute("CREATE VIRTUAL TABLE texts USING fts5(text)")
        raw, seconds = 0, list[float]()
        for number, text in enumerate(make_texts(documents), start=1):
            raw += len(text.encode())
            plain.execute("INSERT INTO texts (rowid, text) VALUES (?, ?)", (number, text))
            began = process_time()
            await index.put(_build_document(number, text))
            seconds.append(process_time() - began)
        await index.set_excluded_tags(INSTANCE, ())
        searches = {
            query: await _compare_search(index, database, plain, query) for query in QUERIES
        }
    transactions = database.milliseconds
    await index.close()
    file = folder / INDEX_FILE_NAME
    return Figures(
        documents,
        raw,
        file.stat().st_size,
        _vocabulary_bytes(file),
        sum(seconds) / documents * 1000,
        transactions,
        searches,
    )


def _build_document(number: int, text: str) -> ArchiveDocument:
    now = datetime(2026, 11, 17, tzinfo=UTC)
    fields = ArchiveFields(
        ref=DocumentRef(INSTANCE, number),
        title=f"scan_{number}",
        correspondent=None,
        document_type=None,
        tags=frozenset(),
        created=date(2026, 11, 17),
        added=now,
        modified=now,
        page_count=2,
    )
    return ArchiveDocument(fields, text)


async def _compare_search(
    index: ArchiveIndex, database: Database, plain: sqlite3.Connection, query: str
) -> Search:
    """Return the median CPU times of a search: plain FTS5 twice, and ours."""
    statement = (
        "SELECT rowid, snippet(texts, 0, '[', ']', '', 20) FROM texts"
        " WHERE texts MATCH ? ORDER BY rank LIMIT 20"
    )
    whole = " AND ".join(f'"{word}"' for word in query.split())
    same = await database.read(_expand, query)
    samples: list[tuple[float, float, float]] = []
    for _ in range(_ROUNDS):
        times = [process_time()]
        for match in (whole, same):
            plain.execute(statement, (match,)).fetchall()
            times.append(process_time())
        await index.search(ArchiveSearch(query, frozenset({INSTANCE})))
        times.append(process_time())
        samples.append((times[1] - times[0], times[2] - times[1], times[3] - times[2]))
    return Search(*(median(column) * 1000 for column in zip(*samples, strict=True)))


def _expand(connection: Connection, query: str) -> str:
    """Return the expression of FTS5 for the same words that our search looks for."""
    groups = build_groups(query, partial(sqlite.find_words, connection))
    _, values = sqlite.hits_query(connection, groups)
    return str(values["every"])


def _vocabulary_bytes(file: Path) -> int:
    """Return the size of what finds words inside of others; 0 if this SQLite cannot tell."""
    with closing(sqlite3.connect(file)) as connection:
        try:
            query = (
                "SELECT sum(pgsize) FROM dbstat"
                " WHERE name GLOB 'word_index*' OR name GLOB '*archive_words*'"
            )
            return int(connection.execute(query).fetchone()[0] or 0)
        except sqlite3.OperationalError:
            return 0


@dataclass(frozen=True, slots=True)
class Backfill:
    """Seconds of a bare crawl with text, and of a backfill without pauses."""

    documents: int
    crawl: float
    fill: float
    fill_cpu: float


class PacedPaperless(PaperlessClient):
    """Takes as long for a page of documents as a Paperless does; the sandbox is much faster."""

    async def fetch_documents(
        self, ids: frozenset[int], *, without_tags: frozenset[int]
    ) -> tuple[Document, ...]:
        await asyncio.sleep(_PAGE_SECONDS + _DOCUMENT_SECONDS * len(ids))
        return await super().fetch_documents(ids, without_tags=without_tags)


async def measure_backfill(folder: Path, documents: int) -> Backfill:
    """Measure a bare crawl with text, and a backfill without pauses."""
    with running_sandbox(documents=documents) as address:
        async with (
            running_services(folder, address) as services,
            build_http(timeout=timedelta(minutes=1), ca_file=None, headers={}) as http,
        ):
            clock = services.context.clock
            client = PacedPaperless(Transport(address.paperless, address.token, http, clock=clock))
            began = perf_counter()
            await _crawl(client, documents)
            between, used = perf_counter(), process_time()
            filler = IndexFiller(
                INSTANCE,
                NameLists(client, clock=clock),
                IndexRules(enabled=True),
                store=services.store,
                clock=clock,
                rest=0,
            )
            await filler.update()
            return Backfill(
                documents, between - began, perf_counter() - between, process_time() - used
            )


async def _crawl(client: PaperlessClient, documents: int) -> None:
    for start in range(1, documents + 1, BATCH):
        ids = frozenset(range(start, min(start + BATCH, documents + 1)))
        await client.fetch_documents(ids, without_tags=frozenset())


def show(figures: Figures, backfill: Backfill) -> None:
    """Print the figures beside the goals."""
    table = Table(title=f"Archive index, {figures.documents:,} documents", title_justify="left")
    for heading in ("", "measured", "goal"):
        table.add_column(heading)
    without = figures.index_bytes - figures.vocabulary_bytes
    longest = sorted(figures.transactions_ms)
    rows = [
        ("raw text", f"{figures.raw_bytes / 1e6:,.0f} MB", ""),
        ("index / raw text", f"{figures.index_bytes / figures.raw_bytes:.2f}", "1.3"),
        ("without parts of words", f"{without / figures.raw_bytes:.2f}", "0.9"),
        ("indexing a document, CPU", f"{figures.put_ms:.1f} ms", ""),
        (
            f"of a {MODEL_SECONDS} s model call",
            f"{figures.put_ms / MODEL_SECONDS / 10:.1f} %",
            "2 %",
        ),
        ("transaction, CPU, p99", f"{longest[int(len(longest) * 0.99)]:.1f} ms", ""),
        ("transaction, CPU, longest", f"{longest[-1]:.1f} ms", "20 ms"),
        *(
            (
                f'search "{query}", CPU',
                f"{search.ours:.1f} ms; FTS5 {search.same_words:.1f} ms,"
                f" {search.ours / search.same_words:.1f} x; whole words {search.whole_word:.1f} ms",
                "2 x",
            )
            for query, search in figures.searches.items()
        ),
        (
            f"backfill / crawl, {backfill.documents:,} documents",
            f"{backfill.fill / backfill.crawl:.2f} ({backfill.fill:.1f} s, of these"
            f" {backfill.fill_cpu:.1f} s CPU / {backfill.crawl:.1f} s)",
            "1.3",
        ),
    ]
    for row in rows:
        table.add_row(*row)
    console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--crawled", type=int, default=2_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder:
        place = Path(folder)
        (place / "crawl").mkdir()
        backfill = asyncio.run(measure_backfill(place / "crawl", options.crawled))
        figures = asyncio.run(measure(place, options.documents))
        show(figures, backfill)


if __name__ == "__main__":
    main()
