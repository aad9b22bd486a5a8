"""What the buttons do: one shared action each, then back to a page that says so."""

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.responses import RedirectResponse

from actions import documents, instances, jobs, scans
from actions.jobs import EnqueueResult
from core.documents import DocumentRef
from dashboard.auth.csrf import local_path
from dashboard.context import PathId
from dashboard.pages.outcomes import describe_cancelled, describe_restarted
from dashboard.pages.view import ActView
from i18n import Translator

router = APIRouter(include_in_schema=False)

Back = Annotated[str, Form()]


@router.post("/instances/{name}/scan")
async def scan(view: ActView, name: str) -> RedirectResponse:
    """Ask for a scan."""
    deed = scans.request_scan(view.caller, name)
    return await view.perform("/", deed, "Scan of {name} requested.", name=name)


@router.post("/instances/{name}/pause")
async def pause(view: ActView, name: str, back: Back = "") -> RedirectResponse:
    """Let an instance rest."""
    deed, to = instances.pause(view.caller, name), local_path(back)
    return await view.perform(to, deed, "{name} paused.", name=name)


@router.post("/instances/{name}/resume")
async def resume(view: ActView, name: str, back: Back = "") -> RedirectResponse:
    """Let an instance go on; also if everything rests, for the button stands there, too."""
    deed, to = instances.resume_fully(view.caller, name), local_path(back)
    return await view.perform_and_report(
        to, deed, lambda translator, done: _resumed(translator, name, done)
    )


@router.post("/jobs/{job_id}/retry")
async def retry(view: ActView, job_id: PathId) -> RedirectResponse:
    """Start a job again."""
    deed = jobs.retry_one(view.caller, job_id)
    return await view.perform(f"/jobs/{job_id}", deed, "Job queued again.")


@router.post("/jobs/{job_id}/cancel")
async def cancel(view: ActView, job_id: PathId, back: Back = "") -> RedirectResponse:
    """Cancel a job."""
    deed = jobs.cancel(view.caller, job_id)
    to = local_path(back) if back else f"/jobs/{job_id}"
    return await view.perform(to, deed, "Job cancelled.")


@router.post("/retry")
async def retry_cause(
    view: ActView, cause: Annotated[str, Form()], instance: Annotated[str, Form()] = ""
) -> RedirectResponse:
    """Start all jobs again that failed for a cause."""

    async def deed() -> EnqueueResult:
        ids = await jobs.list_failed(view.caller, instance or None, cause)
        return await jobs.retry(view.caller, ids)

    return await view.perform_and_report("/activity", deed(), describe_restarted)


@router.post("/documents/{instance}/{number}/process")
async def process(
    view: ActView, instance: str, number: PathId, back: Back = ""
) -> RedirectResponse:
    """Have a document analysed again."""
    ref = view.require_visible(DocumentRef(instance, number))

    async def deed() -> None:
        await jobs.require_document(view.caller, ref)
        await jobs.process_again(view.caller, ref)

    if back:
        return await view.perform(local_path(back), deed(), "{ref} queued.", ref=ref)
    return await view.perform(_page(ref), deed(), "Document queued.")


@router.post("/documents/{instance}/{number}/ignore")
async def ignore(view: ActView, instance: str, number: PathId, back: Back = "") -> RedirectResponse:
    """Leave a document alone."""
    ref = view.require_visible(DocumentRef(instance, number))
    deed = documents.ignore(view.caller, ref)
    to = local_path(back) if back else _page(ref)
    return await view.perform(to, deed, "{ref} is now ignored.", ref=ref)


@router.post("/documents/{instance}/{number}/unignore")
async def unignore(view: ActView, instance: str, number: PathId) -> RedirectResponse:
    """Take that back."""
    ref = view.require_visible(DocumentRef(instance, number))
    deed = documents.unignore(view.caller, ref)
    return await view.perform(_page(ref), deed, "{ref} is no longer ignored.", ref=ref)


def _resumed(translator: Translator, name: str, done: instances.ResumeResult) -> str:
    if done.is_for_all:
        return translator.text("Everything resumed: all instances were paused.")
    if done.is_all_paused:
        return translator.text("All instances are paused. {name} resumes with them.", name=name)
    if done.was_paused:
        return translator.text("{name} resumed.", name=name)
    return translator.text("{name} was not paused.", name=name)


def _page(ref: DocumentRef) -> str:
    return f"/documents/{ref.instance}/{ref.id}"


_HERE = "/activity"


@router.post("/pause")
async def pause_all(view: ActView, back: Back = _HERE) -> RedirectResponse:
    """Let everything rest."""
    deed = instances.pause(view.caller, None)
    return await view.perform(local_path(back), deed, "Everything is paused.")


@router.post("/resume")
async def resume_all(view: ActView, back: Back = _HERE) -> RedirectResponse:
    """Let everything go on; an instance that was paused by itself still rests."""
    deed = instances.resume(view.caller, None)
    return await view.perform(local_path(back), deed, "Everything resumed.")


@router.post("/scans/{scan}/cancel")
async def cancel_scan(view: ActView, scan: PathId, back: Back = _HERE) -> RedirectResponse:
    """Cancel the jobs of a scan that are not finished yet."""
    deed = jobs.cancel_scan(view.caller, scan)
    return await view.perform_and_report(local_path(back), deed, describe_cancelled)
