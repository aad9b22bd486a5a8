"""What the process that reads e-invoices makes of good and of hostile files."""

import io
import subprocess
import sys
import zlib
from pathlib import Path
from xml.parsers.expat import ExpatError

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject, TextStringObject

from processor import e_invoice_reader
from processor.e_invoice_reader import Refused, read_pdf, read_xml
from sandbox.paperless.e_invoices import build_invoice_pdf
from tests.e_invoices import VALUES, a_pdf, an_xml

READER = Path(e_invoice_reader.__file__)
LAUGHS = (
    b'<!DOCTYPE CrossIndustryInvoice [<!ENTITY a "haha">'
    + b"".join(
        f'<!ENTITY {after} "{f"&{before};" * 10}">'.encode()
        for before, after in zip("abcdefghi", "bcdefghij", strict=True)
    )
    + b"]><CrossIndustryInvoice><ExchangedDocument><ID>&j;</ID></ExchangedDocument>"
    b"</CrossIndustryInvoice>"
)
EXTERNAL = (
    b'<!DOCTYPE CrossIndustryInvoice [<!ENTITY file SYSTEM "file:///etc/passwd">]>'
    b"<CrossIndustryInvoice><ExchangedDocument><ID>&file;</ID></ExchangedDocument>"
    b"</CrossIndustryInvoice>"
)
OTHER_TYPE = b'<!DOCTYPE CrossIndustryInvoice SYSTEM "http://127.0.0.1:9/invoice.dtd"><CrossIndustryInvoice/>'
DEEP = b"<CrossIndustryInvoice>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</CrossIndustryInvoice>"


@pytest.mark.parametrize("is_old", [False, True])
def test_the_values_of_an_invoice_are_read(*, is_old: bool) -> None:
    assert read_xml(an_xml(is_old=is_old)) == VALUES


@pytest.mark.parametrize("name", ["factur-x.xml", "ZUGFeRD-invoice.xml", "xrechnung.xml"])
def test_the_attachment_is_found_by_its_name(name: str) -> None:
    assert read_pdf(build_invoice_pdf(an_xml(), name)) == VALUES


def test_the_attachment_is_found_by_its_other_name() -> None:
    writer, file = PdfWriter(), io.BytesIO()
    attachment = writer.add_attachment("1", an_xml())
    attachment.alternative_name = TextStringObject("factur-x.xml")
    writer.write(file)

    assert read_pdf(file.getvalue()) == VALUES


def test_another_attachment_is_not_read() -> None:
    assert read_pdf(build_invoice_pdf(LAUGHS, "other.xml")) == {}


def test_a_pdf_without_attachments_has_no_values() -> None:
    writer, file = PdfWriter(), io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.write(file)

    assert read_pdf(file.getvalue()) == {}


def test_an_encrypted_pdf_is_not_read() -> None:
    writer, file = PdfWriter(io.BytesIO(a_pdf())), io.BytesIO()
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(file)

    assert read_pdf(file.getvalue()) == {}


def test_of_two_different_values_neither_counts() -> None:
    terms = b"<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString>20270101"
    terms += b"</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>"
    twice = an_xml().replace(
        b"<ram:SpecifiedTradePaymentTerms>", terms + b"<ram:SpecifiedTradePaymentTerms>", 1
    )

    assert read_xml(twice) == {key: value for key, value in VALUES.items() if key != "due"}


def test_the_name_of_the_buyer_or_a_contact_is_not_the_seller() -> None:
    contact = b"<ram:DefinedTradeContact><ram:Name>Person</ram:Name></ram:DefinedTradeContact>"
    invoice = an_xml().replace(b"</ram:SellerTradeParty>", contact + b"</ram:SellerTradeParty>")

    assert read_xml(invoice)["seller"] == VALUES["seller"]


def test_a_long_value_is_cut() -> None:
    assert len(read_xml(an_xml({"seller": "x" * 1_000_000}))["seller"]) == 200


@pytest.mark.parametrize(
    "xml",
    [LAUGHS, EXTERNAL, OTHER_TYPE, DEEP, b"<html/>", b"<CrossIndustryInvoice>" + b" " * 6_000_000],
    ids=["laughs", "external", "other type", "deep", "no invoice", "large"],
)
def test_what_no_program_for_invoices_writes_is_refused(xml: bytes) -> None:
    with pytest.raises(Refused):
        read_xml(xml)


@pytest.mark.parametrize("xml", [b"", b"no xml", b"<CrossIndustryInvoice>", an_xml()[:-10]])
def test_a_broken_invoice_is_an_error(xml: bytes) -> None:
    with pytest.raises(ExpatError):
        read_xml(xml)


def a_bomb(megabytes: int) -> bytes:
    """Return a PDF whose attachment is small until it is inflated."""
    writer, file = PdfWriter(io.BytesIO(a_pdf())), io.BytesIO()
    packer = zlib.compressobj()
    packed = b"".join(packer.compress(b" " * 1024**2) for _ in range(megabytes)) + packer.flush()
    for entry in writer._objects:
        if isinstance(entry, DecodedStreamObject) and entry.get("/Type") == "/EmbeddedFile":
            entry.set_data(packed)
            entry[NameObject("/Filter")] = NameObject("/FlateDecode")
    writer.write(file)
    return file.getvalue()


def run_reader(pdf: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", str(READER)], input=pdf, capture_output=True, check=False, timeout=60
    )


def test_the_process_answers_with_json() -> None:
    done = run_reader(a_pdf())

    assert done.returncode == 0
    assert b'"number": "HC-88213"' in done.stdout


@pytest.mark.parametrize(
    "pdf",
    [
        a_bomb(100),
        build_invoice_pdf(LAUGHS),
        build_invoice_pdf(EXTERNAL),
        build_invoice_pdf(DEEP),
        a_pdf()[:-200],
        b"%PDF-1.7\n/EmbeddedFile" + b"\0" * 1000,
        b"%PDF-1.7\n" + b"[" * 100_000 + b"/EmbeddedFile",
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R/Names 1 0 R/EmbeddedFiles 1 0 R/Kids[1 0 R]"
        b"/Names[1 0 R]>>endobj\ntrailer<</Root 1 0 R/Prev 0/Size 2>>\nstartxref\n0\n%%EOF",
    ],
    ids=["bomb", "laughs", "external", "deep", "cut", "rubbish", "brackets", "circle"],
)
def test_a_hostile_file_gives_no_values(pdf: bytes) -> None:
    done = run_reader(pdf)

    assert done.returncode != 0 or done.stdout in {b"", b"{}"}


def run_limited(code: str) -> subprocess.CompletedProcess[bytes]:
    """Run code in a process with the limits of the reader."""
    limited = f"import sys, socket\nfrom processor import e_invoice_reader as reader\n{code}"
    return subprocess.run([sys.executable, "-c", limited], capture_output=True, check=False)


@pytest.mark.parametrize(
    "action", ["open('/etc/hostname')", "socket.socket()", "bytearray(1024**3)"]
)
def test_the_process_opens_no_file_and_no_connection_and_has_little_memory(action: str) -> None:
    allowed = run_limited(action)
    limited = run_limited(f"reader.limit_resources()\n{action}")

    assert allowed.returncode == 0
    assert limited.returncode == 1


def test_the_process_is_stopped_when_its_time_is_used_up() -> None:
    done = run_limited("reader.limit_resources(seconds=1)\nwhile True: pass")

    assert done.returncode < 0
