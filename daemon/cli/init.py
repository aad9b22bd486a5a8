"""`init`: set up an instance by a few questions, check it, and write its settings file."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from daemon.cli.app import app
from daemon.cli.arguments import FLAG
from daemon.cli.exits import (
    Exit,
    UsageError,
    exit_for,
    print_error,
    reported_errors,
    run_in_loop,
)
from daemon.cli.options import Options
from daemon.cli.output import console
from daemon.cli.questions import Asker

if TYPE_CHECKING:
    from actions.setup import Draft, ModelServer, PaperlessAddress
    from core.settings import Settings
    from daemon.check import Finding
    from daemon.services import Services
    from paperless_client import User

_DEFAULT_NAME = "home"
_TRIED = 5
"""Number of documents of the dry run that is offered at the end."""


@dataclass(frozen=True, slots=True)
class Flags:
    """The answers that were given on the command line; empty ones are asked for."""

    name: str = ""
    url: str = ""
    ca_file: Path | None = None
    token_file: Path | None = None
    username: str = ""
    password_file: Path | None = None
    mfa_code: str = ""
    base_url: str = ""
    api_key_file: Path | None = None
    model: str = ""
    owner_names: tuple[str, ...] | None = None
    overwrite: bool = False
    accept_failures: bool = False
    try_documents: bool | None = None


class _Stopped(Exception):
    """The set-up ends without a file."""

    def __init__(self, exit_code: Exit) -> None:
        super().__init__()
        self.exit = exit_code


@app.command("init")
def init(  # noqa: PLR0913, PLR0917 - every question has an option
    ctx: typer.Context,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the instance; default: home.")
    ] = "",
    paperless_url: Annotated[
        str, typer.Option(metavar="URL", help="Address of Paperless, without /api.")
    ] = "",
    ca_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="PEM file of the certificate authority of Paperless."),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File with the API token of Paperless.")
    ] = None,
    username: Annotated[
        str, typer.Option(metavar="USER", help="Fetch the token of this user, with its password.")
    ] = "",
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File with that password; it is not stored.")
    ] = None,
    mfa_code: Annotated[
        str, typer.Option(metavar="CODE", help="Code of that user's second factor.")
    ] = "",
    model_url: Annotated[
        str, typer.Option(metavar="URL", help="Address of the model's API; usually ends in /v1.")
    ] = "",
    api_key_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File with the key for that API.")
    ] = None,
    model: Annotated[str, typer.Option(metavar="MODEL", help="Name of the model.")] = "",
    owner_names: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Your own names and companies, separated by commas."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", metavar=FLAG, help="Replace an existing settings file.")
    ] = False,
    try_documents: Annotated[
        bool | None,
        typer.Option(
            "--try/--no-try", metavar=FLAG, help=f"Try {_TRIED} documents at the end, as a dry run."
        ),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", metavar=FLAG, help="Write the file even if a check failed."),
    ] = False,
) -> None:
    """Set up an instance: find Paperless and the model, check them, write the settings file.

    Asks for everything that no option answers. A token in PAPERCLERK_NAME_PAPERLESS__TOKEN or a
    key in PAPERCLERK_NAME_AI__API_KEY is used and stays there. Without a terminal, a missing answer
    is an error, and nothing is written.
    """
    flags = Flags(
        name=name,
        url=paperless_url,
        ca_file=ca_file and ca_file.absolute(),
        token_file=token_file and token_file.absolute(),
        username=username,
        password_file=password_file,
        mfa_code=mfa_code,
        base_url=model_url,
        api_key_file=api_key_file and api_key_file.absolute(),
        model=model,
        owner_names=None if owner_names is None else _split_names(owner_names),
        overwrite=overwrite,
        accept_failures=yes,
        try_documents=try_documents,
    )
    asker = Asker(is_terminal=sys.stdin.isatty())
    sys.exit(_set_up(ctx.obj, flags, asker))


def _set_up(options: Options, flags: Flags, asker: Asker) -> Exit:
    try:
        name, end = _write_instance(options, flags, asker)
    except reported_errors() as error:
        print_error(error)
        end = exit_for(error)
    except _Stopped as stopped:
        end = stopped.exit
    except (typer.Abort, KeyboardInterrupt):
        end = Exit.CANCELLED
    else:
        return max(end, _try_documents(options, name, flags, asker))
    sys.stderr.write("\nNothing was written.\n")
    return end


def _write_instance(options: Options, flags: Flags, asker: Asker) -> tuple[str, Exit]:
    """Ask, check and write; return the instance's name and the exit code of the checks."""
    from actions.setup import Draft, require_writable, write_settings_file

    require_writable(options.config)
    name, is_replaced = _ask_name(options, flags, asker)
    file = options.config / f"{name}.toml"
    address = _ask_address(flags, asker)
    draft = Draft(name, address.url, base_url="", model="", ca_file=str(address.ca_file or ""))
    draft, user = _ask_token(draft, address, flags, asker)
    draft, server = _ask_model_server(draft, flags, asker)
    draft = replace(
        draft,
        model=_ask_model(server, flags.model, asker),
        owner_names=_ask_owner_names(flags, asker),
    )
    failed = _check(options, draft, user)
    while _wants_another_model(draft, failed, flags, asker):
        draft = replace(draft, model=_ask_model(server, "", asker))
        failed = _check(options, draft, user)
    end = _accept_failures(failed, flags, asker)
    if file.exists() and not is_replaced:
        raise UsageError(f"{file} exists by now; it is left as it is")
    try:
        write_settings_file(file, draft.render())
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
    console().print(f"Written: {file}")
    return name, end


