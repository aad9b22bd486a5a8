"""The archive index as its users see it: put, remove, search."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from core.archive import (
    ArchiveDocument,
    ArchiveFields,
    ArchiveHits,
    ArchiveName,
    ArchiveSearch,
    ArchiveState,
)
from core.documents import DocumentRef
from core.messages import message
from store.database import Database, raise_unavailable
from store.engine import Engines
from store.errors import StoreUnavailable
from store.index import documents, postgres, search, sqlite
from store.index.documents import PreparedDocument, Unfinished, prepare
from store.index.sqlite import IndexFile, is_current
from store.index.tables import FullTextEngine

P = ParamSpec("P")
T = TypeVar("T")

MAX_TOGETHER = 32_000
"""Characters of short documents that one transaction writes; this takes a few milliseconds."""
MERGE_EVERY = 8
"""Transactions between two merges of the full text index."""


class ArchiveIndex:
    """The text of documents, with full text search.

    Each transaction takes a few milliseconds: a long document is written in many. Every method
    raises StoreUnavailable if the database cannot be used.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._file = IndexFile(database.engines) if database.engines.file else None
        self._engine: FullTextEngine = sqlite if self._file else postgres
        self._written = 0
        self._writing = asyncio.Lock()
        """Held while a document is written, which may take several transactions."""

    async def put(self, *entries: ArchiveDocument) -> None:
        """Write documents, or replace what the index has of them."""
        if not await self._create():
            return
        # If a document is given twice, the last one counts.
        distinct = {document.fields.ref: document for document in entries}.values()
        prepared = await asyncio.to_thread(lambda: [prepare(document) for document in distinct])
        for together in _group(prepared):
            # Not for all of them: a job that adds its document must not wait long.
            async with self._writing:
                await self._put_together(together)

    async def _put_together(self, prepared: list[PreparedDocument]) -> None:
        for unfinished in await self._write(documents.write_documents, self._engine, prepared):
            await self._finish(unfinished)
        self._written += 1
        if self._written >= MERGE_EVERY:
            self._written = 0
            await self._merge()

    async def remove(self, refs: Iterable[DocumentRef]) -> int:
        """Remove documents, so that nothing of their text is left; return how many there were."""
        if not self._exists() or not await self._create():
            return 0
        removed = 0
        for ref in refs:
            async with self._writing:
                chunks = await self._write(documents.list_chunks, ref)
                await self._remove_chunks(chunks[:-1])
                removed += await self._write(documents.remove_document, self._engine, ref)
        if removed:
            await self._purge()
        return removed

    async def remove_tagged(self, instance: str, tags: Collection[int]) -> int:
        """Remove the documents of an instance that have one of the tags."""
        return await self.remove(await self._read((), documents.list_with_tags, instance, tags))

    async def remove_instance(self, instance: str) -> None:
        """Remove everything about an instance; the file, too, if nothing else is in it."""
        if not self._exists() or not await self._create():
            return
        await self.remove(DocumentRef(instance, id_) for id_ in await self.list_ids(instance))
        await self._write(documents.forget_instance, instance)
        if self._file is not None and await self._write(documents.is_empty):
            await self._database.run_in_writer_thread(self._file.delete)

    async def replace_names(
        self, instance: str, names: Mapping[ArchiveName, Mapping[int, str]]
    ) -> None:
        """Store the names of an instance, by which searches are filtered."""
        if await self._create():
            await self._write(documents.replace_names, instance, names)

    async def set_excluded_tags(self, instance: str, tags: Collection[str]) -> None:
        """Record that no document in the index has one of these tags."""
        if await self._create():
            await self._write(documents.set_excluded_tags, instance, tags)

    async def set_passed(self, instance: str, at: datetime, scope: str) -> None:
        """Record that the whole archive has been compared with the index, and for what."""
        if await self._create():
            await self._write(documents.set_passed, instance, at, scope)

    async def get_state(self, instance: str) -> ArchiveState:
        """Return how far the index of an instance is."""
        return await self._read(ArchiveState(instance), documents.get_state, instance)

    async def list_excluded_tags(self) -> Mapping[str, frozenset[str]]:
        """Return the excluded tags that each instance's documents were checked against."""
        return await self._read({}, documents.list_excluded_tags)

    async def covers_archive(self, instance: str) -> bool:
        """Return whether all documents of an instance that may be indexed are."""
        return await self._read(False, documents.covers_archive, instance)  # noqa: FBT003

    async def list_modified(self, instance: str, ids: Collection[int]) -> Mapping[int, datetime]:
        """Return Paperless's `modified` of those documents that are completely indexed."""
        return await self._read({}, documents.list_modified, instance, ids)

    async def list_ids(self, instance: str) -> frozenset[int]:
        """Return the ids of all documents of an instance in the index."""
        return await self._read(frozenset(), documents.list_ids, instance)

    async def list_all_modified(self, instance: str) -> Mapping[int, datetime]:
        """Return Paperless's `modified` of all documents that are completely indexed."""
        return await self._read({}, documents.list_all_modified, instance)

    async def get_documents(
        self, instance: str, ids: Collection[int], *, chunks: int
    ) -> tuple[ArchiveDocument, ...]:
        """Return documents with their texts; of a long text the first chunks and the last one."""
        return await self._read((), documents.get_documents, instance, ids, chunks=chunks)

    async def search(self, wanted: ArchiveSearch) -> ArchiveHits:
        """Return one page of the documents that contain all words, the best first."""
        return await self._read(ArchiveHits(), search.search, self._engine, wanted)

    async def find_similar(
        self, ref: DocumentRef, content: str, *, without_tags: Collection[int], limit: int
    ) -> tuple[ArchiveFields, ...]:
        """Return the documents of the same instance that are most similar to a text."""
        return await self._read(
            (),
            search.find_similar,
            self._engine,
            ref,
            content,
            without_tags=without_tags,
            limit=limit,
        )

    async def list_filed(
        self,
        instance: str,
        kind: ArchiveName,
        id_: int,
        *,
        without_tags: Collection[int],
        limit: int,
    ) -> tuple[ArchiveDocument, ...]:
        """Return the documents of a name that came last, with the beginning of their texts."""
        return await self._read(
            (), documents.list_filed, instance, kind, id_, without_tags=without_tags, limit=limit
        )

    async def find_word_shares(self, words: Sequence[str]) -> Mapping[str, float]:
        """Return the share of all documents that each word occurs in, as far as it is counted."""
        return await self._read({}, search.find_word_shares, words)

    async def close(self) -> None:
        """Wait for running transactions and close all connections."""
        await self._database.close()

    async def _remove_chunks(self, chunks: Iterable[int]) -> None:
        """Remove the chunks of a long document, each in a transaction of its own."""
        for chunk in chunks:
            await self._write(documents.remove_chunk, self._engine, chunk)

    async def _finish(self, unfinished: Unfinished) -> None:
        """Write a long document, each chunk in a transaction of its own."""
        document = unfinished.document
        if unfinished.former_chunks:
            await self._remove_chunks(unfinished.former_chunks)
            rest = await self._write(documents.write_documents, self._engine, [document])
            for again in rest:
                await self._finish(again)
            return
        for chunk in document.chunks:
            one = [(unfinished.row, document, chunk)]
            await self._write(documents.write_chunks, self._engine, one)
        await self._write(documents.complete, unfinished.row)

    async def _merge(self) -> None:
        while await self._write(self._engine.merge_step):
            pass
        if self._file is not None:
            # Not within a transaction, which must be short.
            await self._database.run_in_writer_thread(self._file.checkpoint)

    async def _purge(self) -> None:
        """Rewrite the full text index, which may still contain words of removed documents."""
        await self._write(self._engine.begin_purge)
        await self._merge()
        await self._database.run_in_writer_thread(self._clean_up)

    def _clean_up(self) -> None:
        """Remove what deleted rows leave behind."""
        writer = self._database.engines.writer
        with raise_unavailable(writer):
            if self._file is not None:
                self._file.truncate_log()
            else:
                postgres.vacuum(writer)

    async def _write(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self._database.write(work, *args, **kwargs)

    async def _read(
        self,
        missing: T,
        work: Callable[Concatenate[Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run `work` in a reading transaction; return `missing` if there is no index."""
        if not self._exists():
            return missing

        def read(connection: Connection) -> T:
            if self._file is not None and not is_current(connection):
                return missing
            return work(connection, *args, **kwargs)

        return await self._database.read(read)

    async def _create(self) -> bool:
        """Create the file if needed; return whether this database supports the index."""
        if self._file is None:
            return True
        if self._file.is_ready():
            return self._file.is_supported
        create = partial(_create_or_raise, self._file, self._database.engines)
        return await self._database.run_in_writer_thread(create)

    def _exists(self) -> bool:
        return self._file is None or self._file.exists()


def _group(prepared: Iterable[PreparedDocument]) -> Iterator[list[PreparedDocument]]:
    """Yield the documents in groups, each for one transaction."""
    together, length = list[PreparedDocument](), 0
    for document in prepared:
        if together and length + document.length > MAX_TOGETHER:
            yield together
            together, length = [], 0
        together.append(document)
        length += document.length
    if together:
        yield together


def _create_or_raise(file: IndexFile, engines: Engines) -> bool:
    try:
        with raise_unavailable(engines.writer):
            return file.create()
    except OSError as error:
        raise StoreUnavailable(
            message("the archive index cannot be created: {why}", why=str(error))
        ) from error
