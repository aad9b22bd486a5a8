"""Names, files and workflows of one Paperless; `client` has the documents themselves.

Names are correspondents, document types, tags and storage paths.
"""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
from pydantic import JsonValue

from core.messages import message
from paperless_client.decoding import is_from_paperless
from paperless_client.errors import NotPaperless, OutcomeUnknown, PaperlessRefused
from paperless_client.models import NamedObject, NameKind, Page, PaperlessModel, Rights
from paperless_client.requests import (
    NAMES_A_PAGE,
    Body,
    Params,
    Request,
    iterate_entries,
    page_params,
)
from paperless_client.transport import Transport

_NO_MATCHING = 0
"""A new name gets no matching rule, so that Paperless does not assign it itself."""
_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")
_WORKFLOWS_A_PAGE = 1000
"""More than anyone has."""
_ADDED, _UPDATED = 2, 3
"""Triggers of a workflow."""
_WEBHOOK, _APPLY_SUGGESTIONS = 4, 8
"""Actions of a workflow."""
_ANY_SOURCE: JsonValue = [1, 2, 3, 4]


class Names:
    """Calls the API for named objects. Every method raises PaperlessError on failure."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_all(self, kind: NameKind) -> AsyncIterator[NamedObject]:
        """Yield every name of a kind; raise ListChanged if the list may be incomplete."""
        return self._list(kind, {})

    async def find(self, kind: NameKind, name: str) -> NamedObject | None:
        """Find an object by name, ignoring case; None if none is visible to us.

        Of several, the same spelling wins, then those visible to everybody, then the oldest.
        """
        wanted = name.strip()
        # Compared once more: a filter that a server does not know returns everything.
        found = [
            named
            async for named in self._list(kind, {"name__iexact": wanted})
            if named.name.casefold() == wanted.casefold()
        ]
        return min(
            found,
            key=lambda named: (named.name != wanted, named.owner is not None, named.id),
            default=None,
        )

    async def fetch(self, kind: NameKind, id_: int) -> NamedObject | None:
        """Fetch one object; None if it is gone or not visible to us."""
        action = message("read the {kind} {id}", kind=kind.noun, id=str(id_))
        request = Request("GET", f"{kind}s/{id_}/", action, f"view_{kind.codename}", named=id_)
        try:
            return await self._transport.fetch(request, NamedObject)
        except PaperlessRefused as error:
            if error.status != 404:
                raise
            return None

    async def delete(self, kind: NameKind, id_: int) -> None:
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

    async def create(self, kind: NameKind, name: str, rights: Rights) -> NamedObject:
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
            return await self._transport.fetch(request, NamedObject)
        except PaperlessRefused:
            # "Exists already" has two formats and many languages, so the name is looked up instead.
            existing = await self.find(kind, name)
            if existing is None:
                raise
            return existing

    def _list(self, kind: NameKind, filters: Params) -> AsyncIterator[NamedObject]:
        action = message("list every {kind}", kind=kind.noun)

        async def fetch_one(number: int) -> Page[NamedObject]:
            params = {**filters, **page_params(number, NAMES_A_PAGE)}
            request = Request("GET", f"{kind}s/", action, f"view_{kind.codename}", params=params)
            return await self._transport.fetch_page(request, number, Page[NamedObject])

        return iterate_entries(fetch_one, action=action)


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The thumbnail of a document."""

    content: bytes = field(repr=False)
    content_type: str


@dataclass(frozen=True, slots=True)
class FileStream:
    """The file of a document, which is read piece by piece."""

    content_type: str
    size: int | None
    """Bytes of the whole file; None if Paperless does not say."""
    start: int
    """The position of the first byte that is read."""
    has_ranges: bool
    """Whether Paperless can start at another position."""
    pieces: AsyncIterator[bytes] = field(repr=False)


class Files:
    """Calls the API for files. Every method raises PaperlessError on failure."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

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
    async def open(self, id_: int, *, start: int = 0) -> AsyncIterator[FileStream]:
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


class WebhookAction(PaperlessModel):
    """Where a webhook is sent."""

    url: str


class WorkflowAction(PaperlessModel):
    """An action of a workflow."""

    type: int = 0
    webhook: WebhookAction | None = None
    ai_suggestion_fields: tuple[str, ...] | None = None
    """The fields that Paperless fills with its own AI suggestions (since 3.1)."""

    @property
    def applies_suggestions(self) -> bool:
        """Return whether Paperless writes what its own model suggests."""
        return self.type == _APPLY_SUGGESTIONS or bool(self.ai_suggestion_fields)


class Workflow(PaperlessModel):
    """A workflow."""

    id: int
    name: str
    enabled: bool
    actions: tuple[WorkflowAction, ...]

    def sends_to(self, url: str) -> bool:
        """Return whether the workflow is enabled and sends a webhook to an address."""
        targets = (action.webhook.url for action in self.actions if action.webhook)
        return self.enabled and url in targets


@dataclass(frozen=True, slots=True)
class UpdateTrigger:
    """Send the webhook also for an update, of documents with and without these tags."""

    with_tags: frozenset[int]
    without_tags: frozenset[int]


@dataclass(frozen=True, slots=True)
class WebhookWorkflow:
    """A workflow to be created, which sends a webhook for each document that is added."""

    name: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    params: Mapping[str, str]
    """In the order in which Paperless fills them in: one that it does not know ends the list."""
    update_trigger: UpdateTrigger | None = None

    def as_body(self) -> Body:
        triggers: list[JsonValue] = [{"type": _ADDED, "sources": _ANY_SOURCE}]
        if (update := self.update_trigger) is not None:
            triggers.append(
                {
                    "type": _UPDATED,
                    "sources": _ANY_SOURCE,
                    "filter_has_all_tags": [*sorted(update.with_tags)],
                    "filter_has_not_tags": [*sorted(update.without_tags)],
                }
            )
        webhook: JsonValue = {
            "url": self.url,
            "use_params": True,
            "as_json": True,
            "params": {**self.params},
            "headers": {**self.headers},
            "include_document": False,
        }
        return {
            "name": self.name,
            "order": 0,
            "enabled": True,
            "triggers": triggers,
            "actions": [{"type": _WEBHOOK, "webhook": webhook}],
        }


class Workflows:
    """The workflows of one Paperless. Every method raises PaperlessError on failure."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def find(self, name: str) -> Workflow | None:
        """Return the workflow of this name; None if there is none."""
        found = await self._list()
        return next((workflow for workflow in found if workflow.name == name), None)

    async def list_suggesting(self) -> tuple[Workflow, ...]:
        """List the enabled workflows that write what Paperless's own model suggests."""
        return tuple(
            workflow
            for workflow in await self._list()
            if workflow.enabled and any(action.applies_suggestions for action in workflow.actions)
        )

    async def _list(self) -> tuple[Workflow, ...]:
        action = message("list the workflows")
        params = page_params(1, _WORKFLOWS_A_PAGE)
        request = Request("GET", "workflows/", action, "view_workflow", params=params)
        page = await self._transport.fetch(request, Page[Workflow])
        return tuple(page.results)

    async def save(self, wanted: WebhookWorkflow) -> Workflow:
        """Create a workflow, or change the one that has its name."""
        existing = await self.find(wanted.name)
        action = message('save the workflow "{name}"', name=wanted.name)
        if existing is None:
            request = Request("POST", "workflows/", action, "add_workflow", body=wanted.as_body())
        else:
            path = f"workflows/{existing.id}/"
            request = Request("PATCH", path, action, "change_workflow", body=wanted.as_body())
        return await self._transport.fetch(request, Workflow)
