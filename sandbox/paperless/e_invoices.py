"""Build PDF files with an XML file attached, as ZUGFeRD and Factur-X do."""

import io
from functools import lru_cache

FILE_NAME = "factur-x.xml"
_A4 = (595, 842)


@lru_cache(maxsize=8)
def build_invoice_pdf(xml: bytes, name: str = FILE_NAME) -> bytes:
    """Return a PDF of one blank page with the XML attached."""
    # Imported here: most worlds have no such file.
    from pypdf import PdfWriter  # noqa: PLC0415 - as said above

    writer = PdfWriter()
    writer.add_blank_page(*_A4)
    writer.add_attachment(name, xml)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()
