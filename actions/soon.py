"""What a page can have of Paperless within moments; it is not kept waiting for more."""

import asyncio
from contextlib import suppress
from datetime import timedelta

from core.errors import PaperclerkError
from core.messages import message
from paperless_client import DocumentGone, OutageSuspected, PaperlessError
from processor.instance import Instance
from processor.names.catalogue import NamesInUse

TIMEOUT = timedelta(seconds=3)


class PaperlessTakesLong(PaperclerkError):
    """It may answer yet, but a person waits for a page."""

    code = "paperless_takes_long"
    user_message = "Paperless is slow to respond."


async def get_names_within(instance: Instance, patience: timedelta = TIMEOUT) -> NamesInUse:
    """Return the names in use; raise PaperlessError or PaperlessTakesLong."""
    try:
        async with asyncio.timeout(patience.total_seconds()):
            return await instance.catalogue.names()
    except TimeoutError as error:
        raise PaperlessTakesLong(
            message("no names after {patience}", patience=str(patience))
        ) from error


async def require_document_within(
    instance: Instance, document: int, patience: timedelta = TIMEOUT
) -> None:
    """Raise DocumentGone if Paperless has no such document; one that is away is not waited for."""
    with suppress(OutageSuspected, TimeoutError):
        async with asyncio.timeout(patience.total_seconds()):
            await instance.paperless.fetch_summary(document)


async def may_have_document(
    instance: Instance, document: int, patience: timedelta = TIMEOUT
) -> bool:
    """Tell whether Paperless may have a document: False only if it says that it has none."""
    try:
        await require_document_within(instance, document, patience)
    except DocumentGone:
        return False
    except PaperlessError:
        return True
    return True
