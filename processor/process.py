"""One job from first to last, by its kind."""

import asyncio
from dataclasses import replace
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from core.analysis import Analysis
from core.changes import Plan
from core.documents import content_hash
from core.fields import FieldName
from core.jobs import ANALYZE, APPLY, REHEARSE, UNDO, Stage
from paperless_client import Document
from processor.analysis.prompt import prompt_version
from processor.analyze import candidates_of
from processor.apply import apply_changes, mark_if_finished
from processor.asking import Asker
from processor.attempt import Attempt
from processor.catalogue import NamesInUse
from processor.current import current_of
from processor.fetching import read_document
from processor.instance import Instance
from processor.kinds import Kind, Kinds, Report, by_name
from processor.plan import Policy, Reason, plan_changes, plan_for_person, why_not_ask
from processor.undo import newest_first, puts_trigger_back, take_back, undone
from processor.verdict import ReadOnly
from processor.writing import Ending


class Nothing(BaseModel):
    """A payload that says nothing: the document is all there is to know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class UndoPayload(BaseModel):
    """Which changes are to be taken back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    changes: tuple[int, ...]


async def analyze(attempt: Attempt, instance: Instance, _: Nothing) -> Report:
    """Take one document from the queue to changed, or to waiting for review."""
    await attempt.require_room()
    instance = await instance.with_custom_fields()
    document = await fetch(attempt, instance)
    plan = await make_plan(attempt, instance, document)
    changes = await attempt.store.changes.record_plan(attempt.job, plan, now=attempt.now())
    await attempt.begin_writing()
    applied = await apply_changes(attempt, instance, changes)
    marked = await mark_if_finished(attempt, instance)
    return Report(plan, applied + marked)


async def rehearse(attempt: Attempt, instance: Instance, _: Nothing) -> Report:
    """Do all but the write: a dry run."""
    await attempt.require_room()
    instance = await instance.with_custom_fields()
    document = await fetch(attempt, instance)
    return Report(await make_plan(attempt, instance, document))


async def apply_accepted(attempt: Attempt, instance: Instance, _: Nothing) -> Report:
    """Write what a person accepted."""
    await attempt.begin_writing()
    accepted = await attempt.store.changes.intended_by_person(attempt.document)
    # An attempt that died may have added what goes with it: tags above, marks.
    along = await attempt.store.changes.intended_by_rule(
        attempt.document, since=attempt.job.created_at
    )
    applied = await apply_changes(attempt, instance, accepted + along)
    marked = await mark_if_finished(attempt, instance)
    return Report(changes=applied + marked)


async def undo(attempt: Attempt, instance: Instance, payload: UndoPayload) -> Report:
    """Take written changes back, except what someone changed since."""
    await attempt.begin_writing()
    changes = await attempt.store.changes.listed(payload.changes)
    if puts_trigger_back(newest_first(changes)):
        # Before the deed: no scan may take the tag that is back for a person's wish.
        await attempt.store.documents.clear_trigger_removed(attempt.document, now=attempt.now())
    written = await take_back(instance, attempt.job, changes)
    settled = await attempt.store.changes.settle(attempt.job, undone(written), now=attempt.now())
    if written.trouble and any(one.ending is Ending.UNWRITTEN for one in written.ended):
        raise written.trouble
    back = {change.id for change in settled}
    kept = tuple(one for one in newest_first(changes) if one.id not in back)
    return Report(changes=settled, kept=kept)


KINDS: Kinds = by_name(
    Kind(ANALYZE, Nothing, analyze),
    Kind(REHEARSE, Nothing, rehearse),
    Kind(APPLY, Nothing, apply_accepted),
    Kind(UNDO, UndoPayload, undo),
)


async def fetch(attempt: Attempt, instance: Instance) -> Document:
    """Read the document, and note what it is called and which text it has."""
    await attempt.reached(Stage.FETCH, 10)
    names = await instance.catalogue.names()
    # Marks that do not exist are told now, before the model is paid and anything is written.
    names.tag_ids.one_each(instance.tags.done | instance.tags.remove)
    document = await read_document(instance, names, attempt.document.id)
    if document.user_can_change is False:
        # Nobody could write the answer: the model is not asked.
        raise ReadOnly("is not shared for editing with the token's user")
    await attempt.store.documents.note(
        attempt.job,
        title=document.title,
        content_hash=content_hash(document.content),
        now=attempt.now(),
    )
    return document


async def make_plan(attempt: Attempt, instance: Instance, document: Document) -> Plan:
    """Find out what to change.

    The plan is made against the document as it was read before the model was asked: what a person
    sets while the model thinks shows up as a conflict when the plan is carried out.
    """
    names = await instance.catalogue.names_with_meanings()
    # To look through a megabyte takes seconds, which the loop does not have.
    worth_asking = await asyncio.to_thread(why_not_ask, document.content) is None
    analysis = await _analysis(attempt, instance, document, names) if worth_asking else None
    now = attempt.now()
    return await asyncio.to_thread(plan_from, analysis, document, names, instance, now=now)


def plan_from(
    analysis: Analysis | None,
    document: Document,
    names: NamesInUse,
    instance: Instance,
    *,
    now: datetime,
) -> Plan:
    """Turn what the model said into a plan; without a text to read it was not asked."""
    current = current_of(document, names, instance.brief.custom_fields)
    if analysis is None or not analysis.suggestions:
        why = why_not_ask(document.content) or Reason.NOTHING_FOUND
        return plan_for_person(current, instance.policy, why)
    candidates = candidates_of(
        analysis, document, names, brief=instance.brief, today=instance.today(now)
    )
    policy = replace(_with_tags_beneath(instance.policy, document, names), refused=names.refused)
    return plan_changes(current, candidates, policy)


def _with_tags_beneath(policy: Policy, document: Document, names: NamesInUse) -> Policy:
    """Reserve the tags beneath a reserved one as well: it would come along with them."""
    reserved = {
        tag.id for tag in names.by_field[FieldName.TAGS] if tag.name in policy.reserved_tags
    }
    absent = {id_ for id_ in reserved if id_ is not None} - document.tags
    beneath = names.tags(below for id_ in absent for below in names.descendants(id_))
    return replace(policy, reserved_tags=policy.reserved_tags | {tag.name for tag in beneath})


async def _analysis(
    attempt: Attempt, instance: Instance, document: Document, names: NamesInUse
) -> Analysis:
    """Return the answer that is stored for this very text and prompt, or ask; store it at once."""
    await attempt.reached(Stage.ANALYZE, 20)
    stored = await attempt.store.results.reusable(
        attempt.job,
        content_hash=content_hash(document.content),
        prompt_version=prompt_version(instance.brief),
        model=instance.ladder.server.endpoint.model,
    )
    analysis = stored or await Asker(document, names, attempt, instance).analysis()
    result = await attempt.store.results.save(attempt.job, analysis, now=attempt.now())
    return result.analysis
