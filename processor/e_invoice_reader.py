"""Read the e-invoice inside a PDF. Runs as a process of its own: PDF in, JSON out.

The file is from strangers. The process has little time and memory, and cannot open a file or a
connection. It imports nothing of ours, so that it starts quickly.
"""

import io
import json
import resource
import sys
from collections.abc import Mapping
from xml.parsers import expat

import pypdf

# pypdf imports it when it is first needed: then, no file can be opened any more.
import pypdf.filters

_SECONDS = 10
"""Maximum CPU time; a usual invoice takes less than one second."""
_MEMORY = 400 * 1024**2
_OPEN_FILES = 3
"""The standard streams: no other file and no connection can be opened."""
_LARGEST = 5 * 1024**2
"""Maximum bytes of the XML; a usual one has 10 kB."""
_DEEPEST = 50
"""Maximum depth of elements; the standard needs 10."""
_MAX_VALUE_LENGTH = 200
"""Characters that are kept of a value."""
_FILE_NAMES = frozenset({"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml"})
_ROOTS = frozenset({"CrossIndustryInvoice", "CrossIndustryDocument"})
"""Factur-X and ZUGFeRD 2, and ZUGFeRD 1."""
_VALUES: Mapping[tuple[str, ...], str] = {
    ("ExchangedDocument", "ID"): "number",
    ("HeaderExchangedDocument", "ID"): "number",
    ("ExchangedDocument", "IssueDateTime", "DateTimeString"): "date",
    ("HeaderExchangedDocument", "IssueDateTime", "DateTimeString"): "date",
    ("SellerTradeParty", "Name"): "seller",
    ("ApplicableHeaderTradeSettlement", "InvoiceCurrencyCode"): "currency",
    ("ApplicableSupplyChainTradeSettlement", "InvoiceCurrencyCode"): "currency",
    ("SpecifiedTradeSettlementHeaderMonetarySummation", "GrandTotalAmount"): "total",
    ("SpecifiedTradeSettlementMonetarySummation", "GrandTotalAmount"): "total",
    ("SpecifiedTradePaymentTerms", "DueDateDateTime", "DateTimeString"): "due",
}
"""The values that are read, by the last elements of their path."""
_MAX_PATH_LENGTH = max(map(len, _VALUES))


class Refused(Exception):
    """The file is not one that a program for invoices would write."""


def read_pdf(pdf: bytes) -> dict[str, str]:
    """Return the values of the e-invoice; none if there is no attachment of that name."""
    reader = pypdf.PdfReader(io.BytesIO(pdf))
    if reader.is_encrypted:
        return {}
    for attachment in reader.attachment_list:
        names = (attachment.name, attachment.alternative_name or "")
        if any(name.lower() in _FILE_NAMES for name in names):
            return read_xml(attachment.content)
    return {}


def read_xml(xml: bytes) -> dict[str, str]:
    """Return the values of an invoice; raise Refused if it is too large or declares a type."""
    if len(xml) > _LARGEST:
        raise Refused
    invoice = _Invoice()
    parser = expat.ParserCreate()
    # Entities can only be declared with a document type, and an invoice has none.
    parser.StartDoctypeDeclHandler = _refuse_document_type
    parser.StartElementHandler = invoice.start
    parser.EndElementHandler = invoice.end
    parser.CharacterDataHandler = invoice.add_text
    parser.Parse(xml, True)  # noqa: FBT003 - the last part
    return invoice.values


class _Invoice:
    """Collects the values while the XML is parsed."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._text = ""
        self._found: dict[str, set[str]] = {}

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._path.append(name.rpartition(":")[2])
        self._text = ""
        if len(self._path) > _DEEPEST:
            raise Refused
        if len(self._path) == 1 and self._path[0] not in _ROOTS:
            raise Refused

    def add_text(self, text: str) -> None:
        if len(self._text) < _MAX_VALUE_LENGTH:
            self._text += text

    def end(self, name: str) -> None:
        for length in range(2, _MAX_PATH_LENGTH + 1):
            key = _VALUES.get(tuple(self._path[-length:]))
            if key and self._text.strip():
                self._found.setdefault(key, set()).add(self._text.strip()[:_MAX_VALUE_LENGTH])
        self._path.pop()
        self._text = ""

    @property
    def values(self) -> dict[str, str]:
        """Return the values that are given once: of two different ones, neither is certain."""
        return {key: min(texts) for key, texts in self._found.items() if len(texts) == 1}


def _refuse_document_type(*_: object) -> None:
    raise Refused


def limit_resources(seconds: int = _SECONDS) -> None:
    """Limit time and memory; no file and no connection can be opened any more."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))


def main() -> None:
    """Read a PDF from the standard input, and write its values to the standard output."""
    limit_resources()
    json.dump(read_pdf(sys.stdin.buffer.read()), sys.stdout)


if __name__ == "__main__":
    main()
