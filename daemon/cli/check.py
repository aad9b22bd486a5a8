"""`check`, `models`, `notify test`, `diagnostics`: test the settings and the connections."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.calendar import utc_now
from core.errors import PaperclerkError
from core.messages import Message, message, plain
from daemon.cli.app import PROGRAM, app, notify
from daemon.cli.arguments import AsJson, Instance, Options
from daemon.cli.exits import Exit, UsageError, async_command, exit_for, list_choices
from daemon.cli.session import open_context, open_services, open_services_for_reading
from daemon.cli.terminal import console, plural, print_json

if TYPE_CHECKING:
    from core.settings import Settings
    from daemon.check import Finding
    from daemon.notify.notifier import Sender


@app.command("check")
@async_command
async def check(ctx: typer.Context, name: Instance = None, as_json: AsJson = False) -> Exit:
    """Check settings, Paperless, permissions, tags, model and data folder."""
    findings = []
    async for finding in _check_everything(ctx.obj, name):
        findings.append(finding)
        if not as_json:
            console().print(format_finding(finding))
    if as_json:
        print_json([_to_json(finding) for finding in findings])
    else:
        console().print(_summary(findings))
    return max(finding.exit for finding in findings)


@app.command("models")
@async_command
async def models(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="An instance.")],
    as_json: AsJson = False,
) -> Exit:
    """List the models that an instance's endpoint offers."""
    async with open_services(ctx.obj, name) as services:
        server = services.instances[name].model.server
        offered = await server.list_models()
        if as_json:
            print_json(offered)
        else:
            for model in offered:
                mark = "*" if model == server.endpoint.model else " "
                console().print(f"{mark} {model}")
        return Exit.OK


@app.command("diagnostics")
@async_command
async def diagnostics(
    ctx: typer.Context,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write to this file; default: paperclerk-diagnostics-DAY.json, here.",
        ),
    ] = None,
) -> Exit:
    """Write a file for a bug report, without documents, names, hosts and secrets."""
    from actions.diagnostics import DiagnosticsSource, build_diagnostics
    from core.private_files import write_private_text
    from daemon.check import check_reachability

    async with open_services_for_reading(ctx.obj, None) as services:
        context = services.context
        now = context.clock()
        today = now.astimezone(context.zone).date()
        file = to or Path(f"paperclerk-diagnostics-{today.isoformat()}.json")
        if to is not None and to.exists():
            raise UsageError(f"{to} exists already")
        check = partial(check_reachability, services)
        source = DiagnosticsSource(
            context.settings, context.store, now, context.zone, version(PROGRAM), check
        )
        write_private_text(file, await build_diagnostics(source))
    console().print(f"{file}: read it before you attach it to a bug report")
    return Exit.OK


@notify.command("test")
@async_command
async def notify_test(
    ctx: typer.Context,
    which: Annotated[
        str | None,
        typer.Argument(metavar="ADDRESS", help="Number in the list, or service; default: all."),
    ] = None,
) -> Exit:
    """Send a test notification to every address of `notify.urls`, or to one of them."""
    from daemon.context import load, zone_of
    from daemon.notify.notifier import Sender, build_message_format, send_test

    settings = load(ctx.obj)
    if not settings.daemon.notify.urls:
        raise UsageError("notifications are off: daemon.toml contains no notify.urls")
    sender = _select_addresses(Sender(settings.daemon.notify.urls), which)
    sender.require_all()
    await send_test(
        sender, build_message_format(settings.daemon, zone=zone_of(settings), now=utc_now())
    )
    console().print(f"sent to {', '.join(sender.names)}")
    return Exit.OK


def format_finding(finding: "Finding") -> str:
    """Return a finding as a line, with its hint on a second one."""
    mark = "WARN" if _is_warning(finding) else "ok" if finding.ok else "BAD"
    line = f"{mark:<4} {finding.name:<20} {finding.message}"
    return f"{line}\n     -> {finding.hint}" if finding.hint else line


