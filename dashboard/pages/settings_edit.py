"""`/settings/home/edit`: edit a settings file, look at the difference, save it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from actions.settings import CannotSave, OpenFile, Proposal, open_file, propose, save
from core.messages import Message
from core.settings import ConfigError, SettingError
from core.settings.edit import CannotEdit, Edits
from core.settings.instance import DAEMON
from core.settings.save import FileChanged
from core.workers import WorkerStatus
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
from dashboard.pages.view import BrowserAdminView, View

router = APIRouter(include_in_schema=False)

_INVALID, _CONFLICT = 422, 409


@dataclass(frozen=True, slots=True)
class SentForm:
    """A form as it was sent."""

    step: str
    """The button: "" for the difference, `save`, or `edit` to go on editing."""
    values: FormValues
    before: FormValues
    """The values that the form contained when it was opened."""
    hash: str
    """Of the file that was opened."""


@dataclass(frozen=True, slots=True)
class FormNotes:
    """What the form says above its controls, and beside them."""

    errors: tuple[SettingError, ...] = ()
    changed_meanwhile: list[tuple[str, str, str]] | None = None
    """Settings with former and present value; None if the file is as it was opened."""
    is_unchanged: bool = False
    by_setting: Mapping[str, tuple[Message, ...]] = field(default_factory=dict)


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
    view.context.wake()
    return view.redirect_with_message(
        "/settings",
        "{file} saved. The former version is {former}.",
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
        other_workers=await _list_other_workers(view),
    )


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
    )


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
