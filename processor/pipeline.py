"""Kinds of jobs: what a job of that kind is told, and who does it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from core.analysis import Analysis
from core.changes import LATE_WRITE, Change, Plan
from core.documents import content_hash
from core.errors import PermanentError
from core.fields import FieldName, Name
from core.holds import filter_holds
from core.jobs import ANALYZE, APPLY, DRY_RUN, UNDO, Job, Stage
from core.messages import message
from paperless_client import Document, DocumentSummary
from processor.analysis.prompt import prompt_version
from processor.analyze import DocumentAnalyzer, build_candidates
from processor.apply import apply_changes
from processor.attempt import Attempt
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.plan import (
    Policy,
    Reason,
    fingerprint,
    plan_changes,
    plan_manual_review,
    reason_not_to_ask,
)
from processor.reconcile import has_taken_effect, outcome_after_write, read_current_values
from processor.undo import restores_trigger_tag, undo_changes, undoable_newest_first
from processor.verdict import DocumentExcluded, NotYet, ReadOnly

Payload = TypeVar("Payload", bound=BaseModel)


class UnknownKind(PermanentError):
    """Nobody here can do a job of that kind."""

    code = "unknown_kind"
    user_message = "This version of Paperclerk does not know this kind of job."


class BadPayload(PermanentError):
    """What the job is told is not what its kind needs."""

    code = "bad_payload"
    user_message = "The job's data cannot be read."


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a job, for whoever watches; everything in it is stored as well."""

    plan: Plan | None = None
    changes: tuple[Change, ...] = ()
    """Changes as they ended."""
    kept: tuple[Change, ...] = ()
    """Changes that an undo left alone, because someone changed the value since."""


@dataclass(frozen=True, slots=True)
class JobHandler(Generic[Payload]):
    """A kind of job."""

    name: str
    payload: type[Payload]
    handle: Callable[[Attempt, Instance, Payload], Awaitable[Report]]

    async def run(self, attempt: Attempt, instance: Instance) -> Report:
        """Do the attempt's job; raise BadPayload if it cannot be understood."""
        return await self.handle(attempt, instance, self._read(attempt.job))

    def _read(self, job: Job) -> Payload:
        try:
            return self.payload.model_validate(dict(job.payload))
        except ValidationError as error:
            # Without the values: a payload may hold what nobody else should read.
            wrong = ", ".join(".".join(map(str, one["loc"])) for one in error.errors())
            raise BadPayload(
                message(
                    "the payload of job {job} is not valid: {places}", job=str(job.id), places=wrong
                )
            ) from None


JobHandlers: TypeAlias = Mapping[str, JobHandler[Any]]


def handlers_by_kind(*kinds: JobHandler[Any]) -> JobHandlers:
    return {kind.name: kind for kind in kinds}


def get_handler(job: Job, kinds: JobHandlers) -> JobHandler[Any]:
    """Return the kind of a job, or raise UnknownKind."""
    if job.kind not in kinds:
        raise UnknownKind(
            message("job {job} is of an unknown kind: {kind}", job=str(job.id), kind=job.kind)
        )
    return kinds[job.kind]


async def fetch_document(instance: Instance, names: NamesInUse, number: int) -> Document:
    """Read a document; Paperless does not send the text if it has an excluded tag."""
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    if not excluded:
        return await instance.paperless.fetch_document(number)
    found = await instance.paperless.fetch_document_unless_tagged(number, without_tags=excluded)
    if found is None:
        # Raises if the document is gone, because then it has no tags at all.
        _refuse_excluded(await instance.paperless.fetch_summary(number), names.tags(excluded))
        # The tag was removed between the two requests.
        found = await instance.paperless.fetch_document(number)
        _refuse_excluded(found, names.tags(excluded))
    return found


def _refuse_excluded(document: DocumentSummary | Document, excluded: Iterable[Name]) -> None:
    carried = [tag.name for tag in excluded if tag.id in document.tags]
    if carried:
        tags = ", ".join(carried)
        raise DocumentExcluded(message("has the excluded tag {tags}", tags=tags))


