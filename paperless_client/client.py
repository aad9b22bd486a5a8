"""The client of one Paperless: a method for each operation on documents, and cached lists.

Paperless counts the documents of every tag whenever tags are listed, which takes a second on a
large archive. So scans and jobs share lists of names that are cached for five minutes.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Generic, TypeVar

from pydantic import BaseModel, JsonValue

from core.calendar import Clock
from core.messages import Message, message
from paperless_client.decoding import decode, decode_headers
from paperless_client.errors import (
    AnswerTooLarge,
    DocumentGone,
    NotPaperless,
    PaperlessRefused,
)
from paperless_client.models import (
    CustomField,
    Document,
    DocumentFields,
    DocumentPatch,
    DocumentSummary,
    DocumentText,
    FetchedTexts,
    FreshFields,
    Group,
    NamedObject,
    NameKind,
    Page,
    Rights,
    Server,
    Statistics,
    User,
)
from paperless_client.requests import (
    NAMES_A_PAGE,
    Body,
    DocumentQuery,
    Ordering,
    Request,
    build_bulk_edit_request,
    build_document_request,
    iterate_entries,
    page_params,
    select_fields,
)
from paperless_client.resources import Files, Names, Workflows
from paperless_client.transport import RequestStats, Transport

_LISTS_EVERY_ID = 9
"""The API version whose pages contain the ids of all matching documents."""
_FRESH_FOR = timedelta(minutes=5)
"""Maximum age of a cached list."""

Entry = TypeVar("Entry")


class PaperlessClient:
    """Calls the API of one Paperless. Every method raises PaperlessError on failure."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.names = Names(transport)
        self.files = Files(transport)
        self.workflows = Workflows(transport)

    @property
    def request_stats(self) -> Mapping[str, RequestStats]:
        """Number and duration of the requests so far, by outcome."""
        return self._transport.timing.by_outcome()

    async def probe(self) -> Server:
        """Check address, token, view permission and version with the cheapest request."""
        request = Request(
            "GET",
            "documents/",
            message("reach Paperless"),
            "view_document",
            params={"id": 0, "fields": "id", "page_size": 1},
        )
        response = await self._transport.send(request)
        decode(request, response, Page[DocumentSummary])
        return decode_headers(request, response, Server)

    async def lists_every_id(self) -> bool:
        """Return whether each page contains the ids of all matching documents.

        API version 9 always does this: 589 kB per page at 100,000 documents.
        """
        if self._transport.spoken_version is None:
            await self.probe()
        return self._transport.spoken_version == _LISTS_EVERY_ID

    async def count_documents(self) -> int:
        """Return the number of documents that the token's user may see, without their ids."""
        if await self.lists_every_id():
            request = Request("GET", "statistics/", message("count the documents"), "view_document")
            return (await self._transport.fetch(request, Statistics)).documents_total
        return (await self.list_documents(DocumentQuery(), page=1, page_size=1)).count

    async def fetch_user(self) -> User:
        """Fetch the user of the token, with its permissions."""
        request = Request(
            "GET", "ui_settings/", message("identify the token's user"), "view_uisettings"
        )
        return await self._transport.fetch(request, User)

    async def list_documents(
        self, query: DocumentQuery, *, page: int, page_size: int
    ) -> Page[DocumentSummary]:
        """List one page of documents, counted from 1.

        Raise ListChanged if the page no longer exists, and NotPaperless if the list contains a
        document whose id was not requested.
        """
        request = Request(
            "GET",
            "documents/",
            message("list documents"),
            "view_document",
            params=query.params() | page_params(page, page_size) | select_fields(DocumentSummary),
        )
        listed = await self._transport.fetch_page(request, page, Page[DocumentSummary])
        found = {document.id for document in listed.results}
        others = found - query.ids if query.ids is not None else ()
        if others:
            raise NotPaperless(
                request.action,
                message(
                    "Paperless returned a document that was not requested: {id}",
                    id=str(min(others)),
                ),
            )
        return listed

    async def fetch_summary(self, id_: int) -> DocumentSummary:
        """Fetch a document without its text."""
        return await self._transport.fetch(
            build_document_request(id_, select_fields(DocumentSummary)),
            DocumentSummary,
        )

    async def fetch_fields(self, id_: int) -> DocumentFields:
        """Fetch the fields of a document, without its text."""
        return await self._transport.fetch(
            build_document_request(id_, select_fields(DocumentFields)),
            DocumentFields,
        )

    async def fetch_fields_of(self, ids: frozenset[int]) -> tuple[DocumentFields, ...]:
        """Fetch the fields of several documents; deleted documents are left out."""
        request = _documents_by_id(
            DocumentQuery(ids=ids), message("read documents"), DocumentFields
        )
        page = await self._transport.fetch(request, Page[DocumentFields])
        # Compared once more: a filter that a server does not know returns everything.
        return tuple(document for document in page.results if document.id in ids)

    async def fetch_fresh_fields(self, id_: int) -> FreshFields:
        """Fetch the fields of a document before a write, with its lists as received."""
        request = build_document_request(id_, select_fields(DocumentFields))
        response = await self._transport.send(request)
        fields = decode(request, response, DocumentFields)
        raw = response.json()
        return FreshFields(fields, tuple(raw["tags"]), tuple(raw["custom_fields"]))

    async def fetch_document(self, id_: int) -> Document:
        """Fetch a document with its text."""
        return await self._transport.fetch(build_document_request(id_, {}), Document)

    async def fetch_document_unless_tagged(
        self, id_: int, *, without_tags: frozenset[int]
    ) -> Document | None:
        """Fetch a document with its text; None if it is gone or has one of `without_tags`.

        In that case Paperless does not send the text. This single list request is cheaper than a
        request for one document.
        """
        query = DocumentQuery(ids=frozenset({id_}), exclude_tags=without_tags)
        page = await self._transport.fetch(
            _documents_by_id(query, message("read document {id}", id=str(id_)), Document),
            Page[Document],
        )
        # Compared once more: a filter that a server does not know returns everything.
        found = (
            document
            for document in page.results
            if document.id == id_ and not document.tags & without_tags
        )
        return next(found, None)

    async def fetch_text(self, id_: int, *, without_tags: frozenset[int]) -> DocumentText | None:
        """Fetch the text of a document; None if it is gone or has one of `without_tags`."""
        found = await self._fetch_texts_once(frozenset({id_}), without_tags)
        return found[0] if found else None

    async def fetch_texts(
        self, ids: frozenset[int], *, without_tags: frozenset[int]
    ) -> FetchedTexts:
        """Fetch the texts of documents, except those with one of `without_tags`.

        Deleted and excluded documents are left out. If the texts together are too large, they are
        fetched in halves.
        """
        try:
            return FetchedTexts(await self._fetch_texts_once(ids, without_tags))
        except AnswerTooLarge:
            if len(ids) == 1:
                return FetchedTexts(too_large=ids)
        middle = len(ids) // 2
        halves = [frozenset(half) for half in (sorted(ids)[:middle], sorted(ids)[middle:])]
        first, second = [await self.fetch_texts(half, without_tags=without_tags) for half in halves]
        return FetchedTexts(first.found + second.found, first.too_large | second.too_large)

    async def fetch_documents(
        self, ids: frozenset[int], *, without_tags: frozenset[int]
    ) -> tuple[Document, ...]:
        """Fetch documents with their texts, except those with one of `without_tags`.

        Deleted and excluded documents are left out, and so are those whose text alone exceeds the
        size limit of a response.
        """
        query = DocumentQuery(ids=ids, exclude_tags=without_tags)
        request = _documents_by_id(query, message("read documents"), Document)
        try:
            page = await self._transport.fetch(request, Page[Document])
        except AnswerTooLarge:
            half = frozenset(sorted(ids)[: len(ids) // 2])
            if not half:
                return ()
            first = await self.fetch_documents(half, without_tags=without_tags)
            return first + await self.fetch_documents(ids - half, without_tags=without_tags)
        # Compared once more: a filter that a server does not know returns everything.
        return tuple(
            document
            for document in page.results
            if document.id in ids and not document.tags & without_tags
        )

    async def patch(self, id_: int, patch: DocumentPatch) -> Document:
        """Write what `patch` sets and return the document as it then is.

        Raises OutcomeUnknown if part of it may have been written.
        """
        # Never with `fields`: on a PATCH it also filters what is written.
        request = Request(
            "PATCH",
            f"documents/{id_}/",
            message("change document {id}", id=str(id_)),
            "change_document",
            body=patch.body(),
            document=id_,
        )
        return await self._transport.fetch(request, Document)

    async def find_similar(
        self, id_: int, limit: int, *, without_tags: Collection[int] = ()
    ) -> list[DocumentFields]:
        """Find similar documents that have left the inbox, the most similar first.

        The document itself and those with one of `without_tags` are left out.
        """
        # Without `document`: a 404 would be about the list; unknown documents are reported as 400.
        # Without an ordering, which would replace the order by similarity.
        unwanted = {"tags__id__none": ",".join(map(str, sorted(without_tags)))}
        filters = {"is_in_inbox": "false", **(unwanted if without_tags else {})}
        request = Request(
            "GET",
            "documents/",
            message("find documents similar to document {id}", id=str(id_)),
            "view_document",
            params={
                "more_like_id": id_,
                **filters,
                **page_params(1, limit),
                **select_fields(DocumentFields),
            },
        )
        page = await self._transport.fetch(request, Page[DocumentFields])
        # Compared once more: a filter that a server does not know returns everything.
        return [
            document
            for document in page.results
            if document.id != id_ and not document.tags & set(without_tags)
        ]

    async def list_of_correspondent(
        self, correspondent: int, limit: int, *, without_tags: Collection[int] = ()
    ) -> list[DocumentFields]:
        """List the newest documents of a correspondent that have left the inbox."""
        unwanted = {"tags__id__none": ",".join(map(str, sorted(without_tags)))}
        request = Request(
            "GET",
            "documents/",
            message("list documents"),
            "view_document",
            params={
                "correspondent__id": correspondent,
                "is_in_inbox": "false",
                **(unwanted if without_tags else {}),
                "ordering": Ordering.ADDED_NEWEST_FIRST,
                **page_params(1, limit),
                **select_fields(DocumentFields),
            },
        )
        page = await self._transport.fetch(request, Page[DocumentFields])
        # Compared once more: a filter that a server does not know returns everything.
        return [
            document
            for document in page.results
            if document.correspondent == correspondent and not document.tags & set(without_tags)
        ]

    async def has_similar(self, id_: int) -> bool:
        """Return whether Paperless finds any similar document, without a filter."""
        request = Request(
            "GET",
            "documents/",
            message("find documents similar to document {id}", id=str(id_)),
            "view_document",
            params={"more_like_id": id_, **page_params(1, 2), "fields": "id"},
        )
        page = await self._transport.fetch(request, Page[_Numbered])
        return any(found.id != id_ for found in page.results)

    async def modify_custom_fields(
        self, id_: int, *, add: Mapping[int, JsonValue], remove: Collection[int]
    ) -> None:
        """Set and remove custom fields of a document, leaving all others alone.

        Validate the values first: Paperless 2 stores anything. Use it only for values that a PATCH
        refuses: it keeps Paperless's only worker busy for seconds.
        """
        if not add and not remove:
            return
        values: dict[str, JsonValue] = {str(field): value for field, value in add.items()}
        parameters: Body = {"add_custom_fields": values, "remove_custom_fields": [*sorted(remove)]}
        action = message("change custom fields of document {id}", id=str(id_))
        request = build_bulk_edit_request(id_, "modify_custom_fields", parameters, action)
        try:
            await self._transport.fetch(request, _Done)
        except PaperlessRefused as error:
            if "documents" in error.details:
                answer = message("Paperless does not have this document")
                raise DocumentGone(request.action, answer, document=id_, status=400) from error
            raise

    async def fetch_rights(self, id_: int) -> Rights:
        """Fetch the owner of a document, and with whom it is shared."""
        params = {"full_perms": "true", **select_fields(Rights)}
        return await self._transport.fetch(build_document_request(id_, params), Rights)

    def list_groups(self) -> AsyncIterator[Group]:
        """Yield every group; raise ListChanged if the list may be incomplete."""
        action = message("list the groups")

        async def fetch_one(number: int) -> Page[Group]:
            params = page_params(number, NAMES_A_PAGE)
            request = Request("GET", "groups/", action, "view_group", params=params)
            return await self._transport.fetch_page(request, number, Page[Group])

        return iterate_entries(fetch_one, action=action)

    def list_custom_fields(self) -> AsyncIterator[CustomField]:
        """Yield every custom field; raise ListChanged if the list may be incomplete."""
        action = message("list the custom fields")

        async def fetch_one(number: int) -> Page[CustomField]:
            params = page_params(number, NAMES_A_PAGE)
            request = Request("GET", "custom_fields/", action, "view_customfield", params=params)
            return await self._transport.fetch_page(request, number, Page[CustomField])

        return iterate_entries(fetch_one, action=action)

    async def _fetch_texts_once(
        self, ids: frozenset[int], without_tags: frozenset[int]
    ) -> tuple[DocumentText, ...]:
        query = DocumentQuery(ids=ids, exclude_tags=without_tags)
        request = _documents_by_id(query, message("read the texts of documents"), DocumentText)
        page = await self._transport.fetch(request, Page[DocumentText])
        # Compared once more: a filter that a server does not know returns everything.
        return tuple(
            text for text in page.results if text.id in ids and not text.tags & without_tags
        )


class _Numbered(BaseModel):
    """A document of which only the id was requested."""

    id: int


class _Done(BaseModel):
    """The response to a successful bulk edit."""

    result: str


def _documents_by_id(query: DocumentQuery, action: Message, shape: type[BaseModel]) -> Request:
    """Build the request for the documents with the ids in `query`, all on one page."""
    params = query.params() | page_params(1, max(1, len(query.ids or ()))) | select_fields(shape)
    return Request("GET", "documents/", action, "view_document", params=params)


class CachedList(Generic[Entry]):
    """One list, fetched again when it is needed and older than five minutes."""

    def __init__(self, fetch: Callable[[], AsyncIterator[Entry]], clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._entries: tuple[Entry, ...] | None = None
        self._read_at: datetime | None = None
        self._fetching = asyncio.Lock()

    @property
    def cached(self) -> tuple[Entry, ...] | None:
        """Return the cached list; None if it must be fetched."""
        if self._entries is None or self._read_at is None:
            return None
        return self._entries if self._clock() - self._read_at <= _FRESH_FOR else None

    async def get_entries(self) -> tuple[Entry, ...]:
        """Return the list, at most five minutes old."""
        async with self._fetching:
            entries = self.cached
            if entries is None:
                began = self._clock()
                entries = tuple([entry async for entry in self._fetch()])
                self._entries, self._read_at = entries, began
            return entries

    def invalidate(self) -> None:
        """Discard the list, so that it is fetched when it is next needed."""
        self._entries = None


class NameLists:
    """The cached lists of one Paperless."""

    def __init__(self, client: PaperlessClient, *, clock: Clock) -> None:
        self.client = client
        self._names: dict[NameKind, CachedList[NamedObject]] = {
            kind: CachedList(partial(client.names.list_all, kind), clock) for kind in NameKind
        }
        self.custom_fields: CachedList[CustomField] = CachedList(client.list_custom_fields, clock)

    def of_kind(self, kind: NameKind) -> CachedList[NamedObject]:
        """Return the list of names of one kind."""
        return self._names[kind]

    @property
    def tags(self) -> CachedList[NamedObject]:
        return self._names[NameKind.TAG]
