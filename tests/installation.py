"""An installation for tests: settings, a data folder, and the sandbox as Paperless and model."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from core.changes import Change, ChangeState
from core.documents import DocumentRef
from core.fields import Field, FieldMode, FieldName
from core.jobs import ANALYZE, Job, NewJob, Priority
from core.scans import Scan
from core.settings import FieldsSettings
from daemon.cli.arguments import Options
from daemon.context import open_context
from daemon.lifecycle import register_instances
from daemon.services import Services, open_services
from processor.processor import FinishedJob
from sandbox import Sandbox
from sandbox.faults import Delay, Fault, Faults
from sandbox.paperless import persons
from scanner.scan import ScanOrder
from store.engine import FILE_NAME, engines_for
from store.migrate import prepare_database
from tests.store.builders import NOON, FakeClock
from tests.waiting import HELD, LONG

T = TypeVar("T")
HOME = "home"
COMPLETIONS = "/v1/chat/completions"
FIELDS_ON = tuple(
    field for field in FieldName if FieldsSettings().mode_of(field) is not FieldMode.OFF
)
"""The fields that are requested by default."""
BULK_EDIT = "/api/documents/bulk_edit/"


class Installation:
    """Settings and data folder; instance `home` has the sandbox's Paperless."""

    def __init__(self, sandbox: Sandbox, folder: Path, clock: FakeClock) -> None:
        self.sandbox = sandbox
        self.clock = clock
        self.config = folder / "config"
        self.data = folder / "data"
        self.config.mkdir(0o700)
        self.data.mkdir(0o700)

    @staticmethod
    def migrated(folder: Path) -> Path:
        """Create an empty database that can be copied."""
        engines = engines_for(None, folder)
        prepare_database(engines, folder, now=NOON)
        engines.dispose()
        return folder / FILE_NAME

    def copy_database(self, database: Path) -> None:
        """Copy an empty database into the data folder."""
        (self.data / FILE_NAME).write_bytes(database.read_bytes())

    def remove_database(self) -> None:
        """Move the database away while processes have it open."""
        self._move_database(self.data, self.data / "away")

    def restore_database(self) -> None:
        self._move_database(self.data / "away", self.data)

    @property
    def options(self) -> Options:
        return Options(self.config, self.data)

    @property
    def settings_file(self) -> Path:
        return self.config / f"{HOME}.toml"

    def configure(self, tables: str = "", *, all_fields: str = "", stream: bool = False) -> None:
        """Write the settings; `all_fields` is the mode of every field that is on by default."""
        if all_fields:
            modes = "\n".join(f'{field} = "{all_fields}"' for field in FIELDS_ON)
            tables += f"\n[fields]\n{modes}\n"
        self.settings_file.write_text(self.sandbox.settings(tables, stream=stream), "utf-8")

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Services]:
        """Open the services with the current settings."""
        async with (
            open_context(self.options, clock=self.clock) as memory,
            open_services(memory, memory.select_instances(None)) as services,
        ):
            await register_instances(services)
            yield services

    @staticmethod
    def _move_database(source: Path, target: Path) -> None:
        target.mkdir(exist_ok=True)
        for file in source.glob(f"{FILE_NAME}*"):
            file.rename(target / file.name)


def home(id_: int) -> DocumentRef:
    return DocumentRef(HOME, id_)


async def scan(services: Services, order: ScanOrder | None = None) -> Scan:
    return await services.scanners[HOME].scan(order or ScanOrder())


async def drain(services: Services) -> list[FinishedJob]:
    return [outcome async for outcome in services.processor().drain()]


async def enqueue_document(
    services: Services, id_: int, kind: str = ANALYZE, **payload: object
) -> Job:
    """Enqueue one document, as a person would."""
    wanted = NewJob(home(id_), kind, Priority.BY_HAND, asked_by="hand", payload=payload)
    job = await services.store.jobs.enqueue(wanted, now=services.context.clock())
    assert job is not None
    return job


async def process(services: Services, id_: int = 1) -> FinishedJob:
    """Enqueue and analyse one document."""
    await enqueue_document(services, id_)
    return await drain_one(services)


async def drain_one(services: Services) -> FinishedJob:
    """Process the only due job."""
    [finished] = await drain(services)
    return finished


async def run_while_blocked(
    faults: Faults, fault: Fault, work: Coroutine[Any, Any, T], action: Callable[[], object]
) -> T:
    """Start `work`, run `action` while the fault delays a request, then release it."""
    async with blocking(faults, fault, work) as task:
        action()
    return await task


@asynccontextmanager
async def blocking(
    faults: Faults, fault: Fault, work: Coroutine[Any, Any, T]
) -> AsyncIterator["asyncio.Task[T]"]:
    """Start `work`; enter when the fault delays a request, and release it at the end."""
    faults.add(fault)
    task = asyncio.create_task(work)
    await asyncio.to_thread(_wait_for, faults, fault)
    try:
        yield task
    finally:
        faults.release()


def _wait_for(faults: Faults, fault: Fault) -> None:
    while fault not in (struck := faults.struck):
        assert faults.wait_for_strikes(len(struck) + 1, LONG), "no request was delayed"


def blocked(path: str, *, method: str = "*", nth: int = 1) -> Fault:
    """Return a fault that delays the nth such request until it is released."""
    return Fault(method=method, path=path, nth=nth, effect=Delay(seconds=HELD))


ONLY_BY_HAND = "[scan]\nenabled = false\n"
"""For a daemon with a real clock, whose timer would otherwise scan during the test."""
MODEL_BLOCKED = blocked(COMPLETIONS)
"""Delays the first model call until it is released."""


def snapshot(sandbox: Sandbox) -> dict[int, dict[str, object]]:
    """Return every field of every document except `modified`."""
    world = sandbox.world
    with world.lock:
        documents = [
            persons.describe_document(world, document) for document in world.documents.values()
        ]
    return {
        int(str(document["id"])): {k: v for k, v in document.items() if k != "modified"}
        for document in documents
    }


def fields_of(sandbox: Sandbox, id_: int = 1) -> dict[str, object]:
    return snapshot(sandbox)[id_]


def writes(sandbox: Sandbox) -> list[tuple[str, str]]:
    """Return method and path of every request that may write."""
    sent = sandbox.paperless.requests
    return [(request.method, request.path) for request in sent if request.method != "GET"]


def patches(sandbox: Sandbox) -> list[object]:
    """Return the body of every PATCH."""
    return [request.body for request in sandbox.paperless.requests if request.method == "PATCH"]


def texts_sent(sandbox: Sandbox) -> list[int]:
    """Return the documents whose text Paperless has sent, once per response."""
    with sandbox.world.lock:
        return list(sandbox.world.texts_sent)


def by_field(changes: tuple[Change, ...]) -> dict[Field, list[ChangeState]]:
    """Return the states of changes, by field."""
    states: dict[Field, list[ChangeState]] = {}
    for change in changes:
        states.setdefault(change.field, []).append(change.state)
    return states


async def changes_of(services: Services, id_: int = 1) -> dict[Field, list[ChangeState]]:
    return by_field(await services.store.changes.list_for_document(home(id_)))
