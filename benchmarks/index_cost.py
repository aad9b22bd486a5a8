"""`make bench-index`: the archive index compared with plain FTS5, a model call and a bare crawl.

Everything is measured in the same run. Texts are made from the lines of the sample documents, with
other numbers and names in each.
"""

import argparse
import asyncio
import gc
import random
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import islice
from math import nan
from pathlib import Path
from statistics import mean, median
from time import perf_counter, process_time, thread_time

from rich.table import Table
from sqlalchemy import Connection, Engine
from sqlalchemy.pool import PoolProxiedConnection

from benchmarks.loop_time import INSTANCE, running_services
from benchmarks.measure import console
from benchmarks.sandbox_process import running_sandbox
from core.archive import ArchiveDocument, ArchiveFields, ArchiveSearch
from core.documents import DocumentRef
from paperless_client import Document, NameLists, PaperlessClient, Transport, build_http
from scanner.backfill import GENTLE, IndexFiller, IndexRules, ReadingPace
from store.database import Database
from store.engine import INDEX_FILE_NAME, index_engines_for
from store.index import sqlite
from store.index.archive import ArchiveIndex
from store.index.search import build_groups

SAMPLES = (Path("benchmarks/eval/documents"), Path("sandbox/documents"))
QUERIES = ("krankengeld", "rechnung", "rechnung strom", "vertrag kündigung haftpflicht", "telekom")
MODEL_SECONDS = 0.5
BATCH = GENTLE.batch
ONE_BY_ONE = 2_000
"""Number of documents at the end that are indexed one by one."""
PARTS_OF_WORDS = "parts of words"
PARTS = {
    PARTS_OF_WORDS: "word",
    "full text": "chunk_index",
    "texts": "archive_chunks",
    "rows of documents": "archive_documents",
}
"""Parts of the index, and what the names of their tables contain."""
_ROUNDS = 15
_PAGE_SECONDS, _DOCUMENT_SECONDS = 0.03, 0.00075
"""Measured response time of a Paperless for a range of ids, and for each document in it."""
_NAMES = 60_000
_SYLLABLES = "ba be bi do fa ge hei ka kel la len mann mei ner pa rich sa schen ter tor wal zel"


class TransactionTimer:
    """Measures the writer's transactions, from BEGIN to the end of COMMIT."""

    def __init__(self, writer: Engine) -> None:
        self.cpu_ms, self.clock_ms = list[float](), list[float]()
        self._began = 0.0, 0.0
        dialect = writer.dialect
        self._do_begin, self._do_commit = dialect.do_begin, dialect.do_commit
        dialect.do_begin = self._begin  # type: ignore[method-assign]
        dialect.do_commit = self._commit  # type: ignore[method-assign]

    def _begin(self, dbapi_connection: PoolProxiedConnection) -> None:
        self._began = thread_time(), perf_counter()
        self._do_begin(dbapi_connection)

    def _commit(self, dbapi_connection: PoolProxiedConnection) -> None:
        self._do_commit(dbapi_connection)
        cpu, clock = self._began
        self.cpu_ms.append((thread_time() - cpu) * 1000)
        self.clock_ms.append((perf_counter() - clock) * 1000)


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
    """All measurements."""

    documents: int
    raw_bytes: int
    index_bytes: int
    parts: Mapping[str, int]
    """Bytes of the index by part; empty if this SQLite lacks `dbstat`."""
    put_ms: float
    batch_ms: float
    transactions: TransactionTimer
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
    # Otherwise the garbage collector could run within a transaction.
    gc.freeze()
    engines = index_engines_for(None, folder)
    timer = TransactionTimer(engines.writer)
    database = Database(engines)
    index = ArchiveIndex(database)
    with closing(sqlite3.connect(folder / "plain.db", isolation_level=None)) as plain:
        plain.execute("PRAGMA journal_mode=WAL")
        plain.execute("CREATE VIRTUAL TABLE texts USING fts5(text)")
        raw, batch_ms, put_ms = 0, list[float](), list[float]()
        texts = enumerate(make_texts(documents), start=1)
        while batch := list(islice(texts, BATCH)):
            raw += sum(len(text.encode()) for _, text in batch)
            plain.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", batch)
            entries = [_build_document(number, text) for number, text in batch]
            # In batches, like the backfill; the last ones one by one, like jobs.
            if batch[0][0] <= documents - ONE_BY_ONE:
                batch_ms.append(await _put(index, *entries) / len(entries))
            else:
                put_ms += [await _put(index, entry) for entry in entries]
        await index.set_excluded_tags(INSTANCE, ())
        searches = {
            query: await _compare_search(index, database, plain, query) for query in QUERIES
        }
    await index.close()
    file = folder / INDEX_FILE_NAME
    return Figures(
        documents,
        raw,
        file.stat().st_size,
        _measure_parts(file),
        mean(put_ms),
        mean(batch_ms or [nan]),
        timer,
        searches,
    )


async def _put(index: ArchiveIndex, *entries: ArchiveDocument) -> float:
    """Index documents; return the milliseconds of CPU time."""
    began = process_time()
    await index.put(*entries)
    return (process_time() - began) * 1000


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


def _measure_parts(file: Path) -> Mapping[str, int]:
    """Return the size of each part of the index; empty if this SQLite lacks `dbstat`."""
    with closing(sqlite3.connect(file)) as connection:
        try:
            sizes = connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name")
            parts = Counter[str]()
            for name, size in sizes:
                parts[next((part for part in PARTS if PARTS[part] in name), "other")] += size
            free = "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"
            parts["free"] = connection.execute(free).fetchone()[0]
        except sqlite3.OperationalError:
            return {}
        return parts


