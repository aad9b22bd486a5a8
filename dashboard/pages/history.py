"""`/history` and `/undo`: written and rejected changes, their CSV export, and undoing them."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse, RedirectResponse, StreamingResponse

from actions.documents import get_titles
from actions.history import export_history_csv
from actions.jobs import EnqueueResult
from actions.undo import DocumentUndoPreview, UndoRequest, build_cause, list_written, preview, undo
from core.calendar import FIRST_DAY, LAST_DAY, day_range
from core.changes import UNDOABLE, Change, ChangeState, is_system_actor
from core.documents import DocumentRef
from core.fields import Field, FieldName
from core.text import clean_line
from dashboard.context import Before
from dashboard.errors import BadRequest
from dashboard.pages.view import ActView, ReadView, View
from i18n import Translator
from paperless_client import PaperlessError
from store import DONE_TO_PAPERLESS, DecidedBy, HistoryFilter

router = APIRouter(include_in_schema=False)

_PAGE = 30
_MAX_FOUND = 100
"""Documents whose changes or jobs are listed for a search."""
_MAX_PREVIEWED = 100
"""Maximum number of documents to preview: each needs a request to Paperless."""


class HistoryView(StrEnum):
    """Which part of the history is shown."""

    WRITTEN = "written"
    REJECTED = "rejected"


_STATES = {
    HistoryView.WRITTEN: DONE_TO_PAPERLESS,
    HistoryView.REJECTED: frozenset({ChangeState.REJECTED}),
}
CHANGED_SINCE = "changed"
"""A state of the filter that is none of the store: written, and changed by someone since."""
STATES = (*sorted(DONE_TO_PAPERLESS), CHANGED_SINCE)
"""States by which written changes can be filtered."""


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document and some of its changes, in the order in which they were listed."""

    ref: DocumentRef
    changes: tuple[Change, ...]

    @property
    def by_state(self) -> dict[str, list[Change]]:
        """Return the changes by state; what someone changed since is a state of its own."""
        found: dict[str, list[Change]] = {}
        for change in self.changes:
            state = "changed" if change.is_changed_since else change.state.value
            found.setdefault(state, []).append(change)
        return found

    @property
    def fields(self) -> list[Field]:
        """Return the changed fields, each once."""
        return list(dict.fromkeys(change.field for change in self.changes))

    @property
    def deciders(self) -> list[str]:
        """Return who decided about the changes, each once, persons first."""
        found = dict.fromkeys(change.decided_by for change in self.changes)
        return sorted(found, key=is_system_actor)

    @property
    def can_undo(self) -> bool:
        return any(change.state in UNDOABLE for change in self.changes)


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """The filter in an address; what cannot be parsed is ignored."""

    since: date | None
    until: date | None
    kept: HistoryView
    words: str = ""
    """Of the title, or a number."""
    field: str = ""
    by: DecidedBy | None = None
    state: str = ""
    """One of `STATES`; "" for any."""

    @property
    def parameters(self) -> dict[str, object]:
        """Return the filter as the parameters of an address."""
        return {
            "kept": self.kept.value,
            "since": self.since or "",
            "until": self.until or "",
            "q": self.words,
            "field": self.field,
            "by": self.by.value if self.by else "",
            "state": self.state,
        }

    @property
    def is_narrowed(self) -> bool:
        """Whether more than the days and the kind of the history is chosen."""
        return bool(self.words or self.field or self.by or self.state)

    async def filter(self, view: View) -> HistoryFilter:
        """Build the filter of the store."""
        since, until = day_range(self.since, self.until, view.context.zone)
        return HistoryFilter(
            since=since,
            until=until,
            states=self._states,
            instances=frozenset(view.names),
            documents=await find_documents(view, self.words) if self.words else None,
            field=self.field or None,
            by=self.by,
            only_changed_since=self.state == CHANGED_SINCE,
        )

    @property
    def _states(self) -> frozenset[ChangeState]:
        if self.state == CHANGED_SINCE:
            return frozenset({ChangeState.APPLIED})
        return frozenset({ChangeState(self.state)}) if self.state else _STATES[self.kept]