def _ask_name(options: Options, flags: Flags, asker: Asker) -> tuple[str, bool]:
    """Return the name of the instance, and whether an existing file may be replaced."""
    from core.settings.instance import check_instance_name

    def check(name: str) -> tuple[str, bool]:
        try:
            check_instance_name(name)
        except ValueError as error:
            raise UsageError(str(error)) from error
        file = options.config / f"{name}.toml"
        if not file.exists() or flags.overwrite:
            return name, flags.overwrite
        if asker.confirm(f"{file} exists. Replace it?", "--overwrite", default=False):
            return name, True
        raise UsageError("choose another name")

    def ask() -> str:
        if not asker.is_terminal:
            return _DEFAULT_NAME
        return asker.ask("Name of this Paperless in Paperclerk", "--name", default=_DEFAULT_NAME)

    return asker.ask_until(flags.name, ask, check)


def _ask_address(flags: Flags, asker: Asker) -> "PaperlessAddress":
    """Return the address that the person confirmed, at which a Paperless responds."""
    from actions.setup import PaperlessAddress, find_paperless
    from core.settings.values import check_paperless_url

    found: list[str] = []
    if not flags.url and asker.is_terminal:
        console().print("Looking for Paperless ...")
        found = run_in_loop(find_paperless)
        console().print(f"Found: {', '.join(found)}" if found else "None found nearby.")

    def check(typed: str) -> PaperlessAddress:
        address = PaperlessAddress(_valid(check_paperless_url, typed), flags.ca_file)
        run_in_loop(address.require_paperless)
        return address

    def ask() -> str:
        default = found[0] if found else ""
        return asker.ask("Address of Paperless", "--paperless-url", default=default)

    address = asker.ask_until(flags.url, ask, check)
    _warn_if_readable(address.url, asker)
    return address


def _warn_if_readable(url: str, asker: Asker) -> None:
    """Warn before a secret or a document crosses foreign networks without encryption.

    An address given as an option is confirmed already; on a terminal, the person is asked.
    """
    from actions.setup import is_readable_on_the_way

    if not is_readable_on_the_way(url):
        return
    console().print(
        f"WARNING: {url} is not encrypted, and not in a private network: others can read"
        " secrets and documents on the way. Use https:// if you can."
    )
    if asker.is_terminal and not asker.confirm("Use it?", "", default=False):
        raise _Stopped(Exit.CANCELLED)


def _ask_token(
    draft: "Draft", address: "PaperlessAddress", flags: Flags, asker: Asker
) -> "tuple[Draft, User | None]":
    """Return the draft with a token that Paperless accepts, and the token's user."""
    variable, secret = _find_in_environment(draft.name, ("paperless", "token"))
    if secret:
        user = run_in_loop(lambda: address.fetch_user(secret))
        console().print(f"Token from {variable} accepted{_of(user)}.")
        return draft, user
    in_file = _read_secret(flags.token_file) if flags.token_file else ""
    # Used once: after an error, the person is asked.
    logins = iter([flags])

    def check(token: str) -> "tuple[Draft, User | None]":
        user = run_in_loop(lambda: address.fetch_user(token))
        console().print(f"Token accepted{_of(user)}.")
        if token == in_file:
            return replace(draft, token_file=str(flags.token_file)), user
        return replace(draft, token=token.strip()), user

    def ask() -> str:
        login = next(logins, Flags())
        if login.username or (asker.is_terminal and _wants_password(asker)):
            return _fetch_token(address, login, asker)
        return asker.ask("API token", "--token-file, or --username", is_secret=True)

    return asker.ask_until(in_file, ask, check)


