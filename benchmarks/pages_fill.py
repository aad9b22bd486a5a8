"""Fill a store for the dashboard: a few documents are really processed, and then copied."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

from benchmarks.copies import FIRST, SampleJobs, Size, copy_jobs
from core.access import NewToken, Permission
from core.documents import DocumentRef
from core.holds import PAUSE_ALL
from core.jobs import NewJob
from daemon.cli.arguments import Options
from daemon.context import open_context
from daemon.lifecycle import register_instances
from daemon.services import Services, open_services
from dashboard.auth.account import create_token
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from tests.builders import because

HOME, OFFICE = "home", "office"
WRITTEN, WAITING, FAILED, PENDING = 1, 39, 3, 4
"""Documents of the sandbox to process; the one for review has a new name."""
_SCANS = 30
"""Scans of each instance: more than a page shows."""
_FIELDS = ("title", "correspondent", "document_type", "tags", "date")
_TABLES = """
[limits]
documents_per_day = 0
price_in = 2.5
price_out = 10.0

[retry]
max_attempts = 1

[fields]
"""
_NO = {"finish_reason": "stop", "message": {"content": "I would rather not."}}
_RUBBISH = Answer(status=200, body=json.dumps({"choices": [_NO]}))


@dataclass(frozen=True, slots=True)
class FilledStore:
    """A filled store, and a token to log in with."""

    options: Options
    token: str
    newest_job: int
    """Id of the newest finished job, which is a copy."""


async def fill(sandbox: Sandbox, folder: Path, size: Size) -> FilledStore:
    """Fill a store of this size. Everything is paused, so that no job is claimed."""
    options = Options(folder / "config", folder / "data", log_at_least="critical")
    options.config.mkdir(parents=True)
    (options.config / "daemon.toml").write_text('time_zone = "Europe/Berlin"\n', encoding="utf-8")
    written = await _process(sandbox, options, "replace", WRITTEN)
    waiting = await _process(sandbox, options, "review", WAITING)
    sandbox.model.state.faults.add(Fault(path="/v1/chat/completions", times=None, effect=_RUBBISH))
    failed = await _process(sandbox, options, "review", FAILED)
    sandbox.model.state.faults.clear()
    pending, token = await _pause(options)
    samples = SampleJobs(written, waiting, failed, pending)
    await asyncio.to_thread(copy_jobs, options.data, samples, size)
    return FilledStore(options, token, FIRST + size.jobs - 2)


async def _process(sandbox: Sandbox, options: Options, mode: str, number: int) -> int:
    """Analyse one document with every field in this mode; return the id of its job."""
    modes = "\n".join(f'{field} = "{mode}"' for field in _FIELDS)
    for name in (HOME, OFFICE):
        settings = sandbox.settings(_TABLES + modes)
        (options.config / f"{name}.toml").write_text(settings, encoding="utf-8")
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(None)) as services,
    ):
        await register_instances(services)
        job = await _enqueue(services, number)
        assert [ended async for ended in services.processor().drain()]
        return job


async def _enqueue(services: Services, number: int) -> int:
    wanted = NewJob(DocumentRef(HOME, number), max_attempts=1)
    job = await services.store.jobs.enqueue(wanted, now=services.context.clock())
    assert job is not None
    return job.id


async def _pause(options: Options) -> tuple[int, str]:
    """Pause everything, record some scans, queue a job and create a token.

    Return job and token.
    """
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(None)) as services,
    ):
        now = memory.clock()
        await memory.store.holds.place(PAUSE_ALL, because("measured"), next_probe_at=None, now=now)
        for name in (HOME, OFFICE) * _SCANS:
            scan = await memory.store.scans.start(name, asked_by="hand", now=now)
            await memory.store.scans.finish(scan.id, now=now)
        token, _ = await create_token(memory.store, NewToken("bench", Permission.ADMIN), now=now)
        return await _enqueue(services, PENDING), token
