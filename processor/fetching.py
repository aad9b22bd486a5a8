"""Read a document from Paperless, unless it carries an excluded tag."""

from collections.abc import Iterable

from core.fields import Name
from paperless_client import Document, DocumentSummary
from processor.catalogue import NamesInUse
from processor.instance import Instance
from processor.verdict import Withdrawn


async def read_document(instance: Instance, names: NamesInUse, number: int) -> Document:
    """Read a document; of one that carries an excluded tag, the text is not even fetched."""
    excluded = names.tags(names.tag_ids.every(instance.tags.exclude))
    if excluded:
        _refuse_excluded(await instance.paperless.summary(number), excluded)
    document = await instance.paperless.document(number)
    # The tag may have come between the two: then the text goes no further.
    _refuse_excluded(document, excluded)
    return document


def _refuse_excluded(document: DocumentSummary | Document, excluded: Iterable[Name]) -> None:
    carried = [tag.name for tag in excluded if tag.id in document.tags]
    if carried:
        raise Withdrawn(f"carries the excluded tag {', '.join(carried)}")