@dataclass(frozen=True, slots=True)
class Backfill:
    """Seconds of a bare crawl with text, and of a backfill."""

    documents: int
    crawl: float
    crawl_cpu: float
    fill: float
    fill_cpu: float


class PacedPaperless(PaperlessClient):
    """Takes as long for a page of documents as a Paperless does; the sandbox is much faster."""

    async def fetch_documents(
        self, ids: frozenset[int], *, without_tags: frozenset[int]
    ) -> tuple[Document, ...]:
        await asyncio.sleep(_PAGE_SECONDS + _DOCUMENT_SECONDS * len(ids))
        return await super().fetch_documents(ids, without_tags=without_tags)


async def measure_backfill(folder: Path, documents: int, *, rest: float) -> Backfill:
    """Measure a backfill, and a bare crawl with text before and after it."""
    folder.mkdir()
    with running_sandbox(documents=documents) as address:
        async with (
            running_services(folder, address) as services,
            build_http(timeout=timedelta(minutes=1), ca_file=None, headers={}) as http,
        ):
            clock = services.context.clock
            client = PacedPaperless(Transport(address.paperless, address.token, http, clock=clock))
            filler = IndexFiller(
                INSTANCE,
                NameLists(client, clock=clock),
                IndexRules(enabled=True),
                store=services.store,
                clock=clock,
                pace=ReadingPace(rest=rest),
            )
            before = await _take_time(_crawl(client, documents))
            fill = await _take_time(filler.update())
            after = await _take_time(_crawl(client, documents))
            crawl, crawl_cpu = (mean(times) for times in zip(before, after, strict=True))
            return Backfill(documents, crawl, crawl_cpu, *fill)


async def _take_time(work: Awaitable[None]) -> tuple[float, float]:
    """Return the wall-clock and the CPU seconds."""
    clock, cpu = perf_counter(), process_time()
    await work
    return perf_counter() - clock, process_time() - cpu


async def _crawl(client: PaperlessClient, documents: int) -> None:
    for start in range(1, documents + 1, BATCH):
        ids = frozenset(range(start, min(start + BATCH, documents + 1)))
        await client.fetch_documents(ids, without_tags=frozenset())


def show(figures: Figures, backfill: Backfill, gentle: Backfill) -> None:
    """Print the figures with the goals."""
    table = Table(title=f"Archive index, {figures.documents:,} documents", title_justify="left")
    for heading in ("", "measured", "goal"):
        table.add_column(heading)
    for row in (*_size_rows(figures), *_time_rows(figures)):
        table.add_row(*row)
    for name, filled, goal in (("", backfill, "1.3"), (", with its pauses", gentle, "")):
        table.add_row(
            f"backfill / crawl, {filled.documents:,} documents{name}",
            f"{filled.fill / filled.crawl:.2f}: {filled.fill:.1f} s ({filled.fill_cpu:.1f} s CPU),"
            f" {filled.crawl:.1f} s ({filled.crawl_cpu:.1f} s CPU)",
            goal,
        )
    console().print(table)


def _size_rows(figures: Figures) -> Iterator[tuple[str, str, str]]:
    raw = figures.raw_bytes
    without = figures.index_bytes - figures.parts.get(PARTS_OF_WORDS, 0)
    yield "raw text", f"{raw / 1e6:,.0f} MB", ""
    yield "index / raw text", f"{figures.index_bytes / raw:.3f}", "1.3"
    yield "without parts of words", f"{without / raw:.3f}", "0.9"
    for part, size in sorted(figures.parts.items(), key=lambda part: -part[1]):
        yield f"  {part}", f"{size / raw:.3f}", ""


def _time_rows(figures: Figures) -> Iterator[tuple[str, str, str]]:
    share = figures.put_ms / MODEL_SECONDS / 10
    yield "indexing a document, CPU", f"{figures.put_ms:.1f} ms", ""
    yield f"  of a {MODEL_SECONDS} s model call", f"{share:.1f} %", "2 %"
    yield f"  among {BATCH} of the backfill", f"{figures.batch_ms:.1f} ms", ""
    for name, times in (
        ("CPU", sorted(figures.transactions.cpu_ms)),
        ("clock", sorted(figures.transactions.clock_ms)),
    ):
        middle, high = times[len(times) // 2], times[int(len(times) * 0.999)]
        yield f"transaction, {name}, median", f"{middle:.1f} ms", ""
        yield f"transaction, {name}, 999 of 1000", f"{high:.1f} ms", ""
        yield f"transaction, {name}, longest", f"{times[-1]:.1f} ms of {len(times):,}", "20 ms"
    for query, search in figures.searches.items():
        yield (
            f'search "{query}", CPU',
            f"{search.ours:.1f} ms; FTS5 {search.same_words:.1f} ms,"
            f" {search.ours / search.same_words:.1f} x; whole words {search.whole_word:.1f} ms",
            "2 x",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--crawled", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="paperclerk-bench-") as folder:
        place = Path(folder)
        backfill, gentle = (
            asyncio.run(measure_backfill(place / f"rest-{rest}", options.crawled, rest=rest))
            for rest in (0.0, 1.0)
        )
        figures = asyncio.run(measure(place, options.documents))
        show(figures, backfill, gentle)


if __name__ == "__main__":
    main()
