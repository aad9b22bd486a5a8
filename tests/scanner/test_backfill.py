"""The archive index follows Paperless, and holds nothing that it may not."""

from datetime import timedelta

import pytest

from core.archive import ArchiveSearch, IndexChoice, IndexMode
from core.names import TagMissing
from daemon.lifecycle import remove_unused_indexes
from daemon.services import Services
from paperless_client import (
    Document,
    NameLists,
    PaperlessClient,
    PaperlessError,
    Transport,
    build_http,
)
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import V2, V3
from scanner.backfill import IndexFiller, IndexRules, ReadingPace
from store.engine import INDEX_FILE_NAME
from tests.installation import HOME, Installation, process, texts_sent
from tests.store.builders import FakeClock

EVERY = frozenset({1, 2, 3})
PRIVATE = '[scan]\nexclude_tags = ["Privat"]\n'


async def update(services: Services) -> None:
    await services.index_fillers[HOME].update()


async def indexed(services: Services) -> frozenset[int]:
    return await services.store.index.list_ids(HOME)


async def found(services: Services, words: str) -> list[int]:
    results = await services.store.index.search(ArchiveSearch(words, frozenset({HOME})))
    return [hit.fields.ref.id for hit in results.hits]


@pytest.mark.parametrize("release", [V2, V3], ids=["v2", "v3"])
async def test_a_new_set_up_indexes_the_whole_archive(services: Services, sandbox: Sandbox) -> None:
    await update(services)

    assert await indexed(services) == EVERY
    assert await found(services, "stadtwerke") == [1]
    assert sorted(texts_sent(sandbox)) == [1, 2, 3]


async def test_a_second_update_reads_no_text(services: Services, sandbox: Sandbox) -> None:
    await update(services)
    sandbox.paperless.requests.clear()

    await update(services)

    assert sorted(texts_sent(sandbox)) == [1, 2, 3]
    assert len(sandbox.paperless.requests) == 1


async def test_an_interrupted_update_goes_on_where_it_stopped(
    services: Services, sandbox: Sandbox
) -> None:
    await process(services, 2)
    sent = texts_sent(sandbox).count(1)
    sandbox.paperless.faults.add(Fault(path="/api/documents/", nth=2, effect=Answer(status=503)))

    with pytest.raises(PaperlessError):
        await update(services)
    assert await indexed(services) == {2}
    await update(services)

    assert await indexed(services) == EVERY
    assert texts_sent(sandbox).count(1) == sent + 1


class CountingPaperless(PaperlessClient):
    """Counts how many requests for texts are under way at once."""

    now = most = 0

    async def fetch_documents(
        self, ids: frozenset[int], *, without_tags: frozenset[int]
    ) -> tuple[Document, ...]:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await super().fetch_documents(ids, without_tags=without_tags)
        finally:
            self.now -= 1


async def test_texts_are_requested_one_batch_at_a_time(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with build_http(timeout=timedelta(minutes=1), ca_file=None, headers={}) as http:
        client = CountingPaperless(Transport(sandbox.url, sandbox.token, http, clock=clock))
        filler = IndexFiller(
            HOME,
            NameLists(client, clock=clock),
            IndexRules(enabled=True),
            store=services.store,
            clock=clock,
            pace=ReadingPace(batch=1),
        )
        await filler.update()

    assert await indexed(services) == EVERY
    assert client.most == 1


async def test_a_changed_document_is_indexed_again(services: Services, sandbox: Sandbox) -> None:
    await update(services)

    sandbox.world.edit(2, title="Glasfaseranschluss")
    await update(services)

    assert await found(services, "glasfaseranschluss") == [2]
    assert texts_sent(sandbox).count(1) == 1


async def test_a_new_document_enters_and_a_vanished_one_leaves(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    await update(services)

    new = sandbox.world.add_document("Kaminkehrer", "scan.pdf", added=clock.advance(hours=1))
    sandbox.world.delete(1)
    await update(services)
    assert await found(services, "kaminkehrer") == [new.id]
    clock.advance(days=1)
    await update(services)

    assert await indexed(services) == {2, 3, new.id}


async def test_an_excluded_document_never_enters(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(2, tags=["Privat"])
    installation.configure(PRIVATE)
    async with installation.open() as services:
        await update(services)

        assert await indexed(services) == {1, 3}
    assert 2 not in texts_sent(sandbox)


async def test_a_document_leaves_when_it_gets_an_excluded_tag(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(PRIVATE)
    async with installation.open() as services:
        await update(services)
        assert await indexed(services) == EVERY

        sandbox.world.edit(3, tags=["Privat"])
        await update(services)

        assert await indexed(services) == {1, 2}


async def test_documents_leave_when_their_tag_becomes_excluded(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(2, tags=["Privat"])
    installation.configure()
    async with installation.open() as services:
        await update(services)
        assert await indexed(services) == EVERY
    installation.configure(PRIVATE)

    async with installation.open() as services:
        await update(services)
        assert await indexed(services) == {1, 3}
    installation.configure()
    async with installation.open() as services:
        await update(services)
        assert await indexed(services) == EVERY


async def test_nothing_enters_while_an_excluded_tag_is_unknown(
    installation: Installation,
) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privatt"]\n')
    async with installation.open() as services:
        with pytest.raises(TagMissing):
            await update(services)

        assert await indexed(services) == frozenset()


async def test_an_index_that_is_turned_off_is_deleted(installation: Installation) -> None:
    async with installation.open() as services:
        await update(services)
        assert (installation.data / INDEX_FILE_NAME).exists()
    installation.configure("[index]\nenabled = false\n")

    async with installation.open() as services:
        await update(services)
        await process(services, 1)

    assert not list(installation.data.glob(f"{INDEX_FILE_NAME}*"))


async def test_an_instance_that_left_the_settings_leaves_the_index(
    installation: Installation,
) -> None:
    attic = installation.config / "attic.toml"
    attic.write_text(installation.settings_file.read_text(encoding="utf-8"), encoding="utf-8")
    async with installation.open() as services:
        for filler in services.index_fillers.values():
            await filler.update()
    attic.unlink()

    async with installation.open() as services:
        await remove_unused_indexes(services)

        assert await services.store.index.list_ids("attic") == frozenset()
        assert await indexed(services) == EVERY


async def test_the_index_begins_at_the_day_that_is_set(installation: Installation) -> None:
    installation.configure("[index]\nsince = 2099-01-01\n")
    async with installation.open() as services:
        await update(services)
        assert await indexed(services) == frozenset()

        await process(services, 1)
        await update(services)

        assert await indexed(services) == {1}


async def test_with_include_tags_only_processed_documents_enter_until_the_owner_decides(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, tags=["Bank"])
    installation.configure('[scan]\ninclude_tags = ["Bank"]\n')
    async with installation.open() as services:
        filler = services.index_fillers[HOME]
        await process(services, 1)
        await update(services)
        assert await filler.get_mode() is IndexMode.ASK
        assert await indexed(services) == {1}

        await services.store.instances.choose_index(HOME, IndexChoice.ALL)
        await update(services)

        assert await indexed(services) == EVERY


async def test_a_processed_document_enters_the_index(services: Services) -> None:
    await process(services, 1)

    assert await found(services, "stadtwerke") == [1]


async def test_a_document_is_filed_although_the_index_cannot_be_written(
    services: Services, installation: Installation
) -> None:
    (installation.data / INDEX_FILE_NAME).mkdir()

    finished = await process(services, 1)

    assert finished.job.status == "completed"
