"""Pictures as WebP: Chromium encodes single ones, and several are joined to an animation."""

import base64
import struct
from collections.abc import Sequence

from playwright.sync_api import Page

_ENCODE = """async ({ data, width, quality }) => {
  const image = new Image();
  image.src = "data:image/png;base64," + data;
  await image.decode();
  const height = Math.round(width * image.height / image.width);
  const canvas = new OffscreenCanvas(width, height);
  const drawing = canvas.getContext("2d", { alpha: false });
  drawing.imageSmoothingQuality = "high";
  drawing.drawImage(image, 0, 0, width, height);
  const blob = await canvas.convertToBlob({ type: "image/webp", quality });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  }
  return { height, bytes: btoa(text) };
}"""
_HEADER = 12
"""Bytes of a file before its first chunk: RIFF, the length, WEBP."""
_ANIMATED = 0x02
_WHITE = 0xFFFFFFFF
_FOREVER = 0


def encode_webp(page: Page, png: bytes, *, width: int, quality: float) -> tuple[bytes, int]:
    """Return a picture as WebP, and its height; any page of a browser can encode it."""
    data = base64.b64encode(png).decode()
    encoded = page.evaluate(_ENCODE, {"data": data, "width": width, "quality": quality})
    return base64.b64decode(encoded["bytes"]), encoded["height"]


def join_frames(frames: Sequence[tuple[bytes, int]], *, width: int, height: int) -> bytes:
    """Return an animation that repeats; each frame is a WebP file and its milliseconds."""
    size = _number(width - 1) + _number(height - 1)
    chunks = _chunk(b"VP8X", struct.pack("<I", _ANIMATED) + size)
    chunks += _chunk(b"ANIM", struct.pack("<IH", _WHITE, _FOREVER))
    for file, milliseconds in frames:
        place = _number(0) + _number(0) + size + _number(milliseconds) + b"\0"
        chunks += _chunk(b"ANMF", place + _find_picture(file))
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WEBP" + chunks


def _find_picture(file: bytes) -> bytes:
    """Return the chunk with the picture: a file may have others, such as its colour profile."""
    position = _HEADER
    while position < len(file):
        (length,) = struct.unpack_from("<I", file, position + 4)
        end = position + 8 + length + length % 2
        if file[position : position + 4] in {b"VP8 ", b"VP8L"}:
            return file[position:end]
        position = end
    raise ValueError("the file has no picture")


def _number(value: int) -> bytes:
    return struct.pack("<I", value)[:3]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
