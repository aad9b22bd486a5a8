"""Process one job: fetch the document, analyze it, plan its changes, write them.

There is one function for each kind of job, and a registry of these kinds.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from core.analysis import Analysis
from core.changes import LATE_WRITE, Change, Plan
from core.documents import content_hash
from core.errors import PermanentError
from core.holds import filter_holds
from core.jobs import ANALYZE, APPLY, DRY_RUN, UNDO, Job, Stage
from core.learning import FactKind
from core.messages import message
from core.tasks import run_beside
from paperless_client import Document, build_archive_document
from processor.analyze import DocumentAnalyzer
from processor.apply import apply_changes, refuse_excluded, restrict_to_current
from processor.attempt import Attempt
from processor.instance import Instance
from processor.learning import learn_from_accepted, learn_from_processed
from processor.learnt_facts import list_confirmed
from processor.names.catalogue import NamesInUse
from processor.plan import Background, look_up_background, plan_document
from processor.policy import fingerprint
from processor.reconcile import has_taken_effect, outcome_after_write
from processor.undo import restores_trigger_tag, undo_changes, undoable_newest_first
from processor.verdict import NotYet, ReadOnly
from store import Store, StoreUnavailable

log = structlog.get_logger()

Payload = TypeVar("Payload", bound=BaseModel)


class UnknownKind(PermanentError):
    """No handler is registered for the job's kind."""

    code = "unknown_kind"
    user_message = "This version of Paperclerk does not know this kind of job."


class BadPayload(PermanentError):
    """The job's payload does not fit its kind."""

    code = "bad_payload"
    user_message = "The job's data cannot be read."


class EmptyPayload(BaseModel):
    """The payload of a job that needs nothing but its document."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class DryRunPayload(BaseModel):
    """The instructions that a person tries; None: those of the settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    instructions: str | None = None
    type_instructions: dict[str, str] | None = None


class UndoPayload(BaseModel):
    """The ids of the changes to undo."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    changes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a job, for display; everything in it is stored as well."""

    plan: Plan | None = None
    changes: tuple[Change, ...] = ()
    """The settled changes."""
    kept: tuple[Change, ...] = ()
    """Changes that an undo left alone, because someone changed the value since."""


@dataclass(frozen=True, slots=True)
class JobHandler(Generic[Payload]):
    """A kind of job, its payload, and the function that processes it."""

    name: str
    payload: type[Payload]
    handle: Callable[[Attempt, Instance, Payload], Awaitable[Report]]

    def read_payload(self, job: Job) -> Payload:
        """Return the payload of a job; raise BadPayload if it is not valid."""
        try:
            return self.payload.model_validate(dict(job.payload))
        except ValidationError as error:
            # Without the values: a payload may hold what nobody else should read.
            places = ", ".join(".".join(map(str, detail["loc"])) for detail in error.errors())
            raise BadPayload(
                message(
                    "the payload of job {job} is not valid: {places}",
                    job=str(job.id),
                    places=places,
                )
            ) from None


JobHandlers: TypeAlias = Mapping[str, JobHandler[Any]]


def handlers_by_kind(*handlers: JobHandler[Any]) -> JobHandlers:
    return {handler.name: handler for handler in handlers}


def get_handler(job: Job, handlers: JobHandlers) -> JobHandler[Any]:
    """Return the handler of a job, or raise UnknownKind."""
    if job.kind not in handlers:
        raise UnknownKind(
            message("job {job} is of an unknown kind: {kind}", job=str(job.id), kind=job.kind)
        )
    return handlers[job.kind]


