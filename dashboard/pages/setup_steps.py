"""`/add-instance`: each step of the wizard, from the address of Paperless to the settings file."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import structlog
from fastapi import APIRouter, Form, Query
from pydantic import BaseModel
from starlette.responses import HTMLResponse, RedirectResponse, Response

from actions.errors import InvalidRequest
from actions.setup import (
    API_KEY,
    TOKEN,
    Draft,
    ModelServer,
    PaperlessAddress,
    describe_model_server,
    find_model_servers,
    find_paperless,
    find_secret,
    is_readable_on_the_way,
    require_writable,
    split_names,
    write_settings_file,
)
from core.errors import PaperclerkError
from core.messages import message, message_in
from core.settings import get_environment
from core.settings.errors import KeyPath
from core.settings.values import check_ai_url, check_paperless_url
from dashboard.errors import PageNotFound
from dashboard.pages.scan_now import ShownEstimate
from dashboard.pages.setup_state import PATH, SetupError, SetupState, Wizard, WizardDep
from paperless_client import Login, PaperlessError

log = structlog.get_logger()
router = APIRouter(prefix=PATH, include_in_schema=False)

_DEFAULT_NAME = "home"
_TRIED = 5
"""Number of documents of the dry run that is offered at the end."""
_UNENCRYPTED = message(
    "This address is neither encrypted nor in a private network: others can read secrets and "
    "documents in transit. Use https:// if you can."
)

Search = Annotated[str, Query()]
"""Any text: look for servers nearby."""


class AddressForm(BaseModel):
    """Name and address of a Paperless."""

    name: str = ""
    url: str = ""
    found: str = ""
    """The button of an address that was found; it takes the place of `url`."""
    ca_file: str = ""
    accepted: str = ""
    """The unencrypted address that the person accepts."""

    @property
    def chosen(self) -> str:
        return (self.found or self.url).strip()


class TokenForm(BaseModel):
    """An API token, or what the login page of Paperless asks for."""

    token: str = ""
    username: str = ""
    password: str = ""
    mfa_code: str = ""


class ModelServerForm(BaseModel):
    """Address and key of a model server."""

    url: str = ""
    found: str = ""
    api_key: str = ""
    accepted: str = ""

    @property
    def chosen(self) -> str:
        return (self.found or self.url).strip()


class ModelForm(BaseModel):
    """The model, and the owner's names."""

    model: str = ""
    owner_names: str = ""


class StartForm(BaseModel):
    """How to begin."""

    start: str = "try"
    """ "now": scan automatically; "try": only when the person starts a scan."""


@router.get("")
async def ask_address(wizard: WizardDep, search: Search = "") -> HTMLResponse:
    """Ask for name and address of a Paperless; look for one nearby."""
    state = wizard.state
    name = state.draft.name if state else "" if wizard.view.all_names else _DEFAULT_NAME
    form = AddressForm(name=name, url=state.draft.url if state else "")
    return await _address_page(wizard, form, search=search)


@router.post("", response_model=None)
async def set_address(wizard: WizardDep, form: Annotated[AddressForm, Form()]) -> Response:
    """Check without credentials that a Paperless responds at the address."""
    try:
        wizard.require_free(form.name.strip())
        address = PaperlessAddress(
            _require_url(check_paperless_url, form.chosen),
            Path(form.ca_file.strip()) if form.ca_file.strip() else None,
            wizard.view.context.clock,
        )
        wizard.drafts.count_request()
        await address.require_paperless()
    except (PaperclerkError, PaperlessError) as error:
        return await _address_page(wizard, form, error)
    if is_readable_on_the_way(address.url) and form.accepted != address.url:
        return await _address_page(wizard, form, unencrypted=address.url)
    draft = Draft(form.name.strip(), address.url, ca_file=form.ca_file.strip())
    wizard.drafts.begin(wizard.view.person.key, draft, address)
    return wizard.go_to("token")


@router.get("/token", response_model=None)
async def ask_token(wizard: WizardDep) -> Response:
    """Ask for a token of the confirmed address, or for user name and password."""
    if (state := wizard.state) is None:
        return wizard.restart()
    return await _token_page(wizard, state, TokenForm())


@router.post("/token", response_model=None)
async def set_token(wizard: WizardDep, form: Annotated[TokenForm, Form()]) -> Response:
    """Check the token, or fetch one; the password is not kept."""
    if (state := wizard.state) is None:
        return wizard.restart()
    try:
        wizard.drafts.count_request()
        _, stored = find_secret(get_environment(), state.draft.name, TOKEN)
        token = stored or await _fetch_token(state.address, form)
        user = await state.address.fetch_user(token)
    except (PaperclerkError, PaperlessError) as error:
        return await _token_page(wizard, state, form, error)
    draft = replace(state.draft, token="" if stored else token)
    wizard.update(replace(state, draft=draft, has_token=True, user=user, check=None))
    return wizard.go_to("server")


