"""The client of one Paperless: one method per operation."""

import re
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

import httpx
from pydantic import BaseModel, JsonValue

from core.messages import Message, message
from paperless_client.decoding import decode, decode_headers, is_from_paperless
from paperless_client.documents import (
    Document,
    DocumentFields,
    DocumentPatch,
    DocumentSummary,
    DocumentText,
    FetchedTexts,
    FreshFields,
)
from paperless_client.errors import (
    AnswerTooLarge,
    DocumentGone,
    ListChanged,
    NotPaperless,
    OutcomeUnknown,
    PaperlessRefused,
)
from paperless_client.models import (
    CustomField,
    FileStream,
    Group,
    NamedObject,
    NameKind,
    Page,
    Rights,
    Server,
    Statistics,
    Thumbnail,
    User,
)
from paperless_client.requests import (
    Body,
    DocumentQuery,
    Ordering,
    Params,
    Request,
    build_bulk_edit_request,
    build_document_request,
    iterate_entries,
    page_params,
    select_fields,
)
from paperless_client.timing import RequestStats
from paperless_client.transport import Transport
from paperless_client.workflows import Workflows

Entry = TypeVar("Entry", bound=BaseModel)

_NAMES_A_PAGE = 1000
"""Large, because Paperless counts all documents again for each page of names."""
_LISTS_EVERY_ID = 9
"""The API version whose pages contain the ids of all matching documents."""
_NO_MATCHING = 0
"""A new name gets no matching rule, so that Paperless does not assign it itself."""


