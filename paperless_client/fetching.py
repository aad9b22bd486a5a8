"""Send a request and decode its answer."""

from typing import TypeVar

from pydantic import BaseModel

from core.messages import message
from paperless_client.decoding import decode
from paperless_client.errors import ListChanged, PaperlessRefused
from paperless_client.models import Page
from paperless_client.requests import Request
from paperless_client.transport import Transport

Entry = TypeVar("Entry", bound=BaseModel)

NAMES_A_PAGE = 1000
"""Large, because Paperless counts all documents again for each page of names."""


async def fetch(transport: Transport, request: Request, shape: type[Entry]) -> Entry:
    return decode(request, await transport.send(request), shape)


async def fetch_page(
    transport: Transport, request: Request, number: int, shape: type[Page[Entry]]
) -> Page[Entry]:
    try:
        return await fetch(transport, request, shape)
    except PaperlessRefused as error:
        if error.status == 404 and number > 1:
            missing = message("page {number} no longer exists", number=number)
            raise ListChanged(request.action, missing) from error
        raise
