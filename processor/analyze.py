"""From a document to candidates: ask the model, or take the answer that is there, and check it."""

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from core.analysis import Analysis, Chunk
from core.changes import Suggestion
from core.documents import content_hash
from core.fields import CustomField, FieldName, Value
from core.jobs import Stage
from core.names import NAMED_FIELDS
from paperless_client import Document
from processor.analysis.answer import answer_key, read_object, read_suggestions
from processor.analysis.checks import (
    TITLE_LENGTH,
    Candidate,
    DocumentFacts,
    Owner,
    run_checks,
    run_tag_checks,
)
from processor.analysis.custom_values import read_custom_value
from processor.analysis.dates import parse_date
from processor.analysis.errors import PromptTooLong
from processor.analysis.long_documents import (
    ChunkResult,
    SplitText,
    merge_suggestions,
    split_for_prompt,
)
from processor.analysis.numbers import NumberFormat
from processor.analysis.prompt import Prompt, PromptSettings, build_prompt, prompt_version
from processor.analysis.prompt_blocks import Example
from processor.analysis.response_formats import Ledger
from processor.attempt import Attempt
from processor.examples import find_examples
from processor.instance import Instance
from processor.names.catalogue import NamesInUse


@dataclass(frozen=True, slots=True)
class PromptContext:
    """What a model may know of the archive that a document is filed in."""

    names: NamesInUse
    examples: tuple[Example, ...] = ()


async def ask_model(
    text: str,
    *,
    brief: PromptSettings,
    archive: PromptContext,
    instance: Instance,
    ledger: Ledger,
    place: Chunk | None = None,
) -> Analysis:
    """Ask the instance's model about `text`: a whole document, or a pass of one."""
    prompt = await asyncio.to_thread(build_document_prompt, text, brief, archive, place)

    def read(answer: str) -> tuple[Suggestion, ...]:
        keys = [answer_key(field) for field in brief.asked_fields]
        return read_suggestions(read_object(answer, keys), brief.asked_fields)

    answered = await instance.model.ask(prompt, read=read, ledger=ledger)
    return Analysis(
        suggestions=answered.value,
        model=instance.model.server.endpoint.model,
        prompt_version=prompt_version(instance.prompt_settings),
        content_hash=content_hash(text),
        tokens_in=answered.tokens_in,
        tokens_out=answered.tokens_out,
        examples=prompt.examples,
        part=place,
        unread=prompt.left_out,
    )


def build_document_prompt(
    text: str, brief: PromptSettings, archive: PromptContext, place: Chunk | None
) -> Prompt:
    """Build the prompt; to pick names for a megabyte takes longer than the loop has."""
    return build_prompt(
        text,
        names=archive.names.offered,
        brief=brief,
        mark=secrets.token_hex(8),
        examples=archive.examples,
        place=place,
    )


def build_candidates(
    analysis: Analysis, document: Document, names: NamesInUse, *, brief: PromptSettings, today: date
) -> tuple[Candidate, ...]:
    """Read each suggestion as a value of its field and hold it against the checks."""
    source = DocumentFacts.of(
        document.content,
        file_name=document.original_file_name or "",
        added=document.added.date(),
        today=today,
        owner=_owner(brief, names),
        figures=_detect_number_format(document, brief),
    )
    source = replace(source, unread=analysis.unread / max(1, len(document.content)))
    weighed = (_candidate(suggestion, names, source, brief) for suggestion in analysis.suggestions)
    return run_tag_checks(weighed, most=brief.max_tags)


def _candidate(
    suggestion: Suggestion, names: NamesInUse, source: DocumentFacts, brief: PromptSettings
) -> Candidate:
    if suggestion.field not in NAMED_FIELDS:
        return run_checks(suggestion, _value_of(suggestion, brief), source)
    meant = names.resolve(suggestion.field, suggestion.value[:TITLE_LENGTH])
    return replace(run_checks(suggestion, meant.name, source), similar=meant.similar)


def _owner(brief: PromptSettings, names: NamesInUse) -> Owner:
    kinds = tuple(kind.name for kind in names.by_field[FieldName.DOCUMENT_TYPE])
    aliases = (key for (field, key) in names.aliases if field is FieldName.CORRESPONDENT)
    return Owner(brief.owner_names, brief.language, kinds, frozenset(aliases))


