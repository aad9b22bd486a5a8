"""`demo`: the clerk at work on forty sample documents, in a pretend Paperless."""

import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from core.jobs import JobStatus
from core.settings import Settings
from daemon.commands.scan import ScanRequest, scan_now
from daemon.exits import Exit
from daemon.memory import Options, open_memory
from daemon.output import console, plural
from daemon.run import Daemon
from daemon.wiring import open_clerk
from dashboard.server import CannotListen, listen
from sandbox import Sandbox

NAME = "demo"
_ENOUGH = 30
_RULES = """
[scan]
exclude_tags = ["Privat"]

[names]
correspondents = "create"
tags = "never"

[fields]
title = "fill"
correspondent = "fill"
document_type = "fill"
tags = "fill"
date = "fill"
custom_fields = { "Rechnungsnummer" = "fill", "Betrag" = "fill" }
"""

Fields = tuple[object, ...]


async def demo(*, leave: bool) -> Exit:
    """File the sample documents; then end, or leave the pretend world up to play with."""
    with tempfile.TemporaryDirectory(prefix="paperclerk-demo-") as folder, Sandbox() as sandbox:
        options, before = _options(Path(folder), sandbox), _fields(sandbox)
        console().print(f"A pretend Paperless is at {sandbox.url}, with a pretend model beside it.")
        if await scan_now(options, ScanRequest(NAME)) is Exit.CANCELLED:
            return Exit.CANCELLED
        if not leave:
            await _stay(options)
        return await _sum_up(options, sandbox, before)


def _options(folder: Path, sandbox: Sandbox) -> Options:
    config = folder / "config"
    config.mkdir()
    (config / f"{NAME}.toml").write_text(sandbox.settings(_RULES), encoding="utf-8")
    return Options(config, folder / "data", log_at_least="error")


def _fields(sandbox: Sandbox) -> Mapping[int, Fields]:
    """Read back what the pretend Paperless has, document by document."""
    with sandbox.world.lock:
        return {
            one.id: (
                one.title,
                one.correspondent,
                one.document_type,
                one.created,
                {*one.tags},
                {**one.custom_fields},
            )
            for one in sandbox.world.documents.values()
        }


async def _stay(options: Options) -> None:
    """Say what can be tried, and be a daemon with its dashboard until Ctrl-C."""
    folders = f"PAPERCLERK_CONFIG={options.config} PAPERCLERK_DATA={options.data}"
    console().print("\nTry in another terminal, and end this with Ctrl-C:")
    console().print(f"    export {folders}")
    for command in ("review list", "history", "undo --scan 1 --preview", "jobs", "check"):
        # As it was called itself: in a virtual environment `paperclerk` alone would not be found.
        console().print(f"    {sys.argv[0]} {command}")
    async with open_memory(options) as memory:
        served = replace(memory, settings=with_free_port(memory.settings))
        async with open_clerk(served, memory.chosen(None)) as clerk:
            await Daemon(clerk).run()


def with_free_port(settings: Settings) -> Settings:
    """Let the dashboard have another port if its own is taken, perhaps by the real Paperclerk."""
    daemon = settings.daemon
    try:
        listen(daemon.web.host, daemon.web.port).close()
    except CannotListen:
        web = daemon.web.model_copy(update={"port": 0})
        return replace(settings, daemon=daemon.model_copy(update={"web": web}))
    return settings


async def _sum_up(options: Options, sandbox: Sandbox, before: Mapping[int, Fields]) -> Exit:
    """Count what came of the documents; filed is what changed and needs nobody any more."""
    async with open_memory(options) as memory:
        waiting = await memory.store.changes.waiting(instance=NAME, limit=1000)
        failed = (await memory.store.jobs.tally_all(NAME))[JobStatus.FAILED]
    review = {change.document.id for change in waiting}
    changed = {id_ for id_, fields in _fields(sandbox).items() if fields != before.get(id_)}
    filed = len(changed - review)
    console().print(f"{plural(filed, 'document')} filed, {len(review)} for review, {failed} failed")
    return Exit.OK if filed >= _ENOUGH else Exit.LOOK
