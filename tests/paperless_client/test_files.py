"""The file of a document, read piece by piece."""

import httpx
import pytest

from paperless_client import (
    NotPaperless,
    PaperlessClient,
    PaperlessRefused,
    PaperlessUnavailable,
)
from tests.paperless_client.conftest import ScriptedPaperless
from tests.paperless_client.recorded import unsigned_page

PREVIEW = "documents/18/preview/"


def _answer(paperless: ScriptedPaperless, status: int = 200, **headers: str) -> httpx.Response:
    signed = {"x-version": paperless.version, "content-type": "application/pdf"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, content=b"%PDF-1.7", headers={**signed, **named})


async def test_a_file_comes_uncompressed_with_its_type_and_size(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.on("GET", PREVIEW, _answer(paperless))

    async with client.files.open(18) as file:
        content = b"".join([piece async for piece in file.pieces])

    assert content == b"%PDF-1.7"
    assert (file.content_type, file.size, file.start) == ("application/pdf", 8, 0)
    assert not file.has_ranges
    assert paperless.requests[-1].headers["accept-encoding"] == "identity"
    assert "range" not in paperless.requests[-1].headers


async def test_a_part_is_asked_for_and_described(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    part = _answer(paperless, 206, content_range="bytes 500-507/9000", accept_ranges="bytes")
    paperless.on("GET", PREVIEW, part)

    async with client.files.open(18, start=500) as file:
        pass

    assert (file.start, file.size, file.has_ranges) == (500, 9000, True)
    assert paperless.requests[-1].headers["range"] == "bytes=500-"


async def test_a_login_page_is_not_taken_for_a_file(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.on("GET", PREVIEW, unsigned_page(200, "<html>Sign in</html>"))

    with pytest.raises(NotPaperless, match="file of document 18"):
        async with client.files.open(18):
            pass


@pytest.mark.parametrize(("status", "kind"), [(404, PaperlessRefused), (503, PaperlessUnavailable)])
async def test_a_file_that_cannot_be_had_is_an_error(
    client: PaperlessClient, paperless: ScriptedPaperless, status: int, kind: type[Exception]
) -> None:
    paperless.says("GET", PREVIEW, {"detail": "No."}, status=status)

    with pytest.raises(kind):
        async with client.files.open(18):
            pass


async def test_without_a_connection_paperless_is_unavailable(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.on("GET", PREVIEW, httpx.ConnectError("refused"))

    with pytest.raises(PaperlessUnavailable):
        async with client.files.open(18):
            pass