async def analyze(attempt: Attempt, instance: Instance, _: EmptyPayload) -> Report:
    """Process one document until its changes are written or wait for review."""
    if await settle_begun_writes(attempt, instance):
        await _require_no_model_hold(attempt, instance)
    await attempt.require_budget()
    instance = await with_stored_settings(instance, attempt.store)
    document = await _fetch_and_record(attempt, instance)
    names = await instance.catalogue.names_with_aliases()
    analysis, background = await _ask_and_look_up(attempt, instance, document, names)
    # The settings may have changed during the call.
    instance = restrict_to_current(attempt, instance)
    refuse_excluded(document.tags, names, instance)
    plan = await plan_document(
        analysis,
        document,
        names,
        instance,
        store=attempt.store,
        now=attempt.now(),
        background=background,
    )
    planned = await attempt.store.changes.record_plan(
        attempt.job,
        plan,
        made_from=fingerprint(
            analysis,
            document.content,
            instance.policy,
            instance.prompt_settings,
            names.aliases,
            background.learnt,
        ),
        now=attempt.now(),
    )
    # Changes accepted in the meantime are written by a separate job.
    changes = [change for change in planned if change.apply_job_id is None]
    await attempt.begin_writing()
    return Report(plan, await apply_changes(attempt, instance, changes))


async def dry_run(attempt: Attempt, instance: Instance, payload: DryRunPayload) -> Report:
    """Analyze one document and plan its changes; write nothing to Paperless."""
    await attempt.require_budget()
    instance = await with_stored_settings(instance, attempt.store)
    instance = instance.with_instructions(payload.instructions, payload.type_instructions)
    document = await _fetch_and_record(attempt, instance)
    names = await instance.catalogue.names_with_aliases()
    analysis, background = await _ask_and_look_up(attempt, instance, document, names)
    plan = await plan_document(
        analysis,
        document,
        names,
        instance,
        store=attempt.store,
        now=attempt.now(),
        background=background,
    )
    await attempt.store.changes.record_dry_run(attempt.job, plan)
    return Report(plan)


async def apply_accepted(attempt: Attempt, instance: Instance, _: EmptyPayload) -> Report:
    """Write the changes that were accepted in review."""
    await attempt.begin_writing()
    await settle_begun_writes(attempt, instance)
    accepted = await attempt.store.changes.list_to_apply(attempt.job)
    settled = await apply_changes(attempt, instance, accepted)
    await learn_from_accepted(attempt.document, settled, attempt.store)
    return Report(changes=settled)


async def undo(attempt: Attempt, instance: Instance, payload: UndoPayload) -> Report:
    """Undo written changes, except where someone changed the value since."""
    await attempt.begin_writing()
    await settle_begun_writes(attempt, instance)
    changes = await attempt.store.changes.list_by_ids(payload.changes)
    undoable = undoable_newest_first(changes)
    if restores_trigger_tag(undoable):
        # Before the write: no scan may mistake the restored tag for a person's request.
        await attempt.store.documents.clear_trigger_removed(attempt.document, now=attempt.now())
    # What the document taught may be wrong; it is read again when Paperless has the former value.
    await attempt.store.learnt.forget(attempt.document.instance, [attempt.document.id])
    undone = await undo_changes(attempt, instance, changes)
    undone_ids = {change.id for change in undone}
    kept = tuple(change for change in undoable if change.id not in undone_ids)
    return Report(changes=undone, kept=kept)