@dataclass(frozen=True, slots=True)
class UndoForm:
    """Which changes to undo, as an address or a form gives it."""

    change: int | None = None
    scan: int | None = None
    job: int | None = None
    """The analysis of one document."""
    document: str = ""
    since: str = ""
    until: str = ""
    model: str = ""
    prompt: str = ""
    instance: str = ""
    """Limits days, model and prompt to this instance."""

    @classmethod
    def parse(cls, sent: Mapping[str, object]) -> "UndoForm":
        """Parse an address or a form; what is no number is ignored."""
        change, scan, job, *texts = (str(sent.get(name, "")).strip() for name in _UNDO_INPUTS)
        return cls(_parse_number(change), _parse_number(scan), _parse_number(job), *texts)

    @property
    def is_empty(self) -> bool:
        return replace(self, instance="") == UndoForm()


_UNDO_INPUTS = tuple(field.name for field in fields(UndoForm))


async def _parse_query(  # noqa: PLR0913, PLR0917 - one for each parameter
    since: Annotated[str, Query()] = "",
    until: Annotated[str, Query()] = "",
    kept: Annotated[str, Query()] = "",
    q: Annotated[str, Query(max_length=200)] = "",
    field: Annotated[str, Query(max_length=200)] = "",
    by: Annotated[str, Query()] = "",
    state: Annotated[str, Query()] = "",
) -> HistoryQuery:
    which = HistoryView(kept) if kept in set(HistoryView) else HistoryView.WRITTEN
    return HistoryQuery(
        parse_day(since),
        parse_day(until),
        which,
        words=clean_line(q),
        field=field if field in set(FieldName) else "",
        by=DecidedBy(by) if by in set(DecidedBy) else None,
        state=state if state in STATES and which is HistoryView.WRITTEN else "",
    )


HistoryQueryDep = Annotated[HistoryQuery, Depends(_parse_query)]


@router.get("/history")
async def history(view: ReadView, wanted: HistoryQueryDep, before: Before = None) -> HTMLResponse:
    """List written or rejected changes, by document and run."""
    found = replace(await wanted.filter(view), before_id=before)
    changes = await view.context.store.changes.list_history(found, _PAGE + 1)
    shown = whole_runs(changes, _PAGE)
    return await view.page(
        "history.html",
        runs=group_by_run(shown),
        titles=await get_titles(view.context.store, [change.document for change in shown]),
        wanted=wanted,
        query=wanted.parameters | {"instance": view.chosen},
        fields=tuple(FieldName),
        states=STATES,
        may_act=view.may_act,
        next_before=shown[-1].id if len(changes) > _PAGE else None,
        is_first=before is None,
    )


