"""`/add-instance`: the last steps, which choose a model, check everything and write the file."""

import asyncio
from dataclasses import replace
from typing import Annotated

import structlog
from fastapi import APIRouter, Form
from pydantic import BaseModel
from starlette.responses import HTMLResponse, RedirectResponse, Response

from actions.errors import InvalidRequest
from actions.setup import split_names, write_settings_file
from core.errors import PaperclerkError
from core.messages import message
from dashboard.errors import PageNotFound
from dashboard.pages.scan_now import ShownEstimate
from dashboard.pages.setup_wizard import PATH, SetupError, Wizard, WizardDep
from dashboard.setup_drafts import SetupState

router = APIRouter(prefix=PATH, include_in_schema=False)
log = structlog.get_logger()

_TRIED = 5
"""Number of documents of the dry run that is offered at the end."""


class ModelForm(BaseModel):
    """The model, and the owner's names."""

    model: str = ""
    owner_names: str = ""


class StartForm(BaseModel):
    """How to begin."""

    start: str = "try"
    """ "now": scan automatically; "try": only when the person starts a scan."""


@router.get("/model", response_model=None)
async def ask_model(wizard: WizardDep) -> Response:
    """Ask for one of the server's models, and for the owner's names."""
    state = wizard.state
    if state is None or state.server is None:
        return wizard.restart()
    draft = state.draft
    form = ModelForm(model=draft.model, owner_names=", ".join(draft.owner_names))
    return await wizard.page("model", form=form, server=state.server)


@router.post("/model", response_model=None)
async def set_model(wizard: WizardDep, form: Annotated[ModelForm, Form()]) -> Response:
    """Take the model, and start to check everything."""
    state = wizard.state
    if state is None or state.server is None:
        return wizard.restart()
    model, models = form.model.strip(), state.server.models
    try:
        if not model or (models and model not in models):
            raise InvalidRequest(message("choose one of the models of {url}", url=state.server.url))
        names = split_names(form.owner_names)
        return _start_check(
            wizard, replace(state, draft=replace(state.draft, model=model, owner_names=names))
        )
    except PaperclerkError as error:
        return await wizard.page("model", error, form=form, server=state.server)


def _start_check(wizard: Wizard, state: SetupState) -> RedirectResponse:
    start = wizard.view.context.start_check
    assert start is not None
    wizard.drafts.count_request()
    wizard.update(replace(state, check=start(state.draft, state.user)))
    return wizard.go_to("check")


@router.get("/check", response_model=None)
async def show_check(wizard: WizardDep) -> Response:
    """Show the results that have come so far."""
    state = wizard.state
    if state is None or state.check is None:
        return wizard.restart()
    return await _check_page(wizard, state)


@router.post("/check", response_model=None)
async def check_again(wizard: WizardDep) -> Response:
    """Check everything again, such as after a permission was granted."""
    state = wizard.state
    if state is None or state.check is None:
        return wizard.restart()
    return _start_check(wizard, state)


async def _check_page(
    wizard: Wizard, state: SetupState, error: SetupError | None = None, text: str = ""
) -> HTMLResponse:
    check = state.check
    assert check is not None
    failed = [finding for finding in check.findings if not finding.ok]
    estimate = ShownEstimate(check.estimate, is_above_limit=False) if check.estimate else None
    return await wizard.page(
        "check",
        error,
        check=check,
        draft=state.draft,
        failed=failed,
        is_model_bad=any(finding.name == "Answer" for finding in failed),
        estimate=estimate,
        text=text,
    )


@router.post("/write", response_model=None)
async def write(wizard: WizardDep, form: Annotated[StartForm, Form()]) -> Response:
    """Write the settings file; where that is impossible, show its text without the secrets."""
    state = wizard.state
    if state is None or state.check is None:
        return wizard.restart()
    if not state.check.is_done:
        return wizard.go_to("check")
    draft = replace(state.draft, scans_automatically=form.start == "now")
    file = wizard.file_of(draft.name)
    try:
        wizard.require_free(draft.name)
        # In a thread, because a network disk may be slow.
        await asyncio.to_thread(write_settings_file, file, draft.render())
    except OSError as error:
        why = message("cannot write {file}: {why}", file=str(file), why=str(error.strerror))
        text = draft.without_secrets().render()
        return await _check_page(wizard, state, InvalidRequest(why), text)
    except InvalidRequest as error:
        return await _check_page(wizard, state, error)
    log.info("instance added", instance=draft.name, by=wizard.view.person.name)
    wizard.drafts.forget(wizard.view.person.key)
    return wizard.go_to(f"added/{draft.name}")


@router.get("/added/{name}")
async def show_added(wizard: WizardDep, name: str) -> HTMLResponse:
    """Wait until the daemon has taken over the new file, then offer what to do first."""
    context = wizard.view.context
    is_ready = name in context.settings.instances and name in context.instances
    if not is_ready and not wizard.file_of(name).exists():
        raise PageNotFound(f"there is no {name}.toml")
    scan = context.settings.instances[name].scan if is_ready else None
    return await wizard.page(
        "added",
        name=name,
        is_ready=is_ready,
        scans_automatically=scan is not None and scan.enabled,
        tried=_TRIED,
    )
