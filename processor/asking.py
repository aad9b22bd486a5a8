"""Ask the model about a document: at once, or, if it is far too long for that, pass by pass."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.analysis import Analysis, Pass
from core.documents import content_hash
from core.jobs import Stage
from paperless_client import Document
from processor.analysis.errors import PromptTooLong
from processor.analysis.long_documents import Cut, cut_for
from processor.analysis.merging import Found, merged
from processor.analysis.prompt import Brief, prompt_version
from processor.analyze import Archive, ask_about
from processor.attempt import Attempt
from processor.examples import examples_for
from processor.instance import Instance
from processor.names.catalogue import NamesInUse

_BEGUN, _ENDED = 20, 65
"""Percent of the attempt before the first pass and after the last."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks about one document in one attempt."""

    document: Document
    names: NamesInUse
    attempt: Attempt
    instance: Instance

    async def analysis(self) -> Analysis:
        """Ask until there is an answer about the whole document."""
        try:
            return await self._asked(self.instance.brief)
        except PromptTooLong:
            # The server has less room than we were told; half of it is worth one more try.
            half = self.instance.brief.context // 2
            return await self._asked(replace(self.instance.brief, context=half))

    async def _asked(self, brief: Brief) -> Analysis:
        cut = await asyncio.to_thread(
            cut_for, self.document.content, names=self.names.offered, brief=brief
        )
        return await (self._at_once(brief) if cut.is_whole else self._pass_by_pass(cut, brief))

    async def _at_once(self, brief: Brief) -> Analysis:
        examples = await examples_for(self.document, self.names, self.attempt.store, self.instance)
        return await ask_about(
            self.document.content,
            brief=brief,
            archive=Archive(self.names, examples),
            instance=self.instance,
            ledger=self.attempt,
        )

    async def _pass_by_pass(self, cut: Cut, brief: Brief) -> Analysis:
        """Ask about each pass that is not answered yet, and store each answer at once."""
        answers = await self._stored()
        for done, (place, text) in enumerate(cut.texts.items()):
            if content_hash(text) not in answers:
                # Noted before each: the stage's patience is for one answer, not for a hundred.
                percent = _BEGUN + (_ENDED - _BEGUN) * done // len(cut.texts)
                await self.attempt.reached(Stage.ANALYZE, percent)
                answers[content_hash(text)] = await self._pass(place, text, brief)
        return await asyncio.to_thread(self._joined, cut, answers)

    async def _stored(self) -> dict[str, Analysis]:
        """Return the answers that are there, by the hash of what was asked about."""
        found = await self.attempt.store.results.passes(
            self.attempt.job,
            prompt_version=prompt_version(self.instance.brief),
            model=self.instance.ladder.server.endpoint.model,
        )
        return {one.content_hash: one for one in found}

    async def _pass(self, place: Pass, text: str, brief: Brief) -> Analysis:
        return await self.attempt.save(
            await ask_about(
                text,
                brief=brief,
                archive=Archive(self.names),
                instance=self.instance,
                ledger=self.attempt,
                place=place,
            )
        )

    def _joined(self, cut: Cut, answers: Mapping[str, Analysis]) -> Analysis:
        by_place = {place: answers[content_hash(text)] for place, text in cut.texts.items()}
        found = (Found(place, by_place[place].suggestions, cut.texts[place]) for place in by_place)
        # A text that stands there twice was asked about once.
        parts = {one.content_hash: one for one in by_place.values()}.values()
        return Analysis(
            suggestions=merged(found, max_tags=self.instance.brief.max_tags),
            model=self.instance.ladder.server.endpoint.model,
            prompt_version=prompt_version(self.instance.brief),
            content_hash=content_hash(self.document.content),
            tokens_in=sum(one.tokens_in for one in parts),
            tokens_out=sum(one.tokens_out for one in parts),
            unread=cut.unread + sum(one.unread for one in parts),
        )
