"""The buttons of pages: each performs one action and redirects back to a page."""

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.responses import RedirectResponse, Response

from actions import documents, instances, jobs, search
from actions.jobs import EnqueueResult
from core.archive import IndexChoice
from core.documents import DocumentRef
from dashboard.context import PathId
from dashboard.pages.outcomes import describe_cancelled, describe_restarted
from dashboard.pages.view import ActView, CostlyForm, UpTo, ask_if_costly
from dashboard.rendering import local_path
from i18n import Translator

router = APIRouter(include_in_schema=False)

_HERE = "/activity"

Back = Annotated[str, Form()]


@router.post("/instances/{name}/pause")
async def pause(view: ActView, name: str, back: Back = "") -> RedirectResponse:
    """Pause an instance."""
    action, to = instances.pause(view.caller, name), local_path(back)
    return await view.perform(to, action, "{name} paused.", name=name)


@router.post("/instances/{name}/resume")
async def resume(view: ActView, name: str, back: Back = "") -> RedirectResponse:
    """Resume an instance; if everything is paused, resume everything."""
    action, to = instances.resume_fully(view.caller, name), local_path(back)
    return await view.perform_and_report(
        to, action, lambda translator, result: _describe_resumed(translator, name, result)
    )


@router.post("/instances/{name}/confirm-address")
async def confirm_address(view: ActView, name: str, back: Back = "") -> RedirectResponse:
    """Accept the changed address of an instance."""
    action, to = instances.confirm_address(view.caller, name), local_path(back)
    return await view.perform(to, action, "{name} uses the new address.", name=name)


@router.post("/instances/{name}/index")
async def decide_index(
    view: ActView, name: str, choice: Annotated[IndexChoice, Form()], back: Back = ""
) -> RedirectResponse:
    """Decide whether all documents of an instance are indexed."""
    action, to = search.decide_index(view.caller, name, choice), local_path(back)
    if choice is IndexChoice.ALL:
        return await view.perform(to, action, "All documents of {name} will be indexed.", name=name)
    return await view.perform(
        to, action, "Only processed documents of {name} will be indexed.", name=name
    )


@router.post("/jobs/{job_id}/retry", response_model=None)
async def retry(view: ActView, job_id: PathId, up_to: UpTo = None) -> Response:
    """Retry a job."""
    page = f"/jobs/{job_id}"
    action = jobs.retry_one(view.caller, job_id, up_to=up_to)
    queued = view.perform(page, action, "Job queued again.")
    return await ask_if_costly(view, queued, CostlyForm(f"{page}/retry", "Retry", back=page))


@router.post("/jobs/{job_id}/cancel")
async def cancel(view: ActView, job_id: PathId, back: Back = "") -> RedirectResponse:
    """Cancel a job."""
    action = jobs.cancel(view.caller, job_id)
    to = local_path(back) if back else f"/jobs/{job_id}"
    return await view.perform(to, action, "Job cancelled.")


@router.post("/retry", response_model=None)
async def retry_cause(
    view: ActView,
    cause: Annotated[str, Form()],
    instance: Annotated[str, Form()] = "",
    up_to: UpTo = None,
) -> Response:
    """Retry all jobs that failed for a cause."""

    async def action() -> EnqueueResult:
        ids = await jobs.list_failed(view.caller, instance or None, cause)
        return await jobs.retry(view.caller, ids, up_to=up_to)

    queued = view.perform_and_report(_HERE, action(), describe_restarted)
    fields = {"cause": cause, "instance": instance}
    return await ask_if_costly(view, queued, CostlyForm("/retry", "Retry all", _HERE, fields))


@router.post("/documents/{instance}/{number}/process", response_model=None)
async def process(
    view: ActView, instance: str, number: PathId, back: Back = "", up_to: UpTo = None
) -> Response:
    """Process a document again."""
    ref = view.require_visible(DocumentRef(instance, number))

    async def action() -> None:
        await jobs.require_document(view.caller, ref)
        await jobs.process_again(view.caller, ref, up_to=up_to)

    page = _document_page(ref)
    to = local_path(back) if back else page
    queued = (
        view.perform(to, action(), "{ref} queued.", ref=ref)
        if back
        else view.perform(to, action(), "Document queued.")
    )
    form = CostlyForm(f"{page}/process", "Process again", to, {"back": back})
    return await ask_if_costly(view, queued, form)


@router.post("/documents/{instance}/{number}/ignore")
async def ignore(view: ActView, instance: str, number: PathId, back: Back = "") -> RedirectResponse:
    """Ignore a document."""
    ref = view.require_visible(DocumentRef(instance, number))
    action = documents.ignore(view.caller, ref)
    to = local_path(back) if back else _document_page(ref)
    return await view.perform(to, action, "{ref} is now ignored.", ref=ref)


@router.post("/documents/{instance}/{number}/unignore")
async def unignore(view: ActView, instance: str, number: PathId) -> RedirectResponse:
    """Stop ignoring a document."""
    ref = view.require_visible(DocumentRef(instance, number))
    action = documents.unignore(view.caller, ref)
    return await view.perform(_document_page(ref), action, "{ref} is no longer ignored.", ref=ref)


@router.post("/pause")
async def pause_all(view: ActView, back: Back = _HERE) -> RedirectResponse:
    """Pause everything."""
    action = instances.pause(view.caller, None)
    return await view.perform(local_path(back), action, "Everything is paused.")


@router.post("/resume")
async def resume_all(view: ActView, back: Back = _HERE) -> RedirectResponse:
    """Resume everything; an instance that was paused on its own stays paused."""
    action = instances.resume(view.caller, None)
    return await view.perform(local_path(back), action, "Everything resumed.")


@router.post("/scans/{scan}/cancel")
async def cancel_scan(view: ActView, scan: PathId, back: Back = _HERE) -> RedirectResponse:
    """Stop a scan, and cancel its jobs that are not finished yet."""
    action = jobs.cancel_scan(view.caller, scan)
    return await view.perform_and_report(local_path(back), action, describe_cancelled)


def _document_page(ref: DocumentRef) -> str:
    return f"/documents/{ref.instance}/{ref.id}"


def _describe_resumed(translator: Translator, name: str, result: instances.ResumeResult) -> str:
    if result.is_for_all:
        return translator.text("Everything resumed: all instances were paused.")
    if result.is_all_paused:
        return translator.text(
            "All instances are paused. {name} resumes when you resume all of them.", name=name
        )
    if result.was_paused:
        return translator.text("{name} resumed.", name=name)
    return translator.text("{name} was not paused.", name=name)