def _wants_password(asker: Asker) -> bool:
    console().print(
        "Paperclerk needs an API token. In Paperless, it is under your name > My Profile > API Auth"
        " Token. Or log in here: the password is sent to Paperless once and not stored."
    )
    return asker.confirm("Log in with user name and password?", "--username", default=False)


def _fetch_token(address: "PaperlessAddress", flags: Flags, asker: Asker) -> str:
    """Return the token for a user name and a password; neither is stored."""
    from paperless_client import Login, MfaCodeRefused, MfaCodeRequired

    username = flags.username or asker.ask("User name", "--username")
    if flags.password_file:
        password = _read_secret(flags.password_file)
    else:
        password = asker.ask("Password", "--password-file", is_secret=True)
    login = Login(username, password, flags.mfa_code)
    while True:
        try:
            return run_in_loop(partial(address.request_token, login))
        except (MfaCodeRequired, MfaCodeRefused) as error:
            if not asker.is_terminal:
                raise
            if isinstance(error, MfaCodeRefused):
                print_error(error)
            login = replace(login, mfa_code=asker.ask("Code of the second factor", "--mfa-code"))


def _ask_model_server(draft: "Draft", flags: Flags, asker: Asker) -> "tuple[Draft, ModelServer]":
    """Return the draft with the address of a model server and its key, and the server."""
    from actions.setup import describe_model_server, find_model_servers
    from core.settings.values import check_ai_url

    found: list[ModelServer] = []
    if not flags.base_url and asker.is_terminal:
        console().print("Looking for Ollama and LM Studio ...")
        found = run_in_loop(find_model_servers)
        listed = ", ".join(server.url for server in found)
        console().print(f"Found: {listed}" if found else "None found nearby.")
    _, key = _find_in_environment(draft.name, ("ai", "api_key"))
    if flags.api_key_file:
        key = _read_secret(flags.api_key_file)
        draft = replace(draft, api_key_file=str(flags.api_key_file))

    def check(typed: str) -> "tuple[Draft, ModelServer]":
        url = _valid(check_ai_url, typed)
        server = run_in_loop(lambda: describe_model_server(url, key))
        _warn_if_readable(url, asker)
        if not server.needs_key:
            return replace(draft, base_url=url), server
        typed_key = asker.ask("API key", "--api-key-file", is_secret=True)
        server = run_in_loop(lambda: describe_model_server(url, typed_key))
        return replace(draft, base_url=url, api_key=typed_key), server

    def ask() -> str:
        default = found[0].url if found else ""
        return asker.ask("Address of the model's API", "--model-url", default=default)

    return asker.ask_until(flags.base_url, ask, check)


def _ask_model(server: "ModelServer", given: str, asker: Asker) -> str:
    """Return the name of a model; it must be on the server's list, if there is one."""
    models = server.models
    if not given and models:
        for number, model in enumerate(models, start=1):
            console().print(f"  {number}  {model}")

    def check(typed: str) -> str:
        if models and typed.isdecimal() and 1 <= int(typed) <= len(models):
            return models[int(typed) - 1]
        if not typed or (models and typed not in models):
            listed = ", ".join(models) or "none"
            raise UsageError(f'{server.url} has no model "{typed}"; available: {listed}')
        return typed

    def ask() -> str:
        default = models[0] if models else ""
        return asker.ask("Model (number or name)", "--model", default=default)

    return asker.ask_until(given, ask, check)


def _ask_owner_names(flags: Flags, asker: Asker) -> tuple[str, ...]:
    if flags.owner_names is not None:
        return flags.owner_names
    if not asker.is_terminal:
        return ()
    console().print("Your own names and companies are never used as correspondent.")
    return _split_names(asker.ask("Your names, separated by commas", "--owner-names"))


