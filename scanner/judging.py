"""Decide for the documents of a page why each is skipped, by its row and its text."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice

import structlog

from core.calendar import Clock
from core.documents import KnownDocument, content_hash
from core.scans import SkipReason
from paperless_client import DocumentSummary, PaperlessClient
from scanner.rules import ScanRules
from scanner.selection import Selection, reason_to_skip
from store import Store

log = structlog.get_logger()

_TEXTS = 100
"""Number of texts per request; some documents are books."""
_HANDLED = frozenset({SkipReason.DONE, SkipReason.FAILED})
"""Reasons that do not apply any more if the text has changed since the analysis."""

Reasons = Mapping[int, SkipReason | None]
"""Why a document is skipped, by its id; None if it needs analysis."""


class DocumentSelector:
    """Decides which documents of one instance need analysis."""

    def __init__(
        self, name: str, client: PaperlessClient, rules: ScanRules, *, store: Store, clock: Clock
    ) -> None:
        self._name = name
        self._client = client
        self._rules = rules
        self._store = store
        self._clock = clock

    async def find_skip_reasons(
        self,
        documents: Sequence[DocumentSummary],
        selection: Selection,
        *,
        at: datetime | None = None,
    ) -> Reasons:
        """Return for each document why it is skipped, now or `at` another time.

        None: it needs analysis.
        """
        ids = [document.id for document in documents]
        known = await self._store.documents.get_many(self._name, ids)
        now = at or self._clock()
        reasons = {
            document.id: reason_to_skip(document, known.get(document.id), selection, now=now)
            for document in documents
        }
        if not self._rules.reanalyze:
            return reasons
        changed = await self._find_changed(analyzed_hashes(reasons, known), selection.exclude)
        return reasons | dict.fromkeys(changed)

    async def _find_changed(self, hashes: Mapping[int, str], exclude: frozenset[int]) -> set[int]:
        """Return the documents whose text has changed since the analysis."""
        changed, rest = set[int](), iter(hashes)
        while chunk := frozenset(islice(rest, _TEXTS)):
            texts = await self._client.fetch_texts(chunk, without_tags=exclude)
            changed |= {
                text.id for text in texts.found if content_hash(text.content) != hashes[text.id]
            }
            for document in sorted(texts.too_large):
                # It stays filed; the other documents on the page are not affected.
                log.warning(
                    "text comparison skipped",
                    reason="too large",
                    instance=self._name,
                    document=document,
                )
        return changed


def analyzed_hashes(reasons: Reasons, known: Mapping[int, KnownDocument]) -> Mapping[int, str]:
    """Return the hash of the analyzed text of each document that was processed."""
    hashes = {id_: known[id_].content_hash for id_, why in reasons.items() if why in _HANDLED}
    return {id_: hash_ for id_, hash_ in hashes.items() if hash_ is not None}
