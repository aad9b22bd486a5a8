"""Adopted documents: rows that another tool's work leaves, and that can be forgotten again."""

from core.documents import DocumentState
from core.scans import ScanCoverage, ScanMark
from store import Store
from tests.store.builders import HOME_7, FakeClock, enqueue_job


async def test_only_unknown_documents_are_adopted(store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock)

    adopted = await store.adoption.adopt("home", {7: "Known", 8: "New"}, now=clock())
    again = await store.adoption.adopt("home", {8: "New"}, now=clock())

    known = await store.documents.get_many("home", [7, 8])
    assert (adopted, again) == (1, 0)
    assert known[7].state is DocumentState.QUEUED
    assert (known[8].state, known[8].title) == (DocumentState.ADOPTED, "New")
    assert await store.adoption.list_adopted("home") == {8}
    assert await store.adoption.list_adopted("office") == frozenset()


async def test_a_withdrawn_adoption_leaves_no_row_and_the_list_is_read_anew(
    store: Store, clock: FakeClock
) -> None:
    await store.adoption.adopt("home", {7: "a", 8: "b", 9: "c"}, now=clock())
    scan = await store.scans.start("home", asked_by="hand", now=clock())
    mark = ScanMark(clock(), "rules", None, whole_at=clock(), passed_at=clock())
    await store.scans.finish(scan.id, coverage=ScanCoverage(mark=mark), now=clock())

    withdrawn = await store.adoption.withdraw("home", frozenset({7, 8}))

    assert withdrawn == 2
    assert list(await store.documents.get_many("home", [7, 8, 9])) == [9]
    assert await store.scans.get_mark("home") is None


async def test_a_document_processed_since_is_not_adopted_any_more(
    store: Store, clock: FakeClock
) -> None:
    await store.adoption.adopt("home", {7: "a"}, now=clock())
    await enqueue_job(store, clock)

    assert await store.adoption.withdraw("home", frozenset({7})) == 0
    known = await store.documents.get(HOME_7)
    assert known is not None
    assert known.state is DocumentState.QUEUED


async def test_an_ignored_document_returns_to_what_it_was_or_to_nothing(
    store: Store, clock: FakeClock
) -> None:
    await store.adoption.adopt("home", {7: "a"}, now=clock())
    await store.documents.ignore(HOME_7, by="anna", now=clock())
    kept = await store.documents.unignore(HOME_7, now=clock())
    await store.documents.ignore(HOME_7, by="anna", now=clock())
    await store.adoption.withdraw("home", frozenset({7}))
    forgotten = await store.documents.unignore(HOME_7, now=clock())

    assert kept is not None
    assert kept.state is DocumentState.ADOPTED
    assert forgotten is None