@router.get("/history.csv")
async def download(view: ReadView, wanted: HistoryQueryDep) -> StreamingResponse:
    """Return the filtered history as CSV."""
    lines = export_history_csv(view.caller, await wanted.filter(view))
    name = f"paperclerk-{wanted.kept}-{view.translator.today.isoformat()}.csv"
    return StreamingResponse(
        _with_byte_order_mark(lines),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@router.get("/undo")
async def show_undo(view: ReadView) -> HTMLResponse:
    """Show what an undo would restore, and what it would keep because it was changed since.

    If nothing is chosen, show the choices.
    """
    form = UndoForm.parse(view.request.query_params)
    if form.is_empty:
        return await view.page(
            "undo_which.html",
            ways=await view.context.store.results.list_models_and_prompts(view.names),
        )
    changes = await list_written(view.caller, _build_undo_request(view, form))
    refs = {change.document for change in changes}
    previews: tuple[DocumentUndoPreview, ...] = ()
    trouble = ""
    try:
        previews = await preview(view.caller, changes) if len(refs) <= _MAX_PREVIEWED else ()
    except PaperlessError as error:
        trouble = error.user_message
    return await view.page(
        "undo.html",
        changes=changes,
        documents=len(refs),
        previews=previews,
        back=sum(len(document.preview.back) for document in previews),
        trouble=trouble,
        titles=await get_titles(view.context.store, refs),
        fields={name: value for name, value in asdict(form).items() if value},
    )


@router.post("/undo")
async def start_undo(view: ActView) -> RedirectResponse:
    """Undo the changes."""
    form = UndoForm.parse(await view.request.form())

    async def action() -> EnqueueResult:
        return await undo(
            view.caller, await list_written(view.caller, _build_undo_request(view, form))
        )

    return await view.perform_and_report(_page_after_undo(form), action(), _describe_undo)


def whole_runs(changes: Sequence[Change], most: int) -> Sequence[Change]:
    """Return at most so many changes, without the beginning of a run that goes on after them."""
    shown = list(changes[:most])
    if len(changes) <= most:
        return shown
    cut = (changes[most].document, changes[most].job_id)
    whole = list(shown)
    while whole and (whole[-1].document, whole[-1].job_id) == cut:
        whole.pop()
    return whole or shown


async def find_documents(view: View, words: str) -> frozenset[DocumentRef]:
    """Return the documents with these words in the title, or with this number."""
    found = await view.context.store.documents.find(view.names, words, limit=_MAX_FOUND)
    return frozenset(document.ref for document in found.documents)


def group_by_document(changes: Iterable[Change]) -> list[ChangedDocument]:
    """Group changes by document; the documents are in the order of their first change."""
    found: dict[DocumentRef, list[Change]] = {}
    for change in changes:
        found.setdefault(change.document, []).append(change)
    return [ChangedDocument(ref, tuple(of_it)) for ref, of_it in found.items()]


def group_by_run(changes: Iterable[Change]) -> list[ChangedDocument]:
    """Group changes by document and analysis; the groups are in the order of their first change."""
    found: dict[tuple[DocumentRef, int], list[Change]] = {}
    for change in changes:
        found.setdefault((change.document, change.job_id), []).append(change)
    return [ChangedDocument(ref, tuple(of_it)) for (ref, _), of_it in found.items()]


def parse_day(text: str) -> date | None:
    """Parse a day of a form; anything else is None."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if FIRST_DAY <= day <= LAST_DAY else None


async def _with_byte_order_mark(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield a byte order mark first: Excel does not detect UTF-8 without it."""
    yield "\ufeff"
    async for line in lines:
        yield line


def _page_after_undo(form: UndoForm) -> str:
    """Return the page of the document, if there is only one, or else the history."""
    try:
        ref = DocumentRef.parse(form.document)
    except ValueError:
        return "/history"
    return f"/documents/{ref.instance}/{ref.id}"


def _describe_undo(translator: Translator, result: EnqueueResult) -> str:
    if not result.refused:
        return translator.text("Undo started.")
    return translator.plural(
        "Undo started. {n} document was already queued for it.",
        "Undo started. {n} documents were already queued for it.",
        len(result.refused),
    )


def _parse_number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 18 else None


def _build_undo_request(view: View, form: UndoForm) -> UndoRequest:
    first, last = parse_day(form.since), parse_day(form.until)
    cause = build_cause(
        first,
        last,
        model=form.model or None,
        prompt_version=form.prompt or None,
        zone=view.context.zone,
    )
    if cause is not None and form.instance:
        cause = replace(cause, instance=form.instance)
    try:
        ref = DocumentRef.parse(form.document) if form.document else None
    except ValueError as error:
        raise BadRequest(str(error)) from error
    changes = (form.change,) if form.change is not None else ()
    return UndoRequest(changes, ref, job=form.job, scan=form.scan, cause=cause)