def _detect_number_format(document: Document, brief: PromptSettings) -> NumberFormat | None:
    if not brief.custom_fields:
        return None
    return NumberFormat.detect(
        document.content, usual=(one.currency for one in brief.custom_fields)
    )


def _value_of(suggestion: Suggestion, brief: PromptSettings) -> Value:
    if isinstance(suggestion.field, CustomField):
        known = next((one for one in brief.custom_fields if one.field == suggestion.field), None)
        return read_custom_value(suggestion.value, known) if known else None
    if suggestion.field is FieldName.DATE:
        return parse_date(suggestion.value)
    return suggestion.value[:TITLE_LENGTH]


_BEGUN, _ENDED = 20, 65
"""Percent of the attempt before the first pass and after the last."""


@dataclass(frozen=True, slots=True)
class DocumentAnalyzer:
    """Asks about one document in one attempt."""

    document: Document
    names: NamesInUse
    attempt: Attempt
    instance: Instance

    async def analyze(self) -> Analysis:
        """Ask until there is an answer about the whole document."""
        try:
            return await self._analyze(self.instance.prompt_settings)
        except PromptTooLong:
            # The server has less room than we were told; half of it is worth one more try.
            half = self.instance.prompt_settings.context // 2
            return await self._analyze(replace(self.instance.prompt_settings, context=half))

    async def _analyze(self, brief: PromptSettings) -> Analysis:
        cut = await asyncio.to_thread(
            split_for_prompt, self.document.content, names=self.names.offered, brief=brief
        )
        return await (self._at_once(brief) if cut.is_whole else self._pass_by_pass(cut, brief))

    async def _at_once(self, brief: PromptSettings) -> Analysis:
        examples = await find_examples(self.document, self.names, self.attempt.store, self.instance)
        return await ask_model(
            self.document.content,
            brief=brief,
            archive=PromptContext(self.names, examples),
            instance=self.instance,
            ledger=self.attempt,
        )

    async def _pass_by_pass(self, cut: SplitText, brief: PromptSettings) -> Analysis:
        """Ask about each pass that is not answered yet, and store each answer at once."""
        answers = await self._stored()
        for done, (place, text) in enumerate(cut.texts.items()):
            if content_hash(text) not in answers:
                # Noted before each: the stage's patience is for one answer, not for a hundred.
                percent = _BEGUN + (_ENDED - _BEGUN) * done // len(cut.texts)
                await self.attempt.set_progress(Stage.ANALYZE, percent)
                answers[content_hash(text)] = await self._pass(place, text, brief)
        return await asyncio.to_thread(self._joined, cut, answers)

    async def _stored(self) -> dict[str, Analysis]:
        """Return the answers that are there, by the hash of what was asked about."""
        found = await self.attempt.store.results.list_chunks(
            self.attempt.job,
            prompt_version=prompt_version(self.instance.prompt_settings),
            model=self.instance.model.server.endpoint.model,
        )
        return {one.content_hash: one for one in found}

    async def _pass(self, place: Chunk, text: str, brief: PromptSettings) -> Analysis:
        return await self.attempt.save(
            await ask_model(
                text,
                brief=brief,
                archive=PromptContext(self.names),
                instance=self.instance,
                ledger=self.attempt,
                place=place,
            )
        )

    def _joined(self, cut: SplitText, answers: Mapping[str, Analysis]) -> Analysis:
        by_place = {place: answers[content_hash(text)] for place, text in cut.texts.items()}
        found = (
            ChunkResult(place, by_place[place].suggestions, cut.texts[place]) for place in by_place
        )
        # A text that stands there twice was asked about once.
        parts = {one.content_hash: one for one in by_place.values()}.values()
        return Analysis(
            suggestions=merge_suggestions(found, max_tags=self.instance.prompt_settings.max_tags),
            model=self.instance.model.server.endpoint.model,
            prompt_version=prompt_version(self.instance.prompt_settings),
            content_hash=content_hash(self.document.content),
            tokens_in=sum(one.tokens_in for one in parts),
            tokens_out=sum(one.tokens_out for one in parts),
            unread=cut.unread + sum(one.unread for one in parts),
        )
