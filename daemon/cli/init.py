"""`init`: set up an instance by a few questions, check it, and write its settings file."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from daemon.cli.app import app
from daemon.cli.arguments import FLAG, Options
from daemon.cli.exits import (
    Exit,
    UsageError,
    exit_for,
    print_error,
    reported_errors,
    run_in_loop,
)
from daemon.cli.init_questions import (
    Flags,
    Stopped,
    ask_address,
    ask_model,
    ask_model_server,
    ask_name,
    ask_owner_names,
    ask_token,
)
from daemon.cli.terminal import Asker, console

if TYPE_CHECKING:
    from actions.setup import Draft
    from daemon.check import Finding
    from paperless_client import User

_TRIED = 5
"""Number of documents of the dry run that is offered at the end."""
_FIRST_SCAN = 20
"""Number of documents of the scan that is recommended after it."""

_Name = Annotated[str, typer.Option(metavar="NAME", help="Name of the instance; default: home.")]
_PaperlessUrl = Annotated[
    str, typer.Option(metavar="URL", help="Address of Paperless, without /api.")
]
_CaFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="PEM file of the certificate authority of Paperless."),
]
_TokenFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File with the API token of Paperless.")
]
_Username = Annotated[
    str, typer.Option(metavar="USER", help="Fetch the token of this user, with its password.")
]
_PasswordFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File with that password; it is not stored.")
]
_MfaCode = Annotated[str, typer.Option(metavar="CODE", help="Code of that user's second factor.")]
_ModelUrl = Annotated[
    str, typer.Option(metavar="URL", help="Address of the model's API; usually ends in /v1.")
]
_ApiKeyFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File with the key for that API.")
]
_Model = Annotated[str, typer.Option(metavar="MODEL", help="Name of the model.")]
_OwnerNames = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Your own names and companies, separated by commas."),
]
_Overwrite = Annotated[
    bool, typer.Option("--overwrite", metavar=FLAG, help="Replace an existing settings file.")
]
_Try = Annotated[
    bool | None,
    typer.Option(
        "--try/--no-try", metavar=FLAG, help=f"Try {_TRIED} documents at the end, as a dry run."
    ),
]
_Yes = Annotated[
    bool, typer.Option("--yes", metavar=FLAG, help="Write the file even if a check failed.")
]


@app.command("init")
def init(  # noqa: PLR0913, PLR0917 - every question has an option
    ctx: typer.Context,
    name: _Name = "",
    paperless_url: _PaperlessUrl = "",
    ca_file: _CaFile = None,
    token_file: _TokenFile = None,
    username: _Username = "",
    password_file: _PasswordFile = None,
    mfa_code: _MfaCode = "",
    model_url: _ModelUrl = "",
    api_key_file: _ApiKeyFile = None,
    model: _Model = "",
    owner_names: _OwnerNames = None,
    overwrite: _Overwrite = False,
    try_documents: _Try = None,
    yes: _Yes = False,
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
        owner_names=owner_names,
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
    except Stopped as stopped:
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
    name, is_replaced = ask_name(options, flags, asker)
    file = options.config / f"{name}.toml"
    address = ask_address(flags, asker)
    draft = Draft(name, address.url, ca_file=str(address.ca_file or ""))
    draft, user = ask_token(draft, address, flags, asker)
    draft, server = ask_model_server(draft, flags, asker)
    draft = replace(
        draft,
        model=ask_model(server, flags.model, asker),
        owner_names=ask_owner_names(flags, asker),
    )
    failed = _check(options, draft, user)
    while _wants_another_model(draft, failed, flags, asker):
        draft = replace(draft, model=ask_model(server, "", asker))
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


def _check(options: Options, draft: "Draft", user: "User | None") -> "list[Finding]":
    """Check the draft, print every result, and return those that failed."""
    from core.settings import get_environment, load_draft
    from daemon.logs import set_up_logs

    settings = load_draft(draft.name, draft.render(), options.config, get_environment())
    set_up_logs(settings.daemon.log, at_least=options.log_at_least)
    findings = run_in_loop(lambda: _print_results(draft, user, options))
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
    """Return the exit code of the failed checks; raise Stopped if nothing is to be written."""
    if not failed:
        return Exit.OK
    end = max(Exit.LOOK, *(finding.exit for finding in failed))
    if flags.accept_failures:
        return end
    if not asker.is_terminal:
        sys.stderr.write("A check failed. To write the settings anyway, add --yes.\n")
        raise Stopped(end)
    if not asker.confirm("Write the settings anyway?", "--yes", default=False):
        raise Stopped(end)
    return end


async def _print_results(draft: "Draft", user: "User | None", options: Options) -> "list[Finding]":
    """Print each result of the check as it comes; return the findings."""
    from actions.costs import EstimateSummary
    from daemon.cli.check import format_finding
    from daemon.cli.costs import format_estimate
    from daemon.draft_check import check_draft

    findings = []
    async for result in check_draft(draft, user, options.config):
        if isinstance(result, EstimateSummary):
            for line in format_estimate(result):
                console().print(line)
        else:
            findings.append(result)
            console().print(format_finding(result))
    return findings


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
        end = run_in_loop(lambda: scan_and_process(options, request))
    except reported_errors() as error:
        print_error(error)
        return exit_for(error)
    except (typer.Abort, KeyboardInterrupt):
        return Exit.CANCELLED
    console().print(f"Next:  paperclerk scan-now {name} --limit {_FIRST_SCAN}")
    console().print("       paperclerk review list")
    console().print("       paperclerk run    (the daemon and its dashboard)")
    return end
