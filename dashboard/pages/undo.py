"""`/undo`: the preview of an undo, and the undo itself."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from fastapi import APIRouter
from starlette.responses import HTMLResponse, RedirectResponse

from actions.documents import get_titles
from actions.jobs import EnqueueResult
from actions.undo import (
    DocumentUndoPreview,
    UndoRequest,
    build_cause,
    list_written,
    preview,
    undo,
)
from core.documents import DocumentRef
from dashboard.errors import BadRequest
from dashboard.pages.history import parse_day
from dashboard.pages.view import ActView, ReadView, View
from i18n import Translator
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)

_MOST = 100
"""Maximum number of documents to preview: each needs a request to Paperless."""


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
        change, scan, job, *texts = (str(sent.get(name, "")).strip() for name in _NAMES)
        return cls(_parse_number(change), _parse_number(scan), _parse_number(job), *texts)

    @property
    def is_empty(self) -> bool:
        return replace(self, instance="") == UndoForm()


_NAMES = tuple(field.name for field in fields(UndoForm))


@router.get("/undo")
async def ask(view: ReadView) -> HTMLResponse:
    """Show what an undo would restore, and what it would keep because it was changed since.

    If nothing is chosen, show the choices.
    """
    form = UndoForm.parse(view.request.query_params)
    if form.is_empty:
        return await view.page(
            "undo_which.html",
            ways=await view.context.store.results.list_models_and_prompts(view.names),
        )
    changes = await list_written(view.caller, _build_request(view, form))
    refs = {change.document for change in changes}
    previews: tuple[DocumentUndoPreview, ...] = ()
    trouble = ""
    try:
        previews = await preview(view.caller, changes) if len(refs) <= _MOST else ()
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
async def undo_changes(view: ActView) -> RedirectResponse:
    """Undo the changes."""
    form = UndoForm.parse(await view.request.form())

    async def action() -> EnqueueResult:
        return await undo(view.caller, await list_written(view.caller, _build_request(view, form)))

    return await view.perform_and_report(_next_page(form), action(), _describe_result)


def _next_page(form: UndoForm) -> str:
    """Return the page of the document, if there is only one, or else the history."""
    try:
        ref = DocumentRef.parse(form.document)
    except ValueError:
        return "/history"
    return f"/documents/{ref.instance}/{ref.id}"


def _describe_result(translator: Translator, result: EnqueueResult) -> str:
    if not result.refused:
        return translator.text("Undo started.")
    return translator.plural(
        "Undo started. {n} document was already queued for it.",
        "Undo started. {n} documents were already queued for it.",
        len(result.refused),
    )


def _parse_number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 18 else None


def _build_request(view: View, form: UndoForm) -> UndoRequest:
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
