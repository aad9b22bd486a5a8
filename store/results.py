"""Results: stored analyses, and the model's raw responses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy import (
    Connection,
    Index,
    RowMapping,
    Select,
    bindparam,
    func,
    insert,
    select,
    update,
)
from sqlmodel import Field, SQLModel

from core.analysis import Analysis, Chunk, ModelAndPrompt, RawResponse, Result, ResultKind
from core.changes import VANISHED, Suggestion
from core.documents import DocumentRef
from core.fields import field_from_text
from core.jobs import DRY_RUN, EventName, Job, Priority
from store.changes.reads import is_of_document
from store.columns import BigId, CleanText
from store.database import Database
from store.errors import ClaimLost, ResultDeleted, ResultNotFound
from store.queue import events
from store.queue.claims import require_claim
from store.rows import GONE, Values, call_of, read_or_warn
from store.tables import FINAL, changes, deleted_results, jobs, model_calls, results, table_of

MAX_RESPONSE_BYTES = 64 * 1024
"""Maximum number of bytes of a raw response; a typical one has about 2,000."""

SCHEMA_VERSION = 1
"""Version of the structure of `suggestions`."""
_MAX_COMBINATIONS = 50

_FINALS = (
    select(results.c.id)
    .where(
        results.c.instance == bindparam("of_instance"),
        results.c.document_id == bindparam("of_document"),
        results.c.kind == FINAL,
    )
    .order_by(results.c.id.desc())
)
_NEWEST_NUMBER = select(func.max(results.c.number)).where(results.c.job_id == bindparam("of_job"))
_INSERT = insert(results).returning(results)


class AnswerRow(SQLModel, table=True):
    """The raw response of one call, in its own table: costs are summed over narrow rows."""

    __tablename__ = "answers"
    __table_args__ = (Index("ix_answers_job", "job_id"),)

    call_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    job_id: int = Field(sa_type=BigId, foreign_key="jobs.id", ondelete="CASCADE")
    text: str = Field(sa_type=CleanText)


answers = table_of(AnswerRow)


class Results:
    """Stored analyses. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        read = database.as_read
        self.list_for_job = read(list_for_job)
        self.find_reusable = read(find_reusable)
        self.has_reusable = read(has_reusable)
        self.list_models_and_prompts = read(list_models_and_prompts)
        self.get_final = read(get_final)
        self.get_latest = read(get_latest)
        self.get = read(get)

    async def save(self, job: Job, analysis: Analysis, *, now: datetime) -> Result:
        """Store the job's final result, only once for the same text, prompt and model.

        If text, prompt or model changed between two attempts, the earlier result stays readable
        as a partial one. Raise ClaimLost if the claim was lost. The analysis is stored even then:
        it is paid for, and the next attempt continues from it.
        """
        return _require_saved(job, await self._write(_save, job, analysis, now))

    async def save_chunk(self, job: Job, analysis: Analysis, *, now: datetime) -> Result:
        """Store the analysis of a chunk as a partial result, once. Raise ClaimLost like `save`."""
        return _require_saved(job, await self._write(_save_chunk, job, analysis, now))

    async def list_chunks(
        self, job: Job, *, prompt_version: str, model: str
    ) -> tuple[Analysis, ...]:
        """Return the analyses of the job's chunks with this prompt version and model."""
        found = await self.list_for_job(job.id)
        return tuple(
            result.analysis
            for result in found
            if result.analysis.part
            and result.analysis.prompt_version == prompt_version
            and result.analysis.model == model
        )


@dataclass(frozen=True, slots=True)
class _SavedResult:
    """A stored result."""

    result: Result | None
    """None if the job no longer exists."""
    is_ours: bool
    """False if the claim was lost and another worker may have the job."""


def save_raw_response(connection: Connection, call_id: int, job_id: int, text: str) -> None:
    """Store a raw response with its call, in the transaction that completes the call."""
    saved = text.encode(errors="replace")[:MAX_RESPONSE_BYTES].decode(errors="ignore")
    connection.execute(insert(answers), {"call_id": call_id, "job_id": job_id, "text": saved})


def list_raw_responses(connection: Connection, job_id: int) -> tuple[RawResponse, ...]:
    """List the stored raw responses of a job, oldest first."""
    together = select(model_calls, answers.c.text).join(
        answers, answers.c.call_id == model_calls.c.id
    )
    found = together.where(answers.c.job_id == job_id).order_by(answers.c.call_id)
    rows = connection.execute(found).mappings()
    return tuple(RawResponse(call_of(row), row["text"], _is_cut(row["text"])) for row in rows)


def find_reusable(
    connection: Connection, job: Job, *, content_hash: str, prompt_version: str, model: str
) -> Analysis | None:
    """Return the document's newest analysis if it is still valid and this job may use it.

    It may be used if this job or a dry run made it, or if the document was restored from the
    trash. Otherwise an earlier full analysis is not used, because someone asked to analyse the
    document again. A result that can no longer be parsed is not used either.
    """
    newest = _find_newest_usable(connection, job)
    if newest is None or _identity(newest.analysis) != (content_hash, prompt_version, model):
        return None
    return newest.analysis


