"""The PDF that the sandbox makes of a text."""

import re

import httpx

from sandbox.paperless import World
from sandbox.paperless.pdf import build_pdf


def test_every_object_is_where_the_table_says() -> None:
    file = build_pdf("Rechnung (Entwurf)\n" * 200)

    table = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", file)[1])  # type: ignore[index]
    offsets = [int(offset) for offset in re.findall(rb"(\d{10}) 00000 n", file[table:])]
    assert file.startswith(b"%PDF-1.4\n")
    assert file[table:].startswith(b"xref\n")
    assert [
        file[offset:].startswith(b"%d 0 obj" % number) for number, offset in enumerate(offsets, 1)
    ] == [True] * len(offsets)


def test_a_long_text_has_several_pages_and_none_is_lost() -> None:
    file = build_pdf("\n".join(f"line {number}" for number in range(200)))

    assert file.count(b"/Type /Page ") == 4
    assert [b"(line %d)" % number in file for number in range(200)] == [True] * 200


def test_a_text_without_lines_is_one_empty_page() -> None:
    assert build_pdf("").count(b"/Type /Page ") == 1


def test_letters_and_brackets_stay_as_they_are() -> None:
    assert "(Grüße \\(wichtig\\) \\\\ 5 €)".encode("cp1252") in build_pdf("Grüße (wichtig) \\ 5 €")


def test_a_document_that_is_called_a_pdf_is_shown_as_one(world: World, http: httpx.Client) -> None:
    note = world.add_document("Notiz", "notiz.txt", added=world.now()).id

    shown = http.get("/api/documents/1/preview/")
    plain = http.get(f"/api/documents/{note}/preview/")

    assert shown.content.startswith(b"%PDF-")
    assert shown.headers["content-type"] == "application/pdf"
    assert (plain.text, plain.headers["content-type"]) == ("Notiz", "text/plain")
