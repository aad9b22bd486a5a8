"""Read a document from Paperless, unless it carries an excluded tag."""

from collections.abc import Iterable

from core.fields import Name
from core.messages import message
from paperless_client import Document, DocumentSummary
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.verdict import Withdrawn


async def read_document(instance: Instance, names: NamesInUse, number: int) -> Document:
    """Read a document; Paperless does not send the text if it has an excluded tag."""
    excluded = names.tag_ids.every(instance.tags.exclude)
    if not excluded:
        return await instance.paperless.document(number)
    found = await instance.paperless.document_unless_tagged(number, without_tags=excluded)
    if found is None:
        # Raises if the document is gone, because then it has no tags at all.
        _refuse_excluded(await instance.paperless.summary(number), names.tags(excluded))
        # The tag was removed between the two requests.
        found = await instance.paperless.document(number)
        _refuse_excluded(found, names.tags(excluded))
    return found


def _refuse_excluded(document: DocumentSummary | Document, excluded: Iterable[Name]) -> None:
    carried = [tag.name for tag in excluded if tag.id in document.tags]
    if carried:
        tags = ", ".join(carried)
        raise Withdrawn(message("carries the excluded tag {tags}", tags=tags))