async def _check_everything(options: Options, name: str | None) -> "AsyncIterator[Finding]":
    """Yield a finding for each check; stop at settings that cannot be loaded."""
    from core.settings import ConfigError
    from daemon.check import Finding, build_failure
    from daemon.context import load

    try:
        # What would be logged is a finding here.
        settings = load(replace(options, log_at_least="error"))
        settings.require_instances()
    except ConfigError as error:
        for mistake in error.errors:
            summary = plain(f"{mistake.place}: {mistake}")
            yield Finding("Settings", ok=False, summary=summary, exit=Exit.CONFIG)
        return
    files = ", ".join(f"{instance}.toml" for instance in settings.instances)
    summary = plain(f"{files} in {options.config}")
    yield Finding("Settings", ok=True, summary=summary, advice=_advise_on_mode(options.config))
    for warning in settings.warnings:
        summary = plain(f"{warning.place}: {warning.path}")
        yield Finding("Settings", ok=True, summary=summary, advice=warning.message)
    if settings.daemon.notify.urls:
        yield _check_notify_urls(settings)
    try:
        async for finding in _check_data_and_instances(options, name):
            yield finding
    except UsageError:
        raise
    except PaperclerkError as error:
        yield build_failure("Data", error, exit_for(error))


async def _check_data_and_instances(options: Options, name: str | None) -> "AsyncIterator[Finding]":
    from daemon.check import Finding, check_instance
    from daemon.services import open_services

    async with open_context(options) as context:
        shared = context.store.shared
        where = "PostgreSQL" if shared else f"{options.data} is writable"
        summary = plain(f"{where}, the database is up to date")
        advice = None if shared else _advise_on_mode(options.data)
        yield Finding("Data", ok=True, summary=summary, advice=advice)
        names = context.select_instances(name)
        async with open_services(context, names) as services:
            for instance in names:
                async for finding in check_instance(services, instance):
                    yield replace(finding, name=f"{instance}: {finding.name}")


def _check_notify_urls(settings: "Settings") -> "Finding":
    """Check the addresses without sending anything; `notify test` sends."""
    from daemon.check import Finding, build_failure
    from daemon.notify.notifier import Sender

    try:
        sender = Sender(settings.daemon.notify.urls)
        sender.require_all()
    except PaperclerkError as error:
        return build_failure("Messages", error, exit_for(error))
    return Finding("Messages", ok=True, summary=plain(f"go to {', '.join(sender.names)}"))


def _advise_on_mode(folder: Path) -> Message | None:
    """Return a warning if other users can read a folder; its mode is not changed."""
    from core.private_files import mode_for_others

    mode = mode_for_others(folder)
    if not mode:
        return None
    return message(
        "Other users can read {folder} (mode {mode}). To restrict access: chmod 700 {folder}",
        folder=str(folder),
        mode=str(mode),
    )


def _summary(findings: "Sequence[Finding]") -> str:
    failed = sum(not finding.ok for finding in findings)
    warnings = sum(_is_warning(finding) for finding in findings)
    warned = plural(warnings, "warning") if warnings else ""
    if not failed:
        return f"\nAll checks passed. {warned}." if warned else "\nAll checks passed."
    return f"\n{failed} of {len(findings)} checks failed" + (f", {warned}." if warned else ".")


def _is_warning(finding: "Finding") -> bool:
    return finding.ok and finding.advice is not None


def _to_json(finding: "Finding") -> dict[str, object]:
    return {
        "name": finding.name,
        "ok": finding.ok,
        "message": finding.message,
        "hint": finding.hint,
    }


def _select_addresses(sender: "Sender", which: str | None) -> "Sender":
    if which is None:
        return sender
    selected = sender.select(which)
    if not selected.names and not selected.wrong:
        choices = list_choices(sender.channels or ["none that can be used"])
        raise UsageError(f'there is no address "{which}" in notify.urls; {choices}')
    return selected