def has_reusable(connection: Connection, job: Job) -> bool:
    """Return whether this job may use a stored analysis if text and prompt match."""
    return _find_newest_usable(connection, job) is not None


def list_models_and_prompts(
    connection: Connection, instances: Sequence[str]
) -> tuple[ModelAndPrompt, ...]:
    """List the models and prompt versions of the results, the latest first."""
    combination = (results.c.model, results.c.prompt_version)
    last = func.max(results.c.created_at)
    found = (
        select(*combination, last).where(results.c.instance.in_(instances)).group_by(*combination)
    )
    rows = connection.execute(found.order_by(last.desc()).limit(_MAX_COMBINATIONS)).all()
    return tuple(ModelAndPrompt(*row) for row in rows)


def get_final(connection: Connection, job_id: int) -> Result | None:
    """Return the final result of a job; None if it has none."""
    final = select(results).where(results.c.job_id == job_id, results.c.kind == FINAL)
    row = connection.execute(final).mappings().first()
    return None if row is None else _result_of(row)


def list_for_job(connection: Connection, job_id: int) -> tuple[Result, ...]:
    """List the job's results, partial ones and the final one, oldest first."""
    of_job = select(results).where(results.c.job_id == job_id).order_by(results.c.number)
    found = connection.execute(of_job).mappings().all()
    read = (read_or_warn(partial(_result_of, row), result=row["id"]) for row in found)
    return tuple(result for result in read if result is not None)


def get_latest(connection: Connection, job_id: int) -> Result | None:
    """Return the newest result of a job, final or partial; None if it has none."""
    of_job = select(results).where(results.c.job_id == job_id)
    newest = of_job.order_by(results.c.number.desc()).limit(1)
    row = connection.execute(newest).mappings().first()
    return None if row is None else _result_of(row)


def get(connection: Connection, result_id: int) -> Result:
    """Return the result, or raise ResultNotFound; ResultDeleted if retention deleted it."""
    row = connection.execute(select(results).where(results.c.id == result_id)).mappings().first()
    if row is None:
        deleted = select(deleted_results).where(deleted_results.c.result_id == result_id)
        former = connection.execute(deleted).mappings().first()
        if former is None:
            raise ResultNotFound(result_id)
        raise ResultDeleted(result_id, former["instance"], former["deleted_at"])
    return _result_of(row)


def _is_cut(text: str) -> bool:
    # A character that did not fit takes up to three bytes.
    return len(text.encode()) > MAX_RESPONSE_BYTES - 4


def _require_saved(job: Job, saved: _SavedResult) -> Result:
    """Return the result; raise ClaimLost, after the commit, if the caller lost the job."""
    if saved.result is None or not saved.is_ours:
        raise ClaimLost(job.id, claim=job.claim)
    return saved.result


def _is_ours(connection: Connection, job: Job) -> bool:
    try:
        require_claim(connection, job)
    except ClaimLost:
        return False
    return True


def _save(connection: Connection, job: Job, analysis: Analysis, now: datetime) -> _SavedResult:
    is_ours = _is_ours(connection, job)
    if _read_job_kind(connection, job.id) is None:
        return _SavedResult(None, is_ours)
    of_document = tuple(_read_finals(connection, job.document))
    readable = [result for result in of_document if result is not None]
    stored = next((result for result in readable if result.job_id == job.id), None)
    if stored is not None and _identity(stored.analysis) == _identity(analysis):
        return _SavedResult(stored, is_ours)
    if of_document and is_ours:
        # The previous final result stays readable.
        former = update(results).where(results.c.job_id == job.id, results.c.kind == FINAL)
        connection.execute(former.values(kind=ResultKind.PARTIAL.value))
    source = next((result.id for result in readable if result.analysis == analysis), None)
    # The result of the worker that holds the job stays the final one.
    is_final = is_ours or get_final(connection, job.id) is None
    row = _result_row(job, analysis, now) | {
        "kind": (ResultKind.FINAL if is_final else ResultKind.PARTIAL).value,
        "number": _next_number(connection, job),
        "reused_from": source,
    }
    result = _insert(connection, row)
    facts = {"result": result.id, "suggestions": len(analysis.suggestions), "reused_from": source}
    events.append(connection, job, EventName.RESULT_STORED, at=now, model=analysis.model, **facts)
    return _SavedResult(result, is_ours)


def _save_chunk(
    connection: Connection, job: Job, analysis: Analysis, now: datetime
) -> _SavedResult:
    is_ours = _is_ours(connection, job)
    if _read_job_kind(connection, job.id) is None:
        return _SavedResult(None, is_ours)
    stored = connection.execute(_select_same_chunk(job, analysis)).mappings().first()
    if stored is not None:
        return _SavedResult(_result_of(stored), is_ours)
    row = _result_row(job, analysis, now) | {
        "kind": ResultKind.PARTIAL.value,
        "number": _next_number(connection, job),
    }
    result = _insert(connection, row)
    facts = {
        "result": result.id,
        "suggestions": len(analysis.suggestions),
        **_chunk_columns(analysis),
    }
    events.append(connection, job, EventName.RESULT_STORED, at=now, model=analysis.model, **facts)
    return _SavedResult(result, is_ours)


