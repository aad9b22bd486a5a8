"""Open the file of a document in Paperless, unless the document is excluded."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from actions.caller import Caller
from actions.errors import InvalidRequest
from actions.timeouts import get_names_within
from core.documents import DocumentRef
from core.messages import message
from paperless_client import FileStream


class DocumentExcluded(InvalidRequest):
    """The document has an excluded tag: nothing of it may be read."""

    code = "document_excluded"
    user_message = "This document has an excluded tag."

    def __init__(self, document: DocumentRef) -> None:
        super().__init__(message("{document} has an excluded tag", document=str(document)))


async def require_not_excluded(caller: Caller, ref: DocumentRef) -> None:
    """Raise DocumentExcluded if the document has an excluded tag now, or PaperlessError."""
    instance = caller.get_instance(ref.instance)
    names = await get_names_within(instance)
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    summary = await instance.paperless.fetch_summary(ref.id)
    if summary.tags & excluded:
        raise DocumentExcluded(ref)


@asynccontextmanager
async def open_file(caller: Caller, ref: DocumentRef, start: int = 0) -> AsyncIterator[FileStream]:
    """Open the file of a document, if possible at `start`; raise PaperlessError.

    Call `require_not_excluded` first.
    """
    async with caller.get_instance(ref.instance).paperless.files.open(ref.id, start=start) as file:
        yield file
