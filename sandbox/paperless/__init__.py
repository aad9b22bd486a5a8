"""A fake Paperless: behaves as recorded from the real one, version 2.20.15 or 3.0.5."""

from sandbox.paperless.app import Paperless
from sandbox.paperless.loading import Archive, load_world
from sandbox.paperless.post import PendingDocuments
from sandbox.paperless.records import Kind
from sandbox.paperless.releases import V2, V3, Release
from sandbox.paperless.world import World

__all__ = [
    "V2",
    "V3",
    "Archive",
    "Kind",
    "Paperless",
    "PendingDocuments",
    "Release",
    "World",
    "load_world",
]
