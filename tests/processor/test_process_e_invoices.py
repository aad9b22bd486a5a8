"""The e-invoice inside a document's original, from the request to what is written."""

import asyncio
import json
from collections.abc import Mapping
from datetime import date

import pytest

from core.changes import ChangeState
from core.fields import FieldName
from core.jobs import JobStatus
from daemon.services import Services
from processor.analysis.e_invoice_values import parse_e_invoice
from processor.e_invoice_fetcher import read_e_invoice
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.model.behaviour import Behaviour
from sandbox.paperless.e_invoices import build_invoice_pdf
from tests.e_invoices import VALUES, a_pdf, an_xml
from tests.installation import Installation, fields_of, home, process
from tests.waiting import HELD, until

ORIGINAL = "/api/documents/1/download/"
BILL = {
    "seller": "Stadtwerke Musterstadt GmbH",
    "number": "SW-2026-0810223",
    "date": "20260831",
    "total": "100.94",
    "due": "20260914",
}


def downloads(sandbox: Sandbox) -> list[str]:
    made = sandbox.paperless.requests
    return [request.path for request in made if request.path.endswith("/download/")]


def attach(sandbox: Sandbox, changes: Mapping[str, str] | None = None) -> None:
    sandbox.world.documents[1].e_invoice = an_xml(BILL | dict(changes or {}))


def answer_with_date(sandbox: Sandbox, day: str, evidence: str) -> None:
    date_found = {"value": day, "evidence": evidence, "confidence": 0.9}
    sandbox.model.behave(Behaviour(answer=json.dumps({"date": date_found})))


async def test_the_original_of_an_invoice_is_fetched_once(
    services: Services, sandbox: Sandbox
) -> None:
    attach(sandbox)

    finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert downloads(sandbox) == [ORIGINAL]
    assert fields_of(sandbox)["created"] == "2026-08-31"


async def test_the_same_value_in_the_e_invoice_is_stored_with_the_change(
    services: Services, sandbox: Sandbox
) -> None:
    attach(sandbox)

    await process(services)

    changes = await services.store.changes.list_for_document(home(1))
    said = {change.field: change.e_invoice for change in changes}
    assert said[FieldName.DATE] == date(2026, 8, 31)
    assert str(said[FieldName.CORRESPONDENT]) == "Stadtwerke Musterstadt"
    assert said[FieldName.TITLE] is None


async def test_another_value_in_the_e_invoice_leaves_the_field_for_review(
    services: Services, sandbox: Sandbox
) -> None:
    attach(sandbox, {"date": "20260915"})
    before = fields_of(sandbox)["created"]

    await process(services)

    changes = await services.store.changes.list_for_document(home(1))
    [change] = [change for change in changes if change.field is FieldName.DATE]
    assert change.state is ChangeState.PROPOSED
    assert change.reasons == ("e_invoice_differs",)
    assert (change.after, change.e_invoice) == (date(2026, 8, 31), date(2026, 9, 15))
    assert fields_of(sandbox)["created"] == before


async def test_a_value_that_page_and_e_invoice_agree_on_needs_no_better_quote(
    services: Services, sandbox: Sandbox
) -> None:
    answer_with_date(sandbox, "2026-08-31", "Der Betrag wird am 14.09.2026")
    attach(sandbox)

    await process(services)

    assert fields_of(sandbox)["created"] == "2026-08-31"


async def test_without_an_e_invoice_such_a_value_waits(
    services: Services, sandbox: Sandbox
) -> None:
    answer_with_date(sandbox, "2026-08-31", "Der Betrag wird am 14.09.2026")

    await process(services)

    assert fields_of(sandbox)["created"] != "2026-08-31"


async def test_reading_e_invoices_can_be_turned_off(
    installation: Installation, sandbox: Sandbox
) -> None:
    attach(sandbox, {"date": "20260915"})
    installation.configure("einvoices = false\n", all_fields="replace")
    async with installation.open() as services:
        await process(services)

    assert downloads(sandbox) == []
    assert fields_of(sandbox)["created"] == "2026-08-31"


@pytest.mark.parametrize(
    "changes", [{"content": "Einladung zum Sommerfest am 31.08.2026"}, {"content": "Ihre Rechnung"}]
)
async def test_other_documents_are_not_fetched(
    services: Services, sandbox: Sandbox, changes: Mapping[str, str]
) -> None:
    attach(sandbox)
    sandbox.world.edit(1, **changes)

    await process(services)

    assert downloads(sandbox) == []


async def test_other_files_than_pdf_are_not_fetched(services: Services, sandbox: Sandbox) -> None:
    attach(sandbox)
    sandbox.world.documents[1].mime_type = "image/png"

    await process(services)

    assert downloads(sandbox) == []


async def test_the_original_of_an_excluded_document_is_not_fetched(
    installation: Installation, sandbox: Sandbox
) -> None:
    attach(sandbox)
    sandbox.world.edit(1, tags=["Inbox", "Privat"])
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n', all_fields="replace")
    async with installation.open() as services:
        await process(services)

    assert downloads(sandbox) == []


@pytest.mark.parametrize(
    "effect",
    [
        Answer(status=404, body='{"detail": "Not found."}'),
        Answer(status=500, body="no"),
        Answer(status=200, body="x" * (10 * 1024**2 + 1), headers={"x-version": "3.0.5"}),
        Answer(status=200, body="%PDF-1.7 /EmbeddedFile", headers={"x-version": "3.0.5"}),
    ],
    ids=["missing", "broken", "too large", "unreadable"],
)
async def test_an_original_that_cannot_be_read_does_not_keep_a_document_from_being_filed(
    services: Services, sandbox: Sandbox, effect: Answer
) -> None:
    sandbox.paperless.faults.add(Fault(path=ORIGINAL, effect=effect))

    finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert fields_of(sandbox)["created"] == "2026-08-31"


async def test_the_values_of_a_pdf_are_read_in_another_process() -> None:
    invoice = await read_e_invoice(a_pdf())

    assert invoice is not None
    assert (invoice.seller, invoice.number) == ("Harbour Cloud Ltd", "HC-88213")
    assert (invoice.date, invoice.due) == (date(2026, 9, 9), date(2026, 9, 23))
    assert str(invoice.amount) == str(parse_e_invoice(VALUES).amount)


async def test_a_file_that_the_process_fails_on_has_no_invoice() -> None:
    assert (
        await read_e_invoice(build_invoice_pdf(b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')) is None
    )
    assert await read_e_invoice(build_invoice_pdf(an_xml(), "other.xml")) is None


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("date", "2026-09-09"),
        ("date", "20269999"),
        ("due", ""),
        ("total", "12,50"),
        ("total", "NaN"),
    ],
)
def test_a_malformed_value_counts_as_missing(key: str, text: str) -> None:
    assert getattr(parse_e_invoice(VALUES | {key: text}), key) is None


async def test_the_original_is_fetched_while_the_model_answers(
    services: Services, sandbox: Sandbox
) -> None:
    attach(sandbox)
    sandbox.model.behave(Behaviour(delay=HELD))
    processing = asyncio.create_task(process(services))

    try:
        await until(lambda: downloads(sandbox) == [ORIGINAL])
        assert not processing.done()
    finally:
        processing.cancel()
        await asyncio.wait({processing})
