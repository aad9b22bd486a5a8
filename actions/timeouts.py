"""Requests to Paperless with a short timeout, for pages that must not wait."""

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
    """Paperless did not respond within the timeout of a page."""

    code = "paperless_takes_long"
    user_message = "Paperless is slow to respond."


async def get_names_within(instance: Instance, timeout: timedelta = TIMEOUT) -> NamesInUse:
    """Return the names in use; raise PaperlessError or PaperlessTakesLong."""
    try:
        async with asyncio.timeout(timeout.total_seconds()):
            return await instance.catalogue.names()
    except TimeoutError as error:
        raise PaperlessTakesLong(
            message("Paperless did not return its names within {patience}", patience=str(timeout))
        ) from error


async def require_document_within(
    instance: Instance, document: int, timeout: timedelta = TIMEOUT
) -> None:
    """Raise DocumentGone if Paperless has no such document; ignore outages and timeouts."""
    with suppress(OutageSuspected, TimeoutError):
        async with asyncio.timeout(timeout.total_seconds()):
            await instance.paperless.fetch_summary(document)


async def may_have_document(
    instance: Instance, document: int, timeout: timedelta = TIMEOUT
) -> bool:
    """Return False only if Paperless responds that it has no such document."""
    try:
        await require_document_within(instance, document, timeout)
    except DocumentGone:
        return False
    except PaperlessError:
        return True
    return True
