"""The file of a document: what a browser may show, what it may only save, and what nobody gets."""

import httpx
import pytest

from core.access import Permission
from daemon.services import Services
from dashboard.auth import Person
from dashboard.middleware import POLICY
from dashboard.pages.files import ByteRange, RangeNotSatisfiable, parse_range
from paperless_client.requests import MAX_ANSWER_BYTES
from sandbox import Sandbox
from sandbox.faults import Answer, Cut, Fault
from tests.dashboard.api_client import build_rig
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import Installation, process

FILE = "/documents/home/1/file"
FRAMED = f"{FILE}?frame=1"
PREVIEW = "/api/documents/1/preview/"
SIZE = 100


@pytest.fixture
async def browser(browser: httpx.AsyncClient, services: Services) -> httpx.AsyncClient:
    """A browser at a dashboard that knows document 1."""
    await process(services, 1)
    return browser


def replace_file(sandbox: Sandbox, content: bytes, mime_type: str) -> None:
    """Let Paperless have another file."""
    document = sandbox.world.documents[1]
    document.original, document.mime_type, document.pages = content, mime_type, ""


async def test_a_pdf_is_shown_by_the_browser_and_runs_nothing(browser: httpx.AsyncClient) -> None:
    answer = await browser.get(FRAMED)

    assert answer.status_code == 200
    assert answer.content.startswith(b"%PDF-")
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "sandbox; frame-ancestors 'self'"
    assert answer.headers["content-disposition"].startswith("inline;")
    assert answer.headers["cache-control"] == "no-store"


def test_pages_may_show_frames_of_their_own_only() -> None:
    assert "frame-src 'self'" in POLICY
    assert "frame-ancestors 'none'" in POLICY


@pytest.mark.parametrize("picture", ["image/png", "image/webp", "image/jpeg; charset=x"])
async def test_a_picture_is_shown(
    browser: httpx.AsyncClient, sandbox: Sandbox, picture: str
) -> None:
    replace_file(sandbox, b"pixels", picture)

    answer = await browser.get(FRAMED)

    assert answer.content == b"pixels"
    assert answer.headers["content-type"] == picture.partition(";")[0]
    assert answer.headers["content-security-policy"] == "sandbox; frame-ancestors 'self'"


@pytest.mark.parametrize(
    ("content", "mime_type"),
    [
        (b"<script>alert(1)</script>", "text/html"),
        (b"<svg onload='alert(1)'/>", "image/svg+xml"),
        (b"From: a@example.org", "message/rfc822"),
        (b" %PDF-1.4 not at the beginning", "text/plain"),
        (b"", "text/plain"),
    ],
)
async def test_everything_else_is_a_download_and_never_framed(
    browser: httpx.AsyncClient, sandbox: Sandbox, content: bytes, mime_type: str
) -> None:
    replace_file(sandbox, content, mime_type)

    saved, framed = await browser.get(FILE), await browser.get(FRAMED)

    assert saved.content == content
    assert saved.headers["content-type"] == "application/octet-stream"
    assert saved.headers["content-disposition"].startswith("attachment;")
    assert saved.headers["content-security-policy"] == "sandbox; frame-ancestors 'self'"
    assert "This file cannot be shown here." in framed.text
    assert "sandbox" in framed.headers["content-security-policy"]
    assert "frame-ancestors 'self'" in framed.headers["content-security-policy"]


