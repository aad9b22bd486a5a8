"""Analyze a document: reuse the stored analysis, or ask the model about its text or its chunks."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from core.analysis import Analysis, Chunk
from core.changes import Suggestion
from core.documents import content_hash
from core.fields import Field
from core.jobs import Stage
from paperless_client import Document
from processor.analysis.answer import answer_key, read_object, read_suggestions
from processor.analysis.errors import PromptTooLong
from processor.analysis.long_documents import (
    ChunkResult,
    SplitText,
    merge_suggestions,
    split_for_prompt,
)
from processor.analysis.model import Ledger
from processor.analysis.prompt import Prompt, PromptSettings, build_prompt, prompt_version
from processor.analysis.prompt_blocks import Example
from processor.attempt import Attempt
from processor.examples import find_examples
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.policy import reason_not_to_ask

_STARTED, _ANSWERED = 20, 65
"""Progress in percent before the first chunk is asked about and after the last."""


@dataclass(frozen=True, slots=True)
class PromptContext:
    """What a prompt contains about the archive."""

    names: NamesInUse
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentAnalyzer:
    """Analyzes one document in one attempt."""

    attempt: Attempt
    instance: Instance
    document: Document
    names: NamesInUse

    async def analyze(self) -> Analysis | None:
        """Return the stored analysis of this text and prompt, or ask the model and store it.

        Return None if the text is not worth a model call.
        """
        # Checking a megabyte of text takes seconds and would block the event loop.
        if await asyncio.to_thread(reason_not_to_ask, self.document.content) is not None:
            return None
        await self.attempt.set_progress(Stage.ANALYZE, _STARTED, until=_ANSWERED)
        stored = await self.attempt.store.results.find_reusable(
            self.attempt.job,
            content_hash=content_hash(self.document.content),
            prompt_version=prompt_version(self.instance.prompt_settings),
            model=self.instance.model.server.endpoint.model,
        )
        if stored is not None:
            return await self.attempt.save(stored)
        settings = self.instance.prompt_settings
        try:
            analysis = await self._ask(settings)
        except PromptTooLong:
            # The server has less context than configured; half of it is worth one more try.
            analysis = await self._ask(replace(settings, context=settings.context // 2))
        return await self.attempt.save(analysis)

    async def _ask(self, settings: PromptSettings) -> Analysis:
        """Ask about the whole document at once if it fits, otherwise chunk by chunk."""
        split = await asyncio.to_thread(
            split_for_prompt, self.document.content, names=self.names.offered, settings=settings
        )
        if not split.is_whole:
            return await self._ask_chunks(split, settings)
        examples = await find_examples(self.document, self.names, self.attempt.store, self.instance)
        return await ask_model(
            self.document.content,
            settings=settings,
            context=PromptContext(self.names, examples),
            instance=self.instance,
            ledger=self.attempt,
        )

    async def _ask_chunks(self, split: SplitText, settings: PromptSettings) -> Analysis:
        """Ask about each chunk that has no stored answer, and store each answer at once."""
        stored = await self.attempt.store.results.list_chunks(
            self.attempt.job,
            prompt_version=prompt_version(self.instance.prompt_settings),
            model=self.instance.model.server.endpoint.model,
        )
        answers = {analysis.content_hash: analysis for analysis in stored}
        for done, (chunk, text) in enumerate(split.texts.items()):
            if content_hash(text) in answers:
                continue
            # Set before each chunk: the stage's timeout is for one answer, not for a hundred.
            begin, end = (_chunk_percent(n, len(split.texts)) for n in (done, done + 1))
            await self.attempt.set_progress(Stage.ANALYZE, begin, until=end)
            analysis = await ask_model(
                text,
                settings=settings,
                context=PromptContext(self.names),
                instance=self.instance,
                ledger=self.attempt,
                chunk=chunk,
            )
            answers[content_hash(text)] = await self.attempt.save(analysis)
        return await asyncio.to_thread(self._merge, split, answers)

    def _merge(self, split: SplitText, answers: Mapping[str, Analysis]) -> Analysis:
        """Merge the answers about all chunks into one analysis of the document."""
        results = (
            ChunkResult(chunk, answers[content_hash(text)].suggestions, text)
            for chunk, text in split.texts.items()
        )
        # Chunks with the same text share one answer.
        used = {key: answers[key] for key in map(content_hash, split.texts.values())}.values()
        return Analysis(
            suggestions=merge_suggestions(results, max_tags=self.instance.prompt_settings.max_tags),
            model=self.instance.model.server.endpoint.model,
            prompt_version=prompt_version(self.instance.prompt_settings),
            content_hash=content_hash(self.document.content),
            tokens_in=sum(analysis.tokens_in for analysis in used),
            tokens_out=sum(analysis.tokens_out for analysis in used),
            unread=split.unread + sum(analysis.unread for analysis in used),
        )


async def ask_model(
    text: str,
    *,
    settings: PromptSettings,
    context: PromptContext,
    instance: Instance,
    ledger: Ledger,
    chunk: Chunk | None = None,
) -> Analysis:
    """Ask the instance's model about `text`: a whole document, or one chunk of it."""
    # Choosing names for a megabyte of text takes seconds and would block the event loop.
    prompt = await asyncio.to_thread(build_document_prompt, text, settings, context, chunk)
    parse = partial(_parse_answer, fields=settings.asked_fields)
    answer = await instance.model.ask(prompt, parse=parse, ledger=ledger)
    return Analysis(
        suggestions=answer.value,
        model=instance.model.server.endpoint.model,
        prompt_version=prompt_version(instance.prompt_settings),
        content_hash=content_hash(text),
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        examples=prompt.examples,
        part=chunk,
        unread=prompt.left_out,
    )


def build_document_prompt(
    text: str, settings: PromptSettings, context: PromptContext, chunk: Chunk | None
) -> Prompt:
    """Build the prompt about `text` with a fresh random mark around it."""
    return build_prompt(
        text,
        names=context.names.offered,
        settings=settings,
        mark=secrets.token_hex(8),
        examples=context.examples,
        place=chunk,
    )


def _chunk_percent(done: int, chunks: int) -> int:
    """Return the progress after so many of the chunks."""
    return _STARTED + (_ANSWERED - _STARTED) * done // chunks


def _parse_answer(answer: str, fields: Sequence[Field]) -> tuple[Suggestion, ...]:
    return read_suggestions(read_object(answer, [answer_key(field) for field in fields]), fields)
