"""Correspondents, document types, tags and storage paths of one Paperless."""

from collections.abc import AsyncIterator

from core.messages import message
from paperless_client.decoding import is_from_paperless
from paperless_client.errors import OutcomeUnknown, PaperlessRefused
from paperless_client.models import NamedObject, NameKind, Page, Rights
from paperless_client.requests import NAMES_A_PAGE, Params, Request, iterate_entries, page_params
from paperless_client.transport import Transport

_NO_MATCHING = 0
"""A new name gets no matching rule, so that Paperless does not assign it itself."""


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