async def test_a_pdf_by_its_content_is_a_pdf_whatever_paperless_calls_it(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    replace_file(sandbox, b"%PDF-1.7 content", "text/html")

    answer = await browser.get(FILE)

    assert answer.headers["content-type"] == "application/pdf"


@pytest.mark.parametrize(
    ("asked", "expected", "place"),
    [
        ("bytes=0-4", b"%PDF-", "0-4"),
        ("bytes=5-7", b"abc", "5-7"),
        ("bytes=-3", b"xyz", "10-12"),
        ("bytes=9-99", b"-xyz", "9-12"),
    ],
)
async def test_a_part_of_a_file_is_sent(
    browser: httpx.AsyncClient, sandbox: Sandbox, asked: str, expected: bytes, place: str
) -> None:
    replace_file(sandbox, b"%PDF-abcd-xyz", "application/pdf")

    answer = await browser.get(FILE, headers={"range": asked})

    assert (answer.status_code, answer.content) == (206, expected)
    assert answer.headers["content-range"] == f"bytes {place}/13"
    assert answer.headers["content-length"] == str(len(expected))
    assert answer.headers["accept-ranges"] == "bytes"


async def test_a_part_behind_the_end_is_refused(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    replace_file(sandbox, b"%PDF-", "application/pdf")

    assert (await browser.get(FILE, headers={"range": "bytes=5-"})).status_code == 416


async def test_a_file_may_be_larger_than_any_other_answer(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    size = MAX_ANSWER_BYTES + 1024
    replace_file(sandbox, b"%PDF-".ljust(size, b"."), "application/pdf")
    received = 0

    async with browser.stream("GET", FILE) as answer:
        async for piece in answer.aiter_bytes():
            received += len(piece)
    end = await browser.get(FILE, headers={"range": "bytes=-2"})

    assert received == size
    assert (end.status_code, end.content) == (206, b"..")


async def test_nobody_gets_the_file_of_an_excluded_document(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n')
    async with installation.open() as services:
        await process(services, 1)
        async with open_browser(build_rig(services)) as client:
            before = await client.get(FILE)
            sandbox.world.edit(1, tags=["Privat"])
            saved, framed = await client.get(FILE), await client.get(FRAMED)

    assert before.content.startswith(b"%PDF-")
    assert saved.status_code == 404
    assert "This document has an excluded tag." in framed.text
    assert b"%PDF-" not in saved.content + framed.content
    assert [call.path for call in sandbox.paperless.requests].count(PREVIEW) == 1


async def test_only_the_file_of_a_known_document_is_passed_on(browser: httpx.AsyncClient) -> None:
    assert (await browser.get("/documents/home/2/file")).status_code == 404
    assert (await browser.get("/documents/elsewhere/1/file")).status_code == 404


async def test_who_may_only_read_gets_no_file(
    browser: httpx.AsyncClient, services_rig: DashboardRig
) -> None:
    services_rig.authenticator.person = Person("guest", Permission.READ)

    assert (await browser.get(FILE)).status_code == 403


async def test_without_paperless_the_frame_says_so(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    sandbox.paperless.faults.add(
        Fault(path=PREVIEW, times=None, effect=Answer(status=503, body="no"))
    )

    saved, framed = await browser.get(FILE), await browser.get(FRAMED)

    assert saved.status_code == 502
    assert framed.status_code == 200
    assert 'class="empty"' in framed.text


async def test_a_file_that_breaks_off_is_not_completed(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    replace_file(sandbox, b"%PDF-".ljust(10_000, b"."), "application/pdf")
    sandbox.paperless.faults.add(Fault(path=PREVIEW, effect=Cut()))

    answer = await browser.get(FILE)

    assert answer.headers["content-length"] == "10000"
    assert len(answer.content) < 10_000


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("bytes=0-9", ByteRange(0, 10)),
        ("bytes=90-", ByteRange(90, 100)),
        ("bytes=90-500", ByteRange(90, 100)),
        ("bytes=-10", ByteRange(90, 100)),
        ("bytes=-500", ByteRange(0, 100)),
        ("bytes= 5 - 5 ", ByteRange(5, 6)),
    ],
)
def test_a_part_is_counted_from_either_end(header: str, part: ByteRange) -> None:
    assert parse_range(header, SIZE) == part


@pytest.mark.parametrize(
    "header", ["", "bytes=-", "bytes=0-1,5-9", "bytes=9-2", "pages=1-2", "bytes=x-9"]
)
def test_anything_else_asks_for_the_whole_file(header: str) -> None:
    assert parse_range(header, SIZE) is None


@pytest.mark.parametrize("header", ["bytes=100-", "bytes=900-999", "bytes=-0"])
def test_a_range_behind_the_end_is_not_satisfiable(header: str) -> None:
    with pytest.raises(RangeNotSatisfiable):
        parse_range(header, SIZE)
