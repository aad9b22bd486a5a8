"""Fetch the original of an invoice, and read the e-invoice inside it in a process of its own."""

import asyncio
import json
import re
import sys
from contextlib import suppress
from pathlib import Path

import structlog

from paperless_client import Document, PaperlessError
from processor.analysis.e_invoice_values import EInvoice, may_be_invoice, parse_e_invoice
from processor.instance import Instance

log = structlog.get_logger()

_LARGEST = 10 * 1024**2
"""Maximum bytes of an original that is fetched."""
_SECONDS = 15
_READER = Path(__file__).with_name("e_invoice_reader.py")
_PDF = "application/pdf"
_ATTACHED_XML = re.compile(rb"/EmbeddedFile|#2[fF]xml")
"""In every PDF with an attached XML: the dictionary of an attachment is never compressed."""


async def fetch_e_invoice(instance: Instance, document: Document) -> EInvoice | None:
    """Return the e-invoice in a document's original; None if there is none, or it is unreadable.

    The original is fetched only if the text looks like an invoice.
    """
    if not instance.reads_e_invoices or document.mime_type != _PDF:
        return None
    if not may_be_invoice(document.content):
        return None
    try:
        pdf = await instance.paperless.files.fetch_original(document.id, limit=_LARGEST)
    except PaperlessError as error:
        # The document can be filed without it.
        log.info("original not fetched", document=document.id, code=error.code)
        return None
    return await read_e_invoice(pdf) if _ATTACHED_XML.search(pdf) else None


async def read_e_invoice(pdf: bytes) -> EInvoice | None:
    """Return the e-invoice in a PDF; None if there is none, or reading fails or takes too long."""
    output = await _run_reader(pdf)
    try:
        values = json.loads(output)
    except ValueError:
        log.info("e-invoice not read")
        return None
    return parse_e_invoice(values) if isinstance(values, dict) and values else None


async def _run_reader(pdf: bytes) -> bytes:
    """Return the output of the reader; b"" if it fails or takes too long."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        # Isolated: neither the environment nor the current folder adds code.
        "-I",
        str(_READER),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(_SECONDS):
            output, _ = await process.communicate(pdf)
    except TimeoutError:
        return b""
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return output if process.returncode == 0 else b""
