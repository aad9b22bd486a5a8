"""`check`: tell whether everything is set up, and if not, what is to be done."""

from collections.abc import AsyncIterator
from dataclasses import replace

from core.errors import PaperclerkError
from core.sentences import Sentence
from core.settings import ConfigMistakes, Settings
from daemon.doctor import Finding, examine, trouble
from daemon.exits import Exit, UsageError, exit_for
from daemon.memory import Options, load, open_memory
from daemon.notify.sender import Sender
from daemon.output import console, print_json
from daemon.wiring import open_clerk


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
        bad = [finding for finding in findings if not finding.ok]
        console().print(f"\n{len(bad)} of {len(findings)} need a look" if bad else "\nAll well.")
    return max(finding.exit for finding in findings)


async def _findings(options: Options, name: str | None) -> AsyncIterator[Finding]:
    try:
        settings = load(options)
    except ConfigMistakes as error:
        for mistake in error.mistakes:
            told = Sentence(f"{mistake.place}: {mistake}")
            yield Finding("Settings", ok=False, said=told, exit=Exit.CONFIG)
        return
    yield Finding("Settings", ok=True, said=Sentence(_settings(settings, options)))
    if settings.daemon.notify.urls:
        yield _messages(settings)
    try:
        async with open_memory(options) as memory:
            where = "PostgreSQL" if memory.store.shared else f"{options.data} is writable"
            yield Finding("Data", ok=True, said=Sentence(f"{where}, the database is up to date"))
            names = memory.chosen(name)
            async with open_clerk(memory, names) as clerk:
                for one in names:
                    async for finding in examine(clerk, one):
                        yield _named(finding, one)
    except UsageError:
        raise
    except PaperclerkError as error:
        yield trouble("Data", error, exit_for(error))


def _messages(settings: Settings) -> Finding:
    """Look at the addresses; nothing is sent, for that is what `notify test` is for."""
    try:
        sender = Sender(settings.daemon.notify.urls)
        sender.require_all()
    except PaperclerkError as error:
        return trouble("Messages", error, exit_for(error))
    return Finding("Messages", ok=True, said=Sentence(f"go to {', '.join(sender.names)}"))


def _settings(settings: Settings, options: Options) -> str:
    return f"{', '.join(f'{name}.toml' for name in settings.instances)} in {options.config}"


def _named(finding: Finding, instance: str) -> Finding:
    return replace(finding, name=f"{instance}: {finding.name}")


def _line(finding: Finding) -> str:
    mark = "ok " if finding.ok else "BAD"
    line = f"{mark}  {finding.name:<20} {finding.message}"
    return f"{line}\n     -> {finding.hint}" if finding.hint else line


def _plain(finding: Finding) -> dict[str, object]:
    return {
        "name": finding.name,
        "ok": finding.ok,
        "message": finding.message,
        "hint": finding.hint,
    }
