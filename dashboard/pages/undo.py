"""`/undo`: what taking changes back would do, and having it done."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from fastapi import APIRouter
from starlette.responses import HTMLResponse, RedirectResponse

from actions.documents import get_titles
from actions.jobs import EnqueueResult
from actions.undo import DocumentUndoPreview, UndoRequest, build_cause, list_written, preview, undo
from core.documents import DocumentRef
from dashboard.errors import BadRequest
from dashboard.pages.history import parse_day
from dashboard.pages.view import ActView, ReadView, View
from i18n import Translator
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)

_MOST = 100
"""Of more documents at once, only the number is told: each is asked about in Paperless."""


@dataclass(frozen=True, slots=True)
class UndoForm:
    """What is to be taken back, as an address or a form says it."""

    change: int | None = None
    scan: int | None = None
    document: str = ""
    since: str = ""
    until: str = ""
    model: str = ""
    prompt: str = ""
    instance: str = ""
    """Of days, model and prompt, only what belongs to this one."""

    @classmethod
    def parse(cls, said: Mapping[str, object]) -> "UndoForm":
        """Read what was sent; what is no number is none."""
        change, scan, *texts = (str(said.get(name, "")).strip() for name in _NAMES)
        return cls(_number(change), _number(scan), *texts)

    @property
    def says_nothing(self) -> bool:
        return replace(self, instance="") == UndoForm()


_NAMES = tuple(one.name for one in fields(UndoForm))


@router.get("/undo")
async def ask(view: ReadView) -> HTMLResponse:
    """Say what would go back, and what would be kept because someone changed it since.

    Without a word about what is meant, ask for one.
    """
    meant = UndoForm.parse(view.request.query_params)
    if meant.says_nothing:
        return await view.page(
            "undo_which.html",
            ways=await view.context.store.results.list_models_and_prompts(view.names),
        )
    changes = await list_written(view.caller, _request(view, meant))
    refs = {one.document for one in changes}
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
        back=sum(len(one.preview.back) for one in previews),
        trouble=trouble,
        titles=await get_titles(view.context.store, refs),
        fields={name: value for name, value in asdict(meant).items() if value},
    )


@router.post("/undo")
async def take_back(view: ActView) -> RedirectResponse:
    """Have it taken back."""
    meant = UndoForm.parse(await view.request.form())

    async def deed() -> EnqueueResult:
        return await undo(view.caller, await list_written(view.caller, _request(view, meant)))

    return await view.perform_and_report("/history", deed(), _describe_result)


def _describe_result(translator: Translator, done: EnqueueResult) -> str:
    if not done.refused:
        return translator.text("Undo started.")
    return translator.plural(
        "Undo started. {n} document was already queued for it.",
        "Undo started. {n} documents were already queued for it.",
        len(done.refused),
    )


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 18 else None


def _request(view: View, meant: UndoForm) -> UndoRequest:
    first, last = parse_day(meant.since), parse_day(meant.until)
    cause = build_cause(
        first,
        last,
        model=meant.model or None,
        prompt_version=meant.prompt or None,
        zone=view.context.zone,
    )
    if cause is not None and meant.instance:
        cause = replace(cause, instance=meant.instance)
    try:
        ref = DocumentRef.parse(meant.document) if meant.document else None
    except ValueError as error:
        raise BadRequest(str(error)) from error
    changes = (meant.change,) if meant.change is not None else ()
    return UndoRequest(changes, ref, scan=meant.scan, cause=cause)