def _select_same_chunk(job: Job, analysis: Analysis) -> Select[*tuple[object, ...]]:
    asked = {
        "job_id": job.id,
        "content_hash": analysis.content_hash,
        "prompt_version": analysis.prompt_version,
        "model": analysis.model,
        **_chunk_columns(analysis),
    }
    return select(results).where(*(results.c[name] == value for name, value in asked.items()))


def _chunk_columns(analysis: Analysis) -> Values:
    part = analysis.part
    return {"part": part and part.number, "parts": part and part.of}


def _find_newest_usable(connection: Connection, job: Job) -> Result | None:
    """Return the document's newest result if this job may use it."""
    newest = next(_read_finals(connection, job.document), None)
    if newest is None:
        return None
    ours = newest.job_id == job.id or _read_job_kind(connection, newest.job_id) == DRY_RUN
    return newest if ours or _was_gone_since(connection, job, newest) else None


def _was_gone_since(connection: Connection, job: Job, result: Result) -> bool:
    """Return whether a scan found the document again after it had been in the trash.

    In that case nobody asked for a new analysis, and none is paid for.
    """
    if job.priority == Priority.BY_HAND:
        return False
    ended = select(jobs.c.id).where(
        jobs.c.instance == job.document.instance,
        jobs.c.document_id == job.document.id,
        jobs.c.cancel_code == GONE,
        jobs.c.finished_at >= result.created_at,
    )
    withdrawn = select(changes.c.id).where(
        is_of_document(job.document),
        changes.c.decided_by == VANISHED,
        changes.c.settled_at >= result.created_at,
    )
    return any(connection.execute(query.limit(1)).first() for query in (ended, withdrawn))


def _identity(analysis: Analysis) -> tuple[str, str, str]:
    return (analysis.content_hash, analysis.prompt_version, analysis.model)


def _read_finals(connection: Connection, ref: DocumentRef) -> Iterator[Result | None]:
    """Yield a document's final results, newest first; None for an unreadable one."""
    of_document = {"of_instance": ref.instance, "of_document": ref.id}
    for number in connection.scalars(_FINALS, of_document).all():
        yield read_or_warn(partial(get, connection, number), result=number)


def _read_job_kind(connection: Connection, job_id: int) -> str | None:
    return connection.scalar(select(jobs.c.kind).where(jobs.c.id == job_id))


def _next_number(connection: Connection, job: Job) -> int:
    return (connection.scalar(_NEWEST_NUMBER, {"of_job": job.id}) or 0) + 1


def _result_row(job: Job, analysis: Analysis, now: datetime) -> Values:
    return {
        "job_id": job.id,
        "kind": ResultKind.FINAL.value,
        "instance": job.document.instance,
        "document_id": job.document.id,
        "content_hash": analysis.content_hash,
        "prompt_version": analysis.prompt_version,
        "model": analysis.model,
        "tokens_in": analysis.tokens_in,
        "tokens_out": analysis.tokens_out,
        "schema_version": SCHEMA_VERSION,
        "suggestions": [_suggestion_row(suggestion) for suggestion in analysis.suggestions],
        "examples": list(analysis.examples),
        "unread": analysis.unread,
        **_chunk_columns(analysis),
        "created_at": now,
    }


def _insert(connection: Connection, row: Values) -> Result:
    return _result_of(connection.execute(_INSERT, row).mappings().one())


def _result_of(row: RowMapping) -> Result:
    return Result(
        id=row["id"],
        job_id=row["job_id"],
        number=row["number"],
        kind=ResultKind(row["kind"]),
        schema_version=row["schema_version"],
        analysis=Analysis(
            suggestions=_suggestions_of(row["suggestions"]),
            model=row["model"],
            prompt_version=row["prompt_version"],
            content_hash=row["content_hash"],
            tokens_in=row["tokens_in"],
            tokens_out=row["tokens_out"],
            examples=tuple(row["examples"]),
            part=None if row["part"] is None else Chunk(row["part"], row["parts"]),
            unread=row["unread"],
        ),
        created_at=row["created_at"],
    )


def _suggestion_row(suggestion: Suggestion) -> Values:
    return {
        "field": str(suggestion.field),
        "value": suggestion.value,
        "evidence": suggestion.evidence,
        "confidence": suggestion.confidence,
    }


def _suggestions_of(items: object) -> tuple[Suggestion, ...]:
    if not isinstance(items, list):
        raise TypeError("suggestions are stored as a list")
    return tuple(_suggestion_of(item) for item in items)


def _suggestion_of(item: Mapping[str, str | float]) -> Suggestion:
    return Suggestion(
        field=field_from_text(str(item["field"])),
        value=str(item["value"]),
        evidence=str(item["evidence"]),
        confidence=float(item["confidence"]),
    )