JOB_HANDLERS: JobHandlers = handlers_by_kind(
    JobHandler(ANALYZE, EmptyPayload, analyze),
    JobHandler(DRY_RUN, DryRunPayload, dry_run),
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
    compared_changes = await instance.writer.compare(attempt.document.id, begun)
    now, within = attempt.now(), LATE_WRITE + instance.timeouts.request
    late = [
        compared.change
        for compared in compared_changes
        if not has_taken_effect(compared) and compared.change.may_take_effect_late(now, within)
    ]
    outcomes = [
        outcome_after_write(compared)
        for compared in compared_changes
        if compared.change not in late
    ]
    settled = await attempt.store.changes.settle(attempt.job, outcomes, now=now)
    if late:
        newest = max(begun_at for change in late if (begun_at := change.begun_at))
        raise NotYet(message("Paperless may still carry out an earlier write"), due=newest + within)
    return settled


async def fetch_document(instance: Instance, names: NamesInUse, document_id: int) -> Document:
    """Fetch a document; Paperless does not send the text if it has an excluded tag.

    Raise DocumentExcluded then.
    """
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    if not excluded:
        return await instance.paperless.fetch_document(document_id)
    document = await instance.paperless.fetch_document_unless_tagged(
        document_id, without_tags=excluded
    )
    if document is None:
        # Raises if the document is gone, because then it has no tags at all.
        summary = await instance.paperless.fetch_summary(document_id)
        refuse_excluded(summary.tags, names, instance)
        # The tag was removed between the two requests.
        document = await instance.paperless.fetch_document(document_id)
        refuse_excluded(document.tags, names, instance)
    return document


async def with_stored_settings(instance: Instance, store: Store) -> Instance:
    """Return the instance with its custom fields and with the owner's confirmed names.

    Raise CustomFieldMissing or CustomFieldNotFillable.
    """
    decisions = await store.learnt.list_decisions(instance.name, {FactKind.ADDRESSEE})
    named = instance.with_owner_names(list_confirmed(decisions))
    return await named.with_custom_fields()


async def _require_no_model_hold(attempt: Attempt, instance: Instance) -> None:
    """Raise NotYet if the model is on hold or a limit is reached.

    A job with a begun write is claimed all the same, because settling it needs only Paperless.
    """
    job = attempt.job
    targets = instance.targets.for_model_call(job.kind, job.priority)
    holds = filter_holds(await attempt.store.holds.list_active(), targets)
    if holds:
        raise NotYet(
            message(
                "{target} on hold: {cause}",
                target=holds[0].target,
                cause=holds[0].cause.message,
            )
        )


async def _fetch_and_record(attempt: Attempt, instance: Instance) -> Document:
    """Fetch the document; record its title, its number of pages and a hash of its text."""
    await attempt.set_progress(Stage.FETCH, 10)
    names = await instance.catalogue.names()
    # Raises for missing marks now, before the model is paid and anything is written.
    names.tag_ids.one_per_name(instance.tags.done | instance.tags.remove)
    document = await fetch_document(instance, names, attempt.document.id)
    if document.user_can_change is False:
        # The answer could not be written, so the model is not called.
        raise ReadOnly(message("is not shared for editing with the token's user"))
    await attempt.store.documents.record_fetched(
        attempt.job,
        title=document.title,
        content_hash=content_hash(document.content),
        pages=document.page_count,
        now=attempt.now(),
    )
    return document


async def _ask_and_look_up(
    attempt: Attempt, instance: Instance, document: Document, names: NamesInUse
) -> tuple[Analysis | None, Background]:
    """Ask the model about a document; meanwhile, index it and look up what concerns it."""
    async with run_beside(_index_and_look_up(attempt, instance, document, names)) as looked_up:
        analysis = await DocumentAnalyzer(attempt, instance, document, names).analyze()
        # A stored analysis needs no call.
        attempt.asked.set()
        return analysis, await looked_up


async def _index_and_look_up(
    attempt: Attempt, instance: Instance, document: Document, names: NamesInUse
) -> Background:
    """Return the background of a document, after adding it to the index.

    Without an index, learn from the document instead. Begin when the model is called: before, it
    would delay the call.
    """
    await attempt.asked.wait()
    if instance.is_indexed:
        await _add_to_index(attempt, instance, document)
    else:
        await learn_from_processed(document, attempt.store, instance)
    now = attempt.now()
    return await look_up_background(document, names, attempt.store, instance, now=now)


async def _add_to_index(attempt: Attempt, instance: Instance, document: Document) -> None:
    index = attempt.store.index
    try:
        await index.put(build_archive_document(instance.name, document))
        if instance.name not in await index.list_excluded_tags():
            # The first document: none with an excluded tag can be there.
            await index.set_excluded_tags(instance.name, instance.tags.exclude)
    except StoreUnavailable as error:
        # The job can do without the archive index.
        log.warning("document not indexed", document=str(attempt.document), error=str(error))
