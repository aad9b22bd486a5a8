"""What a model was asked, and what it wrote: for who wants to know how a result came about.

Prompts are not kept, for they hold whole documents: the question is put together anew.
"""

import asyncio
from dataclasses import dataclass, replace

from actions.caller import Caller
from actions.errors import NothingToAsk
from core.analysis import Answer, Pass, Result
from core.documents import content_hash
from core.jobs import Job
from core.messages import message
from paperless_client import Document
from processor.analysis.long_documents import Cut, cut_for
from processor.analysis.prompt import Brief, Prompt, prompt_version
from processor.analyze import Archive, prompt_about
from processor.examples import examples_for
from processor.fetching import read_document
from processor.names.catalogue import NamesInUse
from processor.plan import why_not_ask


@dataclass(frozen=True, slots=True)
class Question:
    """The question about a job's document, as it would be asked today."""

    job: Job
    model: str
    prompt: Prompt
    prompt_version: str
    places: tuple[Pass, ...]
    """Of a long document, its passes: each has a question of its own."""
    place: Pass | None
    """The pass that this one is about; None: the whole document."""
    same_prompt: bool | None = None
    """Whether its words are those of the job's result; None if there is none."""
    same_text: bool | None = None
    """Whether the text is the one of the job's result; None if there is none of the whole text."""


async def answers(caller: Caller, job_id: int) -> tuple[Answer, ...]:
    """Tell word by word what the model wrote to a job, as far as it is kept."""
    job = await caller.job(job_id)
    return await caller.store.calls.answers_of_job(job.id)


async def question(caller: Caller, job_id: int, part: int = 1) -> Question:
    """Put the question about a job's document together anew, from Paperless as it is now.

    Raise NothingToAsk if the document has no such part, or no text at all.
    """
    job = await caller.job(job_id)
    instance = await caller.instance(job.document.instance).with_custom_fields()
    names = await instance.catalogue.names()
    document = await read_document(instance, names, job.document.id)
    cut = await asyncio.to_thread(_cut, document, names, instance.brief)
    place = next((one for one in cut.texts if one.number == part), None)
    if place is None:
        raise NothingToAsk(
            message(
                "{document} has no part {part} that is asked about",
                document=str(job.document),
                part=str(part),
            )
        )
    # Only a document that is asked about at once is shown with others beside it.
    alike = await examples_for(document, names, caller.store, instance) if cut.is_whole else ()
    told = Question(
        job=job,
        model=instance.ladder.server.endpoint.model,
        prompt=await asyncio.to_thread(
            prompt_about,
            cut.texts[place],
            instance.brief,
            Archive(names, alike),
            None if cut.is_whole else place,
        ),
        prompt_version=prompt_version(instance.brief),
        places=() if cut.is_whole else tuple(cut.texts),
        place=None if cut.is_whole else place,
    )
    result = await caller.store.results.latest(job.id)
    return _compared(told, content_hash(document.content), result)


def _cut(document: Document, names: NamesInUse, brief: Brief) -> Cut:
    if why_not_ask(document.content) is not None:
        return Cut({})
    return cut_for(document.content, names=names.offered, brief=brief)


def _compared(told: Question, text_hash: str, result: Result | None) -> Question:
    if result is None:
        return told
    said = result.analysis
    same_text = said.content_hash == text_hash if said.part is None else None
    return replace(
        told, same_prompt=said.prompt_version == told.prompt_version, same_text=same_text
    )
