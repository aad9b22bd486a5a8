"""`check`: tell whether everything is set up, and if not, what is to be done."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import PaperclerkError
from core.messages import Message, message, plain
from core.private_files import mode_for_others
from core.settings import ConfigError, Settings
from daemon.check import Finding, build_failure, check_instance
from daemon.cli.exits import Exit, UsageError, exit_for
from daemon.cli.options import Options
from daemon.cli.output import console, plural, print_json
from daemon.context import load, open_context
from daemon.notify.sender import Sender
from daemon.services import open_services


async def check(options: Options, *, name: str | None, as_json: bool) -> Exit:
    """Look at everything, one line each."""
    findings = []
    async for finding in _findings(options, name):
        findings.append(finding)
        if not as_json:
            console().print(_line(finding))
    if as_json:
        print_json([_plain(finding) for finding in findings])
    else:
        console().print(_summary(findings))
    return max(finding.exit for finding in findings)


async def _findings(options: Options, name: str | None) -> AsyncIterator[Finding]:
    try:
        settings = load(options)
    except ConfigError as error:
        for mistake in error.errors:
            told = plain(f"{mistake.place}: {mistake}")
            yield Finding("Settings", ok=False, summary=told, exit=Exit.CONFIG)
        return
    said = plain(_settings(settings, options))
    yield Finding("Settings", ok=True, summary=said, advice=_advice(options.config))
    if settings.daemon.notify.urls:
        yield _messages(settings)
    try:
        async with open_context(options) as memory:
            shared = memory.store.shared
            where = "PostgreSQL" if shared else f"{options.data} is writable"
            said = plain(f"{where}, the database is up to date")
            advice = None if shared else _advice(options.data)
            yield Finding("Data", ok=True, summary=said, advice=advice)
            names = memory.select_instances(name)
            async with open_services(memory, names) as services:
                for one in names:
                    async for finding in check_instance(services, one):
                        yield _named(finding, one)
    except UsageError:
        raise
    except PaperclerkError as error:
        yield build_failure("Data", error, exit_for(error))


def _advice(folder: Path) -> Message | None:
    """Return a warning if other users can read a folder; its mode is not changed."""
    mode = mode_for_others(folder)
    if not mode:
        return None
    return message(
        "Other users can read {folder} (mode {mode}). To restrict access: chmod 700 {folder}",
        folder=str(folder),
        mode=str(mode),
    )


def _summary(findings: Sequence[Finding]) -> str:
    bad = sum(not finding.ok for finding in findings)
    warnings = sum(_is_warning(finding) for finding in findings)
    warned = plural(warnings, "warning") if warnings else ""
    if not bad:
        return f"\nAll well. {warned}." if warned else "\nAll well."
    return f"\n{bad} of {len(findings)} need a look" + (f", {warned}." if warned else ".")


def _is_warning(finding: Finding) -> bool:
    return finding.ok and finding.advice is not None


def _messages(settings: Settings) -> Finding:
    """Look at the addresses; nothing is sent, for that is what `notify test` is for."""
    try:
        sender = Sender(settings.daemon.notify.urls)
        sender.require_all()
    except PaperclerkError as error:
        return build_failure("Messages", error, exit_for(error))
    return Finding("Messages", ok=True, summary=plain(f"go to {', '.join(sender.names)}"))


def _settings(settings: Settings, options: Options) -> str:
    return f"{', '.join(f'{name}.toml' for name in settings.instances)} in {options.config}"


def _named(finding: Finding, instance: str) -> Finding:
    return replace(finding, name=f"{instance}: {finding.name}")


def _line(finding: Finding) -> str:
    mark = "WARN" if _is_warning(finding) else "ok" if finding.ok else "BAD"
    line = f"{mark:<4} {finding.name:<20} {finding.message}"
    return f"{line}\n     -> {finding.hint}" if finding.hint else line


def _plain(finding: Finding) -> dict[str, object]:
    return {
        "name": finding.name,
        "ok": finding.ok,
        "message": finding.message,
        "hint": finding.hint,
    }