class PaperlessClient:
    """Calls the API of one Paperless. Every method raises PaperlessError on failure."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
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
            return (await self._fetch(request, Statistics)).documents_total
        return (await self.list_documents(DocumentQuery(), page=1, page_size=1)).count

    async def fetch_user(self) -> User:
        """Fetch the user of the token, with its permissions."""
        request = Request(
            "GET", "ui_settings/", message("identify the token's user"), "view_uisettings"
        )
        return await self._fetch(request, User)

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
        listed = await self._fetch_page(request, page, Page[DocumentSummary])
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
        return await self._fetch(
            build_document_request(id_, select_fields(DocumentSummary)), DocumentSummary
        )

    async def fetch_fields(self, id_: int) -> DocumentFields:
        """Fetch the fields of a document, without its text."""
        return await self._fetch(
            build_document_request(id_, select_fields(DocumentFields)), DocumentFields
        )

    async def fetch_fields_of(self, ids: frozenset[int]) -> tuple[DocumentFields, ...]:
        """Fetch the fields of several documents; deleted documents are left out."""
        request = _documents_by_id(
            DocumentQuery(ids=ids), message("read documents"), DocumentFields
        )
        page = await self._fetch(request, Page[DocumentFields])
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
        return await self._fetch(build_document_request(id_, {}), Document)

    async def fetch_document_unless_tagged(
        self, id_: int, *, without_tags: frozenset[int]
    ) -> Document | None:
        """Fetch a document with its text; None if it is gone or has one of `without_tags`.

        In that case Paperless does not send the text. This single list request is cheaper than a
        request for one document.
        """
        query = DocumentQuery(ids=frozenset({id_}), exclude_tags=without_tags)
        page = await self._fetch(
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
            page = await self._fetch(request, Page[Document])
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
        return await self._fetch(request, Document)

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
        page = await self._fetch(request, Page[DocumentFields])
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
        page = await self._fetch(request, Page[DocumentFields])
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
        page = await self._fetch(request, Page[_Numbered])
        return any(found.id != id_ for found in page.results)

    async def fetch_thumbnail(self, id_: int) -> Thumbnail:
        """Fetch the thumbnail of a document's first page."""
        # Without `document`: a 404 here can also mean that only the file is missing.
        action = message("fetch the thumbnail of document {id}", id=str(id_))
        request = Request("GET", f"documents/{id_}/thumb/", action, "view_document")
        response = await self._send_for_file(request)
        return Thumbnail(response.content, response.headers.get("content-type", ""))

    async def fetch_original(self, id_: int, *, limit: int) -> bytes:
        """Fetch the file of a document as it was added; raise AnswerTooLarge above the limit."""
        # Without `document`: a 404 here can also mean that only the file is missing.
        action = message("fetch the original of document {id}", id=str(id_))
        request = Request(
            "GET",
            f"documents/{id_}/download/",
            action,
            "view_document",
            params={"original": "true"},
            max_bytes=limit,
        )
        return (await self._send_for_file(request)).content

    async def _send_for_file(self, request: Request) -> httpx.Response:
        response = await self._transport.send(request)
        if not is_from_paperless(response):
            answer = message("the answer does not come from Paperless")
            raise NotPaperless(request.action, answer, status=response.status_code)
        return response

    @asynccontextmanager
    async def open_file(self, id_: int, *, start: int = 0) -> AsyncIterator[FileStream]:
        """Open the file of a document: its archived version, or the original if there is none.

        It may be of any size. Paperless starts at the beginning if it cannot start at `start`.
        """
        # Without `document`: a 404 here can also mean that only the file is missing.
        action = message("fetch the file of document {id}", id=str(id_))
        request = Request("GET", f"documents/{id_}/preview/", action, "view_document")
        headers = {"Range": f"bytes={start}-"} if start else {}
        async with self._transport.stream(request, headers) as response:
            if not is_from_paperless(response):
                answer = message("the answer does not come from Paperless")
                raise NotPaperless(action, answer, status=response.status_code)
            yield _describe_file(response)

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
            await self._fetch(request, _Done)
        except PaperlessRefused as error:
            if "documents" in error.details:
                answer = message("Paperless does not have this document")
                raise DocumentGone(request.action, answer, document=id_, status=400) from error
            raise

    def list_names(self, kind: NameKind) -> AsyncIterator[NamedObject]:
        """Yield every name of a kind; raise ListChanged if the list may be incomplete."""
        return self._list_names(kind, {})

    async def find_name(self, kind: NameKind, name: str) -> NamedObject | None:
        """Find an object by name, in any case; None if none is visible to us.

        Of several, the same spelling wins, then those visible to everybody, then the oldest.
        """
        wanted = name.strip()
        # Compared once more: a filter that a server does not know returns everything.
        found = [
            named
            async for named in self._list_names(kind, {"name__iexact": wanted})
            if named.name.casefold() == wanted.casefold()
        ]
        return min(
            found,
            key=lambda named: (named.name != wanted, named.owner is not None, named.id),
            default=None,
        )

    async def fetch_name(self, kind: NameKind, id_: int) -> NamedObject | None:
        """Fetch one object; None if it is gone or not visible to us."""
        action = message("read the {kind} {id}", kind=kind.noun, id=str(id_))
        request = Request("GET", f"{kind}s/{id_}/", action, f"view_{kind.codename}", named=id_)
        try:
            return await self._fetch(request, NamedObject)
        except PaperlessRefused as error:
            if error.status != 404:
                raise
            return None

    async def delete_name(self, kind: NameKind, id_: int) -> None:
        """Delete an object; harmless if it is gone already.

        Paperless removes it from every document, and deletes a tag with its children.
        """
        action = message("delete the {kind} {id}", kind=kind.noun, id=str(id_))
        request = Request("DELETE", f"{kind}s/{id_}/", action, f"delete_{kind.codename}")
        try:
            response = await self._transport.send(request)
        except PaperlessRefused as error:
            if error.status != 404:
                raise
            return
        if not is_from_paperless(response):
            answer = message("the answer does not come from Paperless")
            raise OutcomeUnknown(action, answer, status=response.status_code)

    async def create_name(self, kind: NameKind, name: str, rights: Rights) -> NamedObject:
        """Create an object, or return the one that has the name already.

        Raise OutcomeUnknown if it may have been created.
        """
        request = Request(
            "POST",
            f"{kind}s/",
            message('create the {kind} "{name}"', kind=kind.noun, name=name),
            f"add_{kind.codename}",
            body={
                "name": name,
                "owner": rights.owner,
                "matching_algorithm": _NO_MATCHING,
                # What nobody owns, everybody may see and change.
                **({"set_permissions": rights.permissions.as_body()} if rights.owner else {}),
            },
        )
        try:
            return await self._fetch(request, NamedObject)
        except PaperlessRefused:
            # "Exists already" has two formats and many languages, so the name is looked up instead.
            existing = await self.find_name(kind, name)
            if existing is None:
                raise
            return existing

    async def fetch_rights(self, id_: int) -> Rights:
        """Fetch the owner of a document, and with whom it is shared."""
        params = {"full_perms": "true", **select_fields(Rights)}
        return await self._fetch(build_document_request(id_, params), Rights)

    def list_groups(self) -> AsyncIterator[Group]:
        """Yield every group; raise ListChanged if the list may be incomplete."""
        action = message("list the groups")

        async def fetch(number: int) -> Page[Group]:
            params = page_params(number, _NAMES_A_PAGE)
            request = Request("GET", "groups/", action, "view_group", params=params)
            return await self._fetch_page(request, number, Page[Group])

        return iterate_entries(fetch, action=action)

    def list_custom_fields(self) -> AsyncIterator[CustomField]:
        """Yield every custom field; raise ListChanged if the list may be incomplete."""
        action = message("list the custom fields")

        async def fetch(number: int) -> Page[CustomField]:
            params = page_params(number, _NAMES_A_PAGE)
            request = Request("GET", "custom_fields/", action, "view_customfield", params=params)
            return await self._fetch_page(request, number, Page[CustomField])

        return iterate_entries(fetch, action=action)

    def _list_names(self, kind: NameKind, filters: Params) -> AsyncIterator[NamedObject]:
        action = message("list every {kind}", kind=kind.noun)

        async def fetch(number: int) -> Page[NamedObject]:
            params = {**filters, **page_params(number, _NAMES_A_PAGE)}
            request = Request("GET", f"{kind}s/", action, f"view_{kind.codename}", params=params)
            return await self._fetch_page(request, number, Page[NamedObject])

        return iterate_entries(fetch, action=action)

    async def _fetch_texts_once(
        self, ids: frozenset[int], without_tags: frozenset[int]
    ) -> tuple[DocumentText, ...]:
        query = DocumentQuery(ids=ids, exclude_tags=without_tags)
        request = _documents_by_id(query, message("read the texts of documents"), DocumentText)
        page = await self._fetch(request, Page[DocumentText])
        # Compared once more: a filter that a server does not know returns everything.
        return tuple(
            text for text in page.results if text.id in ids and not text.tags & without_tags
        )

    async def _fetch(self, request: Request, shape: type[Entry]) -> Entry:
        return decode(request, await self._transport.send(request), shape)

    async def _fetch_page(
        self, request: Request, number: int, shape: type[Page[Entry]]
    ) -> Page[Entry]:
        try:
            return await self._fetch(request, shape)
        except PaperlessRefused as error:
            if error.status == 404 and number > 1:
                missing = message("page {number} no longer exists", number=number)
                raise ListChanged(request.action, missing) from error
            raise


_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")


def _describe_file(response: httpx.Response) -> FileStream:
    part = _CONTENT_RANGE.fullmatch(response.headers.get("content-range", ""))
    length: str = response.headers.get("content-length", "")
    size = int(length) if length.isdecimal() and not _is_compressed(response) else None
    return FileStream(
        response.headers.get("content-type", ""),
        size=int(part[2]) if part else size,
        start=int(part[1]) if part else 0,
        has_ranges=response.headers.get("accept-ranges", "") == "bytes",
        pieces=response.aiter_bytes(),
    )


def _is_compressed(response: httpx.Response) -> bool:
    encoding: str = response.headers.get("content-encoding", "identity")
    return encoding.strip().lower() != "identity"


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