class EmptyPayload(BaseModel):
    """A payload that says nothing: the document is all there is to know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class UndoPayload(BaseModel):
    """Which changes are to be taken back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    changes: tuple[int, ...]


async def analyze(attempt: Attempt, instance: Instance, _: EmptyPayload) -> Report:
    """Take one document from the queue to changed, or to waiting for review."""
    if await settle_begun_writes(attempt, instance):
        await require_no_model_hold(attempt, instance)
    await attempt.require_budget()
    instance = await instance.with_custom_fields()
    document = await fetch_and_record(attempt, instance)
    plan, made_from = await analyze_and_plan(attempt, instance, document)
    planned = await attempt.store.changes.record_plan(
        attempt.job, plan, made_from=made_from, now=attempt.now()
    )
    # Changes accepted in the meantime are written by a separate job.
    changes = [change for change in planned if change.apply_job_id is None]
    await attempt.begin_writing()
    return Report(plan, await apply_changes(attempt, instance, changes))


async def dry_run(attempt: Attempt, instance: Instance, _: EmptyPayload) -> Report:
    """Do all but the write: a dry run."""
    await attempt.require_budget()
    instance = await instance.with_custom_fields()
    document = await fetch_and_record(attempt, instance)
    return Report((await analyze_and_plan(attempt, instance, document))[0])


async def apply_accepted(attempt: Attempt, instance: Instance, _: EmptyPayload) -> Report:
    """Write what a person accepted."""
    await attempt.begin_writing()
    await settle_begun_writes(attempt, instance)
    accepted = await attempt.store.changes.list_to_apply(attempt.job)
    return Report(changes=await apply_changes(attempt, instance, accepted))


async def undo(attempt: Attempt, instance: Instance, payload: UndoPayload) -> Report:
    """Take written changes back, except what someone changed since."""
    await attempt.begin_writing()
    await settle_begun_writes(attempt, instance)
    changes = await attempt.store.changes.list_by_ids(payload.changes)
    if restores_trigger_tag(undoable_newest_first(changes)):
        # Before the deed: no scan may take the tag that is back for a person's wish.
        await attempt.store.documents.clear_trigger_removed(attempt.document, now=attempt.now())
    settled = await undo_changes(attempt, instance, changes)
    back = {change.id for change in settled}
    kept = tuple(one for one in undoable_newest_first(changes) if one.id not in back)
    return Report(changes=settled, kept=kept)


JOB_HANDLERS: JobHandlers = handlers_by_kind(
    JobHandler(ANALYZE, EmptyPayload, analyze),
    JobHandler(DRY_RUN, EmptyPayload, dry_run),
    JobHandler(APPLY, EmptyPayload, apply_accepted),
    JobHandler(UNDO, UndoPayload, undo),
)


async def verify_begun_writes(attempt: Attempt, instance: Instance) -> Report:
    """Check what a job wrote before it ends; write nothing."""
    await attempt.set_progress(Stage.APPLY, 70)
    return Report(changes=await settle_begun_writes(attempt, instance))


async def settle_begun_writes(attempt: Attempt, instance: Instance) -> tuple[Change, ...]:
    """Read the document and settle its writes whose effect is unknown.

    This includes unconfirmed changes of earlier jobs. Raise NotYet while Paperless may still carry
    out one of the writes.
    """
    begun = await attempt.store.changes.list_begun(attempt.document)
    if not begun:
        return ()
    compared = await instance.writer.compare(attempt.document.id, begun)
    now, within = attempt.now(), LATE_WRITE + instance.timeouts.request
    late = [
        one.change
        for one in compared
        if not has_taken_effect(one) and one.change.may_take_effect_late(now, within)
    ]
    outcomes = [outcome_after_write(one) for one in compared if one.change not in late]
    settled = await attempt.store.changes.settle(attempt.job, outcomes, now=now)
    if late:
        newest = max(begun_at for one in late if (begun_at := one.begun_at))
        raise NotYet(message("Paperless may still carry out an earlier write"), due=newest + within)
    return settled