def _check(options: Options, draft: "Draft", user: "User | None") -> "list[Finding]":
    """Check the draft, print every result, and return those that failed."""
    from core.settings import get_environment, load_draft
    from daemon.logs import set_up_logs

    settings = load_draft(draft.name, draft.render(), options.config, get_environment())
    set_up_logs(settings.daemon.log, at_least=options.log_at_least)
    findings = run_in_loop(lambda: _print_findings(settings, user))
    return [finding for finding in findings if not finding.ok]


def _wants_another_model(
    draft: "Draft", failed: "Sequence[Finding]", flags: Flags, asker: Asker
) -> bool:
    """Warn if the model failed at the test letter; return whether to choose another."""
    if all(finding.name != "Answer" for finding in failed):
        return False
    console().print(
        f"WARNING: {draft.model} could not file a short test letter. A larger model, or one"
        " built for structured output, is more reliable."
    )
    if flags.accept_failures or not asker.is_terminal:
        return False
    return asker.confirm("Choose another model?", "--model", default=True)


def _accept_failures(failed: "Sequence[Finding]", flags: Flags, asker: Asker) -> Exit:
    """Return the exit code of the failed checks; raise _Stopped if nothing is to be written."""
    if not failed:
        return Exit.OK
    end = max(Exit.LOOK, *(finding.exit for finding in failed))
    if flags.accept_failures:
        return end
    if not asker.is_terminal:
        sys.stderr.write("A check failed; to write the settings all the same: --yes\n")
        raise _Stopped(end)
    if not asker.confirm("Write the settings all the same?", "--yes", default=False):
        raise _Stopped(end)
    return end


async def _print_findings(settings: "Settings", user: "User | None") -> "list[Finding]":
    """Print each result of the check as it comes, then the estimate for the first scan."""
    from daemon.check import check_instance
    from daemon.cli.check import format_finding
    from daemon.init import advise_on_user, open_draft

    findings = []
    (name,) = settings.instances
    async with open_draft(settings) as services:
        async for finding in check_instance(services, name):
            findings.append(finding)
            console().print(format_finding(finding))
        advice = advise_on_user(user, settings.instances[name]) if user else None
        if advice is not None:
            console().print(str(advice))
        if findings[0].ok:
            await _print_estimate(services, name)
    return findings


async def _print_estimate(services: "Services", name: str) -> None:
    from daemon.cli.estimates import estimate_for, lines_of
    from daemon.cli.scan import ScanRequest

    try:
        summary = await estimate_for(services, name, ScanRequest(name))
    except reported_errors() as error:
        print_error(error, about=name)
        return
    for line in lines_of(summary):
        console().print(line)


def _try_documents(options: Options, name: str, flags: Flags, asker: Asker) -> Exit:
    """Offer a dry run with a few documents; print what comes next."""
    from daemon.cli.scan import ScanRequest, scan_and_process

    wanted = flags.try_documents
    try:
        if wanted is None and asker.is_terminal and not flags.accept_failures:
            question = f"Try {_TRIED} documents now (nothing is written)?"
            wanted = asker.confirm(question, "--try", default=True)
        if not wanted:
            console().print(f"Try it:  paperclerk scan-now {name} --limit {_TRIED} --dry-run")
            return Exit.OK
        request = ScanRequest(name, limit=_TRIED, dry_run=True)
        return run_in_loop(lambda: scan_and_process(options, request))
    except reported_errors() as error:
        print_error(error)
        return exit_for(error)
    except (typer.Abort, KeyboardInterrupt):
        return Exit.CANCELLED


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _of(user: "User | None") -> str:
    return f', user "{user.username}"' if user else ""


def _valid(check: Callable[[str], str], typed: str) -> str:
    try:
        return check(typed)
    except ValueError as error:
        raise UsageError(f'"{typed}" {error}') from error


def _find_in_environment(name: str, path: tuple[str, str]) -> tuple[str, str]:
    """Return the variable that has a secret of this instance, and the secret; "" if none has."""
    from core.settings import get_environment
    from core.settings.environment import variable_name

    variable = variable_name(name, path)
    environ = get_environment()
    if secret := environ.get(variable, "").strip():
        return variable, secret
    if file := environ.get(f"{variable}_FILE", "").strip():
        return f"{variable}_FILE", _read_secret(Path(file))
    return variable, ""


def _read_secret(file: Path) -> str:
    try:
        # A password may begin or end with a space.
        return file.read_text(encoding="utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {error}") from error
