"""Write a simple PDF of a text: A4 pages in Courier, so that columns of the text stay columns."""

import textwrap
from collections.abc import Iterable, Iterator

_WIDTH, _HEIGHT = 595, 842
_MARGIN = 50
_SIZE = 9
_LEADING = 12
_LINE_LENGTH = 91
_LINES_PER_PAGE = (_HEIGHT - 2 * _MARGIN) // _LEADING
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>"


def build_pdf(text: str) -> bytes:
    """Return a PDF with this text; characters that its font lacks become question marks."""
    pages = list(_pages(text)) or [[]]
    first_page = 4
    kids = " ".join(f"{first_page + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        _FONT,
    ]
    for number, lines in enumerate(pages):
        objects.append(_page(contents=first_page + 2 * number + 1))
        objects.append(_stream(lines))
    return _join(objects)


def _pages(text: str) -> Iterator[list[str]]:
    lines = [
        part
        for line in text.splitlines()
        for part in textwrap.wrap(line, _LINE_LENGTH, drop_whitespace=False) or [""]
    ]
    for start in range(0, len(lines), _LINES_PER_PAGE):
        yield lines[start : start + _LINES_PER_PAGE]


def _page(contents: int) -> bytes:
    box = f"/MediaBox [0 0 {_WIDTH} {_HEIGHT}] /Resources << /Font << /F1 3 0 R >> >>"
    return f"<< /Type /Page /Parent 2 0 R {box} /Contents {contents} 0 R >>".encode()


def _stream(lines: Iterable[str]) -> bytes:
    start = f"BT /F1 {_SIZE} Tf {_LEADING} TL {_MARGIN} {_HEIGHT - _MARGIN} Td"
    shown = b"\n".join(b"(" + _escape(line) + b") Tj T*" for line in lines)
    content = start.encode() + b"\n" + shown + b"\nET"
    return f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"


def _escape(line: str) -> bytes:
    plain = line.expandtabs(4).encode("cp1252", "replace")
    for special in (b"\\", b"(", b")"):
        plain = plain.replace(special, b"\\" + special)
    return plain


def _join(objects: Iterable[bytes]) -> bytes:
    """Return the file: its header, the objects, and the table of where each begins."""
    file = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(file))
        file += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = len(file)
    entries = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    file += f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n{entries}".encode()
    file += f"trailer\n<< /Size {len(offsets) + 1} /Root 1 0 R >>\n".encode()
    return bytes(file) + f"startxref\n{table}\n%%EOF\n".encode()