async def require_no_model_hold(attempt: Attempt, instance: Instance) -> None:
    """Raise NotYet if the model is on hold or a limit is reached.

    A job with a begun write is claimed all the same, because settling it needs only Paperless.
    """
    holds = filter_holds(await attempt.store.holds.list_active(), instance.targets.model_jobs)
    if holds:
        raise NotYet(
            message(
                "{target} on hold: {cause}",
                target=holds[0].target,
                cause=holds[0].cause.message,
            )
        )


async def fetch_and_record(attempt: Attempt, instance: Instance) -> Document:
    """Read the document, and note what it is called and which text it has."""
    await attempt.set_progress(Stage.FETCH, 10)
    names = await instance.catalogue.names()
    # Marks that do not exist are told now, before the model is paid and anything is written.
    names.tag_ids.one_per_name(instance.tags.done | instance.tags.remove)
    document = await fetch_document(instance, names, attempt.document.id)
    if document.user_can_change is False:
        # The answer could not be written, so the model is not called.
        raise ReadOnly(message("is not shared for editing with the token's user"))
    await attempt.store.documents.record_fetched(
        attempt.job,
        title=document.title,
        content_hash=content_hash(document.content),
        now=attempt.now(),
    )
    return document


async def analyze_and_plan(
    attempt: Attempt, instance: Instance, document: Document
) -> tuple[Plan, str]:
    """Return the planned changes, with the fingerprint of their inputs.

    The plan is made against the document as it was read before the model was called. Values that a
    person sets during the call become conflicts when the plan is carried out.
    """
    names = await instance.catalogue.names_with_aliases()
    # To look through a megabyte takes seconds, which the loop does not have.
    worth_asking = await asyncio.to_thread(reason_not_to_ask, document.content) is None
    analysis = await _analysis(attempt, instance, document, names) if worth_asking else None
    now = attempt.now()
    plan = await asyncio.to_thread(build_plan, analysis, document, names, instance, now=now)
    made_from = fingerprint(
        analysis, document.content, instance.policy, instance.prompt_settings, names.aliases
    )
    return plan, made_from


def build_plan(
    analysis: Analysis | None,
    document: Document,
    names: NamesInUse,
    instance: Instance,
    *,
    now: datetime,
) -> Plan:
    """Turn what the model said into a plan; without a text to read it was not asked."""
    current = read_current_values(document, names, instance.prompt_settings.custom_fields)
    if analysis is None or not analysis.suggestions:
        why = reason_not_to_ask(document.content) or Reason.NOTHING_FOUND
        return plan_manual_review(current, instance.policy, why)
    candidates = build_candidates(
        analysis, document, names, brief=instance.prompt_settings, today=instance.today(now)
    )
    policy = replace(_with_tags_beneath(instance, document, names), refused=names.refused)
    return plan_changes(current, candidates, policy)


def _with_tags_beneath(instance: Instance, document: Document, names: NamesInUse) -> Policy:
    """Return the policy with the tags beneath reserved ones reserved as well.

    Adding such a tag would add the reserved one, too. A tag beneath a trigger tag would be removed
    together with it.
    """
    policy, known = instance.policy, names.by_field[FieldName.TAGS]
    reserved = {tag.id for tag in known if tag.name in policy.reserved_tags and tag.id is not None}
    above = (reserved - document.tags) | names.tag_ids.all_ids(instance.tags.remove)
    beneath = names.tags(below for id_ in above for below in names.descendants(id_))
    return replace(policy, reserved_tags=policy.reserved_tags | {tag.name for tag in beneath})


async def _analysis(
    attempt: Attempt, instance: Instance, document: Document, names: NamesInUse
) -> Analysis:
    """Return the answer that is stored for this very text and prompt, or ask; store it at once."""
    await attempt.set_progress(Stage.ANALYZE, 20)
    stored = await attempt.store.results.find_reusable(
        attempt.job,
        content_hash=content_hash(document.content),
        prompt_version=prompt_version(instance.prompt_settings),
        model=instance.model.server.endpoint.model,
    )
    return await attempt.save(
        stored or await DocumentAnalyzer(document, names, attempt, instance).analyze()
    )
