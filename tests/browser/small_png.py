"""Reduce pictures of pages to 256 colours, which is enough for text."""

import base64
import struct
import zlib

from playwright.sync_api import Page

_INDEXED = 3
_COUNT = """async (data) => {
  const image = new Image();
  image.src = "data:image/png;base64," + data;
  await image.decode();
  const { width, height } = image;
  const sheet = new OffscreenCanvas(width, height).getContext("2d");
  sheet.drawImage(image, 0, 0);
  const dots = new Uint32Array(sheet.getImageData(0, 0, width, height).data.buffer);
  const used = new Map();
  for (const dot of dots) used.set(dot, (used.get(dot) || 0) + 1);
  const colours = [...used.keys()].sort((a, b) => used.get(b) - used.get(a));
  const parts = (colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
  const far = (a, b) => parts(a).reduce((sum, part, n) => sum + (part - parts(b)[n]) ** 2, 0);
  const palette = colours.slice(0, 128);
  const rest = new Map(
    colours.slice(128).map((other) => [other, Math.min(...palette.map((kept) => far(other, kept)))])
  );
  while (palette.length < 256 && rest.size) {
    const next = [...rest.keys()].reduce((a, b) => (rest.get(b) > rest.get(a) ? b : a));
    palette.push(next);
    rest.delete(next);
    for (const [colour, before] of rest) rest.set(colour, Math.min(before, far(colour, next)));
  }
  const places = new Map(palette.map((colour, place) => [colour, place]));
  for (const colour of rest.keys()) {
    let nearest = 0;
    for (let place = 1; place < palette.length; place++) {
      if (far(colour, palette[place]) < far(colour, palette[nearest])) nearest = place;
    }
    places.set(colour, nearest);
  }
  const rows = Uint8Array.from(dots, (dot) => places.get(dot));
  let text = "";
  for (let at = 0; at < rows.length; at += 32768) {
    text += String.fromCharCode(...rows.subarray(at, at + 32768));
  }
  return { width, height, palette: palette.flatMap(parts), rows: btoa(text) };
}"""
"""Keeps the most frequent colours, then those that differ most from the ones kept."""


def small_png(page: Page, picture: bytes) -> bytes:
    """Return a picture with at most 256 colours; any page of a browser can count them."""
    counted = page.evaluate(_COUNT, base64.b64encode(picture).decode())
    width, height = counted["width"], counted["height"]
    rows = base64.b64decode(counted["rows"])
    lines = b"".join(b"\0" + rows[y * width : (y + 1) * width] for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, _INDEXED, 0, 0, 0)
    chunks = {
        b"IHDR": head,
        b"PLTE": bytes(counted["palette"]),
        b"IDAT": zlib.compress(lines, 9),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks.items())


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
