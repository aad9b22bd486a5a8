"""`/settings/home/edit`: edit a settings file, look at the difference, save it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from actions.dry_runs import Instructions, Trial, find_last_document, load_trial, start_trial
from actions.errors import ConsentRequired, InvalidRequest
from actions.settings import CannotSave, OpenFile, Proposal, open_file, propose, save
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.messages import Message, message
from core.settings import ConfigError, SettingError
from core.settings.edit import CannotEdit, Edits
from core.settings.files import FileChanged
from core.settings.instance import DAEMON
from core.workers import WorkerStatus
from dashboard.connection_tests import PATIENCE
from dashboard.context import MAX_ID
from dashboard.errors import PageNotFound
from dashboard.pages.settings import list_workers_for
from dashboard.pages.settings_form import (
    CHOICES,
    FormValues,
    build_sections,
    dump_values,
    find_changes_meanwhile,
    find_edits,
    load_values,
    read_form,
    saved_values,
)
from dashboard.pages.view import BrowserAdminView, CostlyForm, View, ask_if_costly
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)

_INVALID, _CONFLICT = 422, 409


@dataclass(frozen=True, slots=True)
class SentForm:
    """A form as it was sent."""

    step: str
    """The button: "" for the difference, `save`, `edit` to go on editing, `try` or `show`."""
    values: FormValues
    before: FormValues
    """The values that the form contained when it was opened."""
    hash: str
    """Of the file that was opened."""
    document: int | None = None
    """On which instructions are tried."""
    trial: int = 0
    """The job that tries them."""
    up_to: Decimal | None = None
    """The cost that the person has confirmed."""


@dataclass(frozen=True, slots=True)
class FormNotes:
    """What the form says above its controls, and beside them."""

    errors: tuple[SettingError, ...] = ()
    changed_meanwhile: list[tuple[str, str, str]] | None = None
    """Settings with former and present value; None if the file is as it was opened."""
    is_unchanged: bool = False
    by_setting: Mapping[str, tuple[Message, ...]] = field(default_factory=dict)
    document: str = ""
    """On which instructions were tried; "" for the one that was analyzed last."""
    trial: Trial | None = None
    trial_error: PaperclerkError | PaperlessError | None = None


@router.get("/settings/{stem}/edit")
async def edit(view: BrowserAdminView, stem: str) -> HTMLResponse:
    """Show the form with the values of the file."""
    try:
        file = await _open(view, stem)
    except ConfigError as error:
        return await _broken_file(view, stem, error)
    return await _form(view, file, saved_values(file))


@router.post("/settings/{stem}/edit", response_model=None)
async def send(view: BrowserAdminView, stem: str) -> Response:
    """Check the form; show the difference, or save it."""
    try:
        file = await _open(view, stem)
    except ConfigError as error:
        return await _broken_file(view, stem, error)
    sent = _read(await view.request.form(), file)
    edits = find_edits(sent.values, sent.before, file)
    if sent.hash != file.hash:
        notes = FormNotes(changed_meanwhile=find_changes_meanwhile(sent.before, file))
        edited = {".".join(path): sent.values[".".join(path)] for path in edits}
        return await _form(view, file, saved_values(file) | edited, notes, status=_CONFLICT)
    if sent.step in {"try", "show"}:
        return await _ask_for_trial(view, file, sent)
    if sent.step == "edit" or not edits:
        notes = FormNotes(is_unchanged=sent.step != "edit")
        return await _form(view, file, sent.values, notes)
    return await _check(view, file, edits, sent)


async def _check(view: View, file: OpenFile, edits: Edits, sent: SentForm) -> Response:
    try:
        proposal = propose(file, edits)
    except ConfigError as error:
        return await _form(view, file, sent.values, _notes_of(error), status=_INVALID)
    except CannotEdit as error:
        return view.redirect_with_error("/settings", error)
    if sent.step == "save":
        return await _save(view, proposal, sent)
    return await _difference(view, proposal, sent)


async def _save(view: View, proposal: Proposal, sent: SentForm) -> Response:
    try:
        await save(proposal, expected=sent.hash, by=view.person.name)
    except FileChanged:
        # Between reading and writing; the next request shows what has changed.
        return view.redirect_with_error(f"/settings/{proposal.file.stem}/edit", FileChanged(""))
    except CannotSave as error:
        return await _difference(view, proposal, sent, error, status=_CONFLICT)
    if view.context.reload is not None:
        await view.context.reload()
    return view.redirect_with_message(
        "/settings",
        "{file} saved. The previous version is {former}.",
        file=proposal.file.name,
        former=f"{proposal.file.name}.before",
    )


async def _difference(
    view: View,
    proposal: Proposal,
    sent: SentForm,
    trouble: CannotSave | None = None,
    *,
    status: int = 200,
) -> HTMLResponse:
    return await view.page(
        "settings_diff.html",
        status=status,
        file=proposal.file,
        diff=proposal.diff,
        lines_to_paste=proposal.lines_to_paste if trouble else "",
        trouble=trouble,
        edited=dump_values(sent.values),
        before=dump_values(sent.before),
        other_workers=await _list_other_workers(view),
    )


async def _ask_for_trial(view: View, file: OpenFile, sent: SentForm) -> Response:
    """Try instructions; a cost above `limits.consent_above` must be confirmed first."""
    path = f"/settings/{file.stem}/edit"
    fields = {
        "step": sent.step,
        "hash": sent.hash,
        "before": dump_values(sent.before),
        "edited": dump_values(sent.values),
        "document": str(sent.document or ""),
    }
    return await ask_if_costly(
        view, _try(view, file, sent), CostlyForm(path, "Try it", path, fields)
    )


async def _try(view: View, file: OpenFile, sent: SentForm) -> Response:
    """Try the instructions in the form on a document, or show how far that has come."""
    try:
        number = sent.trial if sent.step == "show" else await _start_trial(view, file, sent)
        trial = await load_trial(view.caller, int(number), patience=PATIENCE)
    except ConsentRequired:
        raise
    except (PaperclerkError, PaperlessError) as error:
        notes = FormNotes(document=str(sent.document or ""), trial_error=error)
        return await _form(view, file, sent.values, notes, status=_INVALID)
    notes = FormNotes(document=str(trial.job.document.id), trial=trial)
    return await _form(view, file, sent.values, notes)


async def _start_trial(view: View, file: OpenFile, sent: SentForm) -> int:
    values = saved_values(file) | sent.values
    general, by_type = values["ai.instructions"], values["ai.type_instructions"]
    tried = Instructions(str(general), by_type if isinstance(by_type, dict) else {})
    if sent.document is None:
        raise InvalidRequest(message("enter the number of a document"))
    document = DocumentRef(file.stem, sent.document)
    job = await start_trial(view.caller, document, tried, up_to=sent.up_to)
    view.context.wake()
    return job.id


async def _form(
    view: View,
    file: OpenFile,
    values: FormValues,
    notes: FormNotes | None = None,
    *,
    status: int = 200,
) -> HTMLResponse:
    notes = notes or FormNotes()
    return await view.page(
        "settings_edit.html",
        status=status,
        file=file,
        sections=build_sections(file, values, notes.by_setting),
        before=dump_values(saved_values(file)),
        notes=notes,
        choices=CHOICES,
        document=notes.document or await _find_document(view, file),
        other_workers=await _list_other_workers(view),
    )


async def _find_document(view: View, file: OpenFile) -> str:
    """Return the number of the document on which instructions are tried unless one is chosen."""
    return str(await find_last_document(view.caller, file.stem) or "")


async def _broken_file(view: View, stem: str, error: ConfigError) -> HTMLResponse:
    return await view.page("settings_broken.html", status=_CONFLICT, stem=stem, errors=error.errors)


async def _open(view: View, stem: str) -> OpenFile:
    """Open a file of an instance, or daemon.toml; raise PageNotFound or ConfigError."""
    if stem not in {DAEMON, *view.all_names}:
        raise PageNotFound(f"there is no {stem}.toml")
    return await open_file(stem, view.context.settings.folder, view.context.environ)


def _read(form: FormData, file: OpenFile) -> SentForm:
    edited = str(form.get("edited", ""))
    return SentForm(
        step=str(form.get("step", "")),
        values=load_values(edited, file) if edited else read_form(form, file),
        before=load_values(str(form.get("before", "")), file),
        hash=str(form.get("hash", "")),
        document=_parse_number(form, "document"),
        trial=_parse_number(form, "trial") or 0,
        up_to=_parse_amount(form, "up_to"),
    )


def _parse_number(form: FormData, name: str) -> int | None:
    """Return a number of the form; None if it is missing or none that a document can have."""
    text = str(form.get(name, "")).strip()
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 17 else 0
    return number if 1 <= number <= MAX_ID else None


def _parse_amount(form: FormData, name: str) -> Decimal | None:
    try:
        return Decimal(str(form.get(name, "")))
    except InvalidOperation:
        return None


def _notes_of(error: ConfigError) -> FormNotes:
    """Return the errors of settings in the form beside them, and all others above."""
    by_setting: dict[str, tuple[Message, ...]] = {}
    for found in error.errors:
        by_setting[found.path] = (*by_setting.get(found.path, ()), found.message)
    return FormNotes(errors=error.errors, by_setting=by_setting)


async def _list_other_workers(view: View) -> tuple[WorkerStatus, ...]:
    """List the workers: they may have settings files of their own."""
    return tuple(
        status for status in await list_workers_for(view) if status.worker.role == "worker"
    )
