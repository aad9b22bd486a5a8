"""What enters the index, what leaves it, and what is left behind."""

import asyncio
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from core.archive import ArchiveSearch
from core.documents import DocumentRef
from store import Store, open_store
from store.database import in_transaction
from store.engine import INDEX_FILE_NAME, index_engines_for
from store.index import postgres, sqlite
from store.index.documents import list_chunks, remove_chunk
from store.index.text import MAX_CHUNK
from tests.store.builders import NOON, FakeClock
from tests.store.conftest import Place
from tests.store.index.test_search import HOME, INVOICE, LEASE, a_document, fill, find

LONG = "Gutachten zum Dachstuhl.\n" * (2 * MAX_CHUNK // 20)


async def test_a_changed_text_replaces_the_former_one(store: Store) -> None:
    await fill(store, a_document(1, LEASE), a_document(1, INVOICE))

    assert await find(store, "rechnung") == [1]
    assert await find(store, "mietvertrag") == []
    assert (await store.index.get_state("home")).documents == 1


@pytest.mark.parametrize(("former", "new"), [(LONG, INVOICE), (INVOICE, LONG), (LONG, LONG + "x")])
async def test_a_long_text_replaces_and_is_replaced(store: Store, former: str, new: str) -> None:
    await fill(store, a_document(1, former), a_document(1, new))

    found = [await find(store, word) for word in ("gutachten", "rechnung")]

    assert found == ([[1], []] if new != INVOICE else [[], [1]])


async def test_a_changed_title_is_found_and_the_former_is_not(store: Store) -> None:
    await fill(store, a_document(1, LEASE, title="Scan"), a_document(1, LEASE, title="Mietsache"))

    assert await find(store, "mietsache") == [1]
    assert await find(store, "scan") == []
    assert await find(store, "kaltmiete") == [1]


async def test_changed_fields_are_stored_without_a_new_text(store: Store) -> None:
    later = NOON + timedelta(days=1)
    await fill(store, a_document(1, LEASE))

    await fill(store, a_document(1, LEASE, correspondent=9, modified=later))

    [hit] = (await store.index.search(ArchiveSearch("kaltmiete", HOME))).hits
    assert hit.fields.correspondent == 9
    assert await store.index.list_modified("home", [1, 2]) == {1: later}


async def test_documents_of_every_kind_are_written_together(store: Store) -> None:
    await fill(
        store, a_document(1, LEASE), a_document(2, INVOICE), a_document(3, LONG), a_document(4, "")
    )

    await store.index.put(
        a_document(1, LEASE, title="Mietsache"),
        a_document(2, "Kontoauszug"),
        a_document(3, f"{LONG} Nachtrag"),
        a_document(4, LONG),
        a_document(5, "Kontoauszug"),
        a_document(5, "Kontoauszug der Sparkasse"),
        a_document(5, "Bußgeldbescheid", "attic"),
    )

    words = ("mietsache", "kontoauszug", "rechnung", "nachtrag", "gutachten", "sparkasse")
    found = [sorted(await find(store, word)) for word in words]
    assert found == [[1], [2, 5], [], [3], [3, 4], [5]]
    assert await find(store, "bußgeldbescheid", instances=frozenset({"attic"})) == [5]
    assert await store.index.list_modified("home", range(9)) == dict.fromkeys(range(1, 6), NOON)


async def test_removed_documents_are_not_found(store: Store) -> None:
    await fill(store, a_document(1, LEASE), a_document(2, LONG), a_document(3, INVOICE))

    removed = await store.index.remove([DocumentRef("home", id_) for id_ in (1, 2, 99)])

    assert removed == 2
    assert await find(store, "mietvertrag") == await find(store, "gutachten") == []
    assert await store.index.list_ids("home") == {3}


async def test_documents_with_a_tag_are_removed(store: Store) -> None:
    await fill(
        store,
        a_document(1, LEASE, tags=frozenset({1, 2})),
        a_document(2, LEASE, tags=frozenset({12})),
        a_document(3, LEASE, "attic", tags=frozenset({2})),
    )

    assert await store.index.remove_tagged("home", {2, 5}) == 1
    assert await store.index.list_ids("home") == {2}
    assert await store.index.list_ids("attic") == {3}


async def test_an_instance_is_removed_without_the_others(store: Store) -> None:
    await fill(store, a_document(1, LEASE), a_document(1, LEASE, "attic"))

    await store.index.remove_instance("home")

    assert await find(store, "mietvertrag", instances=frozenset({"home", "attic"})) == [1]
    assert (await store.index.get_state("home")).excluded_tags is None


async def test_the_state_tells_how_far_the_index_is(store: Store) -> None:
    await fill(store, a_document(1, LEASE), a_document(2, LEASE, modified=NOON + timedelta(1)))
    await store.index.set_excluded_tags("home", {"Privat", "Bank"})
    await store.index.set_passed("home", NOON, "all")

    state = await store.index.get_state("home")

    assert state.documents == 2
    assert state.excluded_tags == frozenset({"Privat", "Bank"})
    assert (state.passed_at, state.scope) == (NOON, "all")
    assert state.newest_modified == NOON + timedelta(1)


async def test_the_index_is_kept_when_the_store_is_opened_again(
    place: Place, clock: FakeClock
) -> None:
    async with open_store(place.url, place.data, clock=clock) as store:
        await fill(store, a_document(1, LEASE))

    async with open_store(place.url, place.data, clock=clock) as store:
        assert await find(store, "mietvertrag") == [1]


async def test_the_text_of_a_removed_document_is_gone_from_the_disk(
    sqlite_place: Place, clock: FakeClock
) -> None:
    secret = "Geheimniskrämerei"
    async with open_store(None, sqlite_place.data, clock=clock) as store:
        await fill(
            store,
            *(a_document(id_, f"{LEASE} {id_}") for id_ in range(2, 20)),
            a_document(1, f"{LONG} {secret} " * 2, title=secret),
        )
        assert b"geheimniskramerei" in read_all(sqlite_place.data)

        await store.index.remove([DocumentRef("home", 1)])

        assert b"geheimniskramerei" not in read_all(sqlite_place.data)
        assert len(await find(store, "kaltmiete")) == 18


def read_all(data: Path) -> bytes:
    """Return all bytes of the index and its logs; trigrams show a word only in the vocabulary."""
    return b"".join(file.read_bytes() for file in data.glob(f"{INDEX_FILE_NAME}*"))


async def test_the_file_is_private_and_goes_with_its_last_instance(
    sqlite_place: Place, clock: FakeClock
) -> None:
    file = sqlite_place.data / INDEX_FILE_NAME
    async with open_store(None, sqlite_place.data, clock=clock) as store:
        assert not file.exists()
        await fill(store, a_document(1, LEASE))
        assert file.stat().st_mode & 0o777 == 0o600

        await store.index.remove_instance("home")

        assert list(sqlite_place.data.glob(f"{INDEX_FILE_NAME}*")) == []
        await fill(store, a_document(2, LEASE))
        assert await find(store, "mietvertrag") == [2]


async def test_a_deleted_file_is_created_anew(sqlite_place: Place, clock: FakeClock) -> None:
    async with open_store(None, sqlite_place.data, clock=clock) as store:
        await fill(store, a_document(1, LEASE))
        for file in sqlite_place.data.glob(f"{INDEX_FILE_NAME}*"):
            file.unlink()

        assert await find(store, "mietvertrag") == []
        await fill(store, a_document(2, LEASE))
        assert await find(store, "mietvertrag") == [2]


async def test_a_file_of_another_version_is_built_anew(
    sqlite_place: Place, clock: FakeClock
) -> None:
    file = sqlite_place.data / INDEX_FILE_NAME
    async with open_store(None, sqlite_place.data, clock=clock) as store:
        await fill(store, a_document(1, LEASE))
    set_user_version(file, 999)

    async with open_store(None, sqlite_place.data, clock=clock) as store:
        assert await find(store, "mietvertrag") == []
        await fill(store, a_document(2, LEASE))
        assert await find(store, "mietvertrag") == [2]


async def test_a_damaged_file_is_built_anew(sqlite_place: Place, clock: FakeClock) -> None:
    (sqlite_place.data / INDEX_FILE_NAME).write_bytes(b"no database " * 1000)

    async with open_store(None, sqlite_place.data, clock=clock) as store:
        await fill(store, a_document(2, LEASE))

        assert await find(store, "mietvertrag") == [2]


async def test_an_outdated_file_is_deleted_with_its_instance(
    sqlite_place: Place, clock: FakeClock
) -> None:
    file = sqlite_place.data / INDEX_FILE_NAME
    async with open_store(None, sqlite_place.data, clock=clock) as store:
        await fill(store, a_document(1, LEASE))
    set_user_version(file, 999)

    async with open_store(None, sqlite_place.data, clock=clock) as store:
        await store.index.remove_instance("home")

    assert not file.exists()


def set_user_version(file: Path, version: int) -> None:
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


async def test_a_document_left_half_written_is_written_again(place: Place, store: Store) -> None:
    document = a_document(1, LONG)
    await fill(store, document)
    engines = index_engines_for(place.url, place.data)
    last = max(in_transaction(engines.writer, list_chunks, document.fields.ref))
    in_transaction(engines.writer, remove_chunk, sqlite if engines.file else postgres, last)
    engines.dispose()
    assert await store.index.list_modified("home", [1]) == {}

    await fill(store, document)

    assert await store.index.list_modified("home", [1]) == {1: NOON}


async def test_a_long_document_written_twice_at_once_is_whole(store: Store) -> None:
    document = a_document(1, LONG)

    await asyncio.gather(fill(store, document), fill(store, a_document(1, LONG + " Nachtrag")))

    assert await find(store, "dachstuhl") == [1]
    assert await store.index.list_modified("home", [1]) == {1: NOON}
    assert await store.index.remove([document.fields.ref]) == 1
    assert await find(store, "dachstuhl") == []
