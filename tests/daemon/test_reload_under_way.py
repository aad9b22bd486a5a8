"""Settings change while a document is with the model: the stricter of both apply to the write."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import pytest

from actions.instances import pause, resume
from core.changes import ChangeState
from core.fields import FieldName
from core.jobs import Job, JobStatus
from daemon.reload import SettingsReloader
from daemon.services import ConnectedInstance, Services
from processor.processor import FinishedJob, Processor
from sandbox import Sandbox
from sandbox.paperless.persons import edit
from tests.installation import (
    HOME,
    MODEL_BLOCKED,
    Installation,
    blocking,
    changes_of,
    enqueue_document,
    patches,
    writes,
)

EXCLUDED = '[scan]\nexclude_tags = ["Privat"]\n'


class ReloadingProcessor:
    """A processor whose settings are reloaded on request."""

    def __init__(self, services: Services, installation: Installation) -> None:
        self.services = services
        self.processor: Processor = services.processor()
        self.reloader = SettingsReloader(
            services, installation.options, prepare=self._prepare, on_change=self._apply
        )

    async def reload(self) -> None:
        await self.reloader.reload()

    async def drain(self) -> list[FinishedJob]:
        return [finished async for finished in self.processor.drain()]

    @asynccontextmanager
    async def thinking(self, sandbox: Sandbox) -> AsyncIterator["asyncio.Task[list[FinishedJob]]"]:
        """Process document 1, and enter while the model thinks about it."""
        await enqueue_document(self.services, 1)
        async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, self.drain()) as working:
            yield working

    async def job(self) -> Job:
        [job] = await self.services.store.jobs.list()
        return job

    async def _prepare(self, _: Mapping[str, ConnectedInstance]) -> None: ...

    def _apply(self) -> None:
        self.processor.set_instances(self.services.instances, parallel=1)


@pytest.fixture
async def reloading(services: Services, installation: Installation) -> ReloadingProcessor:
    return ReloadingProcessor(services, installation)


async def test_a_field_that_is_set_to_review_meanwhile_is_not_written(
    reloading: ReloadingProcessor, installation: Installation, sandbox: Sandbox
) -> None:
    async with reloading.thinking(sandbox) as working:
        installation.configure(all_fields="review")
        await reloading.reload()
    await working

    states = {state for found in (await changes_of(reloading.services)).values() for state in found}
    assert writes(sandbox) == []
    assert states == {ChangeState.PROPOSED}
    assert (await reloading.job()).status is JobStatus.COMPLETED
    assert len(sandbox.model.state.chats()) == 1


async def test_only_the_stricter_mode_of_each_field_counts(
    reloading: ReloadingProcessor, installation: Installation, sandbox: Sandbox
) -> None:
    async with reloading.thinking(sandbox) as working:
        installation.configure('[fields]\ntitle = "replace"\ndate = "off"\n')
        await reloading.reload()
    await working

    changes = await changes_of(reloading.services)
    assert changes[FieldName.TITLE] == [ChangeState.APPLIED]
    assert changes[FieldName.CORRESPONDENT] == [ChangeState.PROPOSED]
    assert FieldName.DATE not in changes


async def test_a_mode_that_becomes_more_generous_counts_for_the_next_document(
    reloading: ReloadingProcessor, installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="review")
    await reloading.reload()

    async with reloading.thinking(sandbox) as working:
        installation.configure(all_fields="replace")
        await reloading.reload()
    await working
    before = writes(sandbox)
    await enqueue_document(reloading.services, 2)
    await reloading.drain()

    assert before == []
    assert len(patches(sandbox)) == 1


async def test_a_document_whose_tag_is_excluded_meanwhile_is_neither_written_nor_for_review(
    reloading: ReloadingProcessor, installation: Installation, sandbox: Sandbox
) -> None:
    edit(sandbox.world, 1, {"tags": ["Privat"]})

    async with reloading.thinking(sandbox) as working:
        installation.configure(EXCLUDED, all_fields="replace")
        await reloading.reload()
    await working

    assert writes(sandbox) == []
    assert (await reloading.job()).status is JobStatus.CANCELLED
    assert await changes_of(reloading.services) == {}


async def test_an_excluded_tag_that_someone_adds_meanwhile_prevents_the_write(
    reloading: ReloadingProcessor, installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(EXCLUDED, all_fields="replace")
    await reloading.reload()

    async with reloading.thinking(sandbox) as working:
        edit(sandbox.world, 1, {"tags": ["Privat"]})
    await working

    assert writes(sandbox) == []
    assert (await reloading.job()).status is JobStatus.CANCELLED


async def test_a_pause_meanwhile_prevents_the_write_until_it_ends_and_nothing_is_paid_twice(
    reloading: ReloadingProcessor, sandbox: Sandbox
) -> None:
    caller = reloading.services.caller

    async with reloading.thinking(sandbox) as working:
        await pause(caller, HOME)
    await working
    paused, before = await reloading.job(), writes(sandbox)
    await resume(caller, HOME)
    await reloading.drain()

    assert (paused.status, paused.attempts, before) == (JobStatus.PENDING, 0, [])
    assert (await reloading.job()).status is JobStatus.COMPLETED
    assert len(patches(sandbox)) == 1
    assert len(sandbox.model.state.chats()) == 1


async def test_the_job_of_a_removed_instance_waits_until_its_file_is_back(
    reloading: ReloadingProcessor, installation: Installation, sandbox: Sandbox
) -> None:
    async with reloading.thinking(sandbox) as working:
        installation.settings_file.unlink()
        await reloading.reload()
    await working
    waiting, before = await reloading.job(), writes(sandbox)
    idle = await reloading.drain()
    installation.configure(all_fields="replace")
    await reloading.reload()
    await reloading.drain()

    assert (waiting.status, waiting.attempts, before, idle) == (JobStatus.PENDING, 0, [], [])
    assert (await reloading.job()).status is JobStatus.COMPLETED
    assert len(patches(sandbox)) == 1
    assert len(sandbox.model.state.chats()) == 1


async def test_a_job_under_way_keeps_its_model_and_its_prompt(
    reloading: ReloadingProcessor, installation: Installation, sandbox: Sandbox
) -> None:
    async with reloading.thinking(sandbox) as working:
        text = installation.settings_file.read_text()
        text = text.replace("[ai]", '[ai]\ninstructions = "Write in verse."')
        installation.settings_file.write_text(text.replace("sandbox-model", "other-model"))
        await reloading.reload()
    await working

    result = await reloading.services.store.results.get_final((await reloading.job()).id)
    assert result is not None
    assert result.analysis.model == "sandbox-model"
    assert len(patches(sandbox)) == 1