@router.get("/server", response_model=None)
async def ask_server(wizard: WizardDep, search: Search = "") -> Response:
    """Ask for the address of a model server; look for Ollama and LM Studio nearby."""
    state = wizard.state
    if state is None or not state.has_token:
        return wizard.restart()
    return await _server_page(
        wizard, state, ModelServerForm(url=state.draft.base_url), search=search
    )


@router.post("/server", response_model=None)
async def set_server(wizard: WizardDep, form: Annotated[ModelServerForm, Form()]) -> Response:
    """List the models of the server."""
    state = wizard.state
    if state is None or not state.has_token:
        return wizard.restart()
    try:
        url = _require_url(check_ai_url, form.chosen)
        # Before anything is sent: the key would be readable, too.
        if is_readable_on_the_way(url) and form.accepted != url:
            return await _server_page(wizard, state, form, unencrypted=url)
        wizard.drafts.count_request()
        _, stored = find_secret(get_environment(), state.draft.name, API_KEY)
        server = await _describe_server(url, stored or form.api_key.strip())
    except (PaperclerkError, PaperlessError) as error:
        return await _server_page(wizard, state, form, error)
    draft = replace(
        state.draft, base_url=url, api_key="" if stored else form.api_key.strip(), model=""
    )
    wizard.update(replace(state, draft=draft, server=server, check=None))
    return wizard.go_to("model")


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


async def _address_page(
    wizard: Wizard,
    form: AddressForm,
    error: SetupError | None = None,
    *,
    search: str = "",
    unencrypted: str = "",
) -> HTMLResponse:
    return await wizard.page(
        "address",
        error,
        form=form.model_copy(update={"url": form.chosen}),
        found=await find_paperless() if search else None,
        unencrypted=unencrypted,
        warning=_UNENCRYPTED,
        unwritable=_is_unwritable(wizard.folder),
    )


async def _fetch_token(address: PaperlessAddress, form: TokenForm) -> str:
    if form.token.strip():
        return form.token.strip()
    if not form.username.strip() or not form.password:
        raise InvalidRequest(message("enter an API token, or a user name and a password"))
    login = Login(form.username.strip(), form.password, form.mfa_code.strip())
    return await address.request_token(login)


async def _token_page(
    wizard: Wizard, state: SetupState, form: TokenForm, error: SetupError | None = None
) -> HTMLResponse:
    variable, has_secret = _find_variable(state.draft.name, TOKEN)
    return await wizard.page(
        "token", error, form=form, address=state.draft.url, variable=variable if has_secret else ""
    )


async def _describe_server(url: str, key: str) -> ModelServer:
    server = await describe_model_server(url, key)
    if server.needs_key:
        raise InvalidRequest(message("this server needs an API key"))
    return server


async def _server_page(
    wizard: Wizard,
    state: SetupState,
    form: ModelServerForm,
    error: SetupError | None = None,
    *,
    search: str = "",
    unencrypted: str = "",
) -> HTMLResponse:
    variable, has_secret = _find_variable(state.draft.name, API_KEY)
    return await wizard.page(
        "server",
        error,
        form=form.model_copy(update={"url": form.chosen}),
        found=await find_model_servers() if search else None,
        unencrypted=unencrypted,
        warning=_UNENCRYPTED,
        variable=variable if has_secret else "",
    )


def _start_check(wizard: Wizard, state: SetupState) -> RedirectResponse:
    start = wizard.view.context.start_check
    assert start is not None
    wizard.drafts.count_request()
    wizard.update(replace(state, check=start(state.draft, state.user)))
    return wizard.go_to("check")


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


def _require_url(check: Callable[[str], str], typed: str) -> str:
    """Return the address if it is valid; raise InvalidRequest."""
    try:
        return check(typed)
    except ValueError as error:
        raise InvalidRequest(
            message('"{url}" {error}', url=typed, error=message_in(error))
        ) from error


def _find_variable(name: str, path: KeyPath) -> tuple[str, bool]:
    """Return the variable for a secret of an instance, and whether it has one."""
    try:
        variable, secret = find_secret(get_environment(), name, path)
    except InvalidRequest:
        return "", False
    return variable, bool(secret)


def _is_unwritable(folder: Path) -> bool:
    try:
        require_writable(folder)
    except InvalidRequest:
        return True
    return False
