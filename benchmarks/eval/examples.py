"""Compare where examples come from: the archive index, and the search of Paperless.

Every document of the evaluation is filed as a careful person would. Then, for each, the first
documents that either source finds are compared with the truth: an example helps if it has the same
correspondent, the same document type, or a tag in common.
"""

import asyncio
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.eval.corpus import SampleDocument, load_archive, load_documents
from core.documents import DocumentRef
from daemon.cli.arguments import Options
from daemon.cli.terminal import print_table
from daemon.context import open_context
from daemon.lifecycle import register_instances
from daemon.services import Services, open_services
from sandbox import Sandbox

NAME = "eval"
SHOWN = 3
"""Examples in a prompt."""


@dataclass(slots=True)
class Score:
    """How many documents got an example that helps, by field."""

    correspondent: int = 0
    document_type: int = 0
    tags: int = 0
    found: int = 0

    def add(self, document: SampleDocument, others: Sequence[SampleDocument]) -> None:
        """Count what the examples have in common with the truth about a document."""
        truth = document.truth
        self.found += bool(others)
        self.correspondent += any(
            truth.correspondent and other.truth.correspondent == truth.correspondent
            for other in others
        )
        self.document_type += any(
            truth.document_type and other.truth.document_type == truth.document_type
            for other in others
        )
        self.tags += any(truth.tags & other.truth.tags for other in others)


async def compare() -> tuple[Score, Score]:
    """Return the scores of the archive index and of Paperless's search."""
    documents = {document.id: document for document in load_documents()}
    by_index, by_paperless = Score(), Score()
    with tempfile.TemporaryDirectory() as folder, Sandbox(load_archive()) as sandbox:
        _file_all(sandbox, documents.values())
        config = Path(folder) / "config"
        config.mkdir()
        (config / f"{NAME}.toml").write_text(sandbox.settings(), encoding="utf-8")
        options = Options(config, Path(folder) / "data", log_at_least="error")
        async with (
            open_context(options) as memory,
            open_services(memory, [NAME]) as services,
        ):
            await register_instances(services)
            await services.index_fillers[NAME].update()
            for document in documents.values():
                for score, ids in (
                    (by_index, await _find_in_index(services, document)),
                    (by_paperless, await _ask_paperless(services, document)),
                ):
                    score.add(document, [documents[id_] for id_ in ids])
    return by_index, by_paperless


def _file_all(sandbox: Sandbox, documents: Collection[SampleDocument]) -> None:
    for document in documents:
        truth = document.truth
        values = {"correspondent": truth.correspondent, "document_type": truth.document_type}
        known = {name: value for name, value in values.items() if value not in truth.new_names}
        sandbox.world.edit(document.id, tags=sorted(truth.tags - truth.new_names), **known)


async def _find_in_index(services: Services, document: SampleDocument) -> list[int]:
    ref = DocumentRef(NAME, document.id)
    found = await services.store.index.find_similar(
        ref, document.text, without_tags=(), limit=SHOWN
    )
    return [fields.ref.id for fields in found]


async def _ask_paperless(services: Services, document: SampleDocument) -> list[int]:
    found = await services.instances[NAME].paperless.find_similar(document.id, SHOWN)
    return [document.id for document in found]


def main() -> None:
    by_index, by_paperless = asyncio.run(compare())
    headings = ("source", "with examples", "same correspondent", "same document type", "same tag")
    rows = (
        (
            name,
            *map(str, (score.found, score.correspondent, score.document_type, score.tags)),
        )
        for name, score in (("archive index", by_index), ("Paperless's search", by_paperless))
    )
    print_table(headings, rows)


if __name__ == "__main__":
    main()
