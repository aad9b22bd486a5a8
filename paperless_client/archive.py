"""Convert a document of Paperless to what the archive index holds of it."""

from core.archive import ArchiveDocument, ArchiveFields
from core.documents import DocumentRef
from paperless_client.documents import Document


def build_archive_document(instance: str, document: Document) -> ArchiveDocument:
    """Build the entry of a document for the archive index."""
    fields = ArchiveFields(
        ref=DocumentRef(instance, document.id),
        title=document.title,
        correspondent=document.correspondent,
        document_type=document.document_type,
        tags=document.tags,
        created=document.created,
        added=document.added,
        modified=document.modified,
        original_file_name=document.original_file_name,
        page_count=document.page_count,
    )
    return ArchiveDocument(fields, document.content)
