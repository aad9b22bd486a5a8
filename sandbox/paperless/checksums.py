"""Checksums of files: MD5 in v2, SHA-256 in v3."""

import hashlib

from sandbox.paperless.records import Document
from sandbox.paperless.world import World


def checksum(world: World, document: Document) -> str:
    if world.release.is_v3:
        return hashlib.sha256(document.original).hexdigest()
    return hashlib.md5(document.original, usedforsecurity=False).hexdigest()
