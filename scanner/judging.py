"""Decide about the documents of a page, by what is known of each and, if asked for, by its text."""

from collections.abc import Mapping, Sequence
from itertools import islice

import structlog

from core.clock import Clock
from core.documents import KnownDocument, content_hash
from core.scans import SkipReason
from paperless_client import DocumentSummary, PaperlessClient
from scanner.rules import ScanRules
from scanner.selection import Selection, reason_to_skip
from store import Store

log = structlog.get_logger()

_TEXTS = 100
"""So many texts are fetched at once: some are books."""
_HANDLED = frozenset({SkipReason.DONE, SkipReason.FAILED})
"""Why a document is left alone whose text may have changed since it was analysed."""

Reasons = Mapping[int, SkipReason | None]
"""Why a document needs no analysis, by its number; None if it does."""


class DocumentSelector:
    """Says which documents of one instance need analysis."""

    def __init__(
        self, name: str, client: PaperlessClient, rules: ScanRules, *, store: Store, clock: Clock
    ) -> None:
        self._name = name
        self._client = client
        self._rules = rules
        self._store = store
        self._clock = clock

    async def find_skip_reasons(
        self, documents: Sequence[DocumentSummary], selection: Selection
    ) -> Reasons:
        """Say of each document why it needs no analysis."""
        known = await self._store.documents.get_many(self._name, [one.id for one in documents])
        now = self._clock()
        reasons = {
            one.id: reason_to_skip(one, known.get(one.id), selection, now=now) for one in documents
        }
        if not self._rules.reanalyze:
            return reasons
        again = await self._changed(analyzed_hashes(reasons, known), selection.exclude)
        return reasons | dict.fromkeys(again)

    async def _changed(self, hashes: Mapping[int, str], exclude: frozenset[int]) -> set[int]:
        """Return those whose text is another than the one that was analysed."""
        changed, rest = set[int](), iter(hashes)
        while chunk := frozenset(islice(rest, _TEXTS)):
            texts = await self._client.fetch_texts(chunk, without_tags=exclude)
            changed |= {
                text.id for text in texts.found if content_hash(text.content) != hashes[text.id]
            }
            for document in sorted(texts.too_large):
                # It stays as filed; the other documents on the page are not affected.
                log.warning("text too large to compare", instance=self._name, document=document)
        return changed


def analyzed_hashes(reasons: Reasons, known: Mapping[int, KnownDocument]) -> Mapping[int, str]:
    """Return the hash of the text that was analysed of each document that was handled."""
    handled = {id_: known[id_].content_hash for id_, why in reasons.items() if why in _HANDLED}
    return {id_: text for id_, text in handled.items() if text is not None}
