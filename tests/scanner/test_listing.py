"""Each document once, whatever comes and goes between two pages."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperless_client import DocumentQuery, DocumentSummary, PaperlessClient, Transport
from scanner.listing import FullListing, build_changed_query, fetch_pages
from scanner.selection import Selection
from tests.builders import NOW, a_summary

SIGNATURE = {"x-version": "3.0.5", "x-api-version": "10"}


class Shelf:
    """Lists documents as Paperless does: by page, without a snapshot."""

    def __init__(self, documents: Iterable[DocumentSummary]) -> None:
        self.documents = {document.id: document for document in documents}
        self.asked: list[dict[str, str]] = []
        self.meanwhile: dict[int, Callable[[], object]] = {}
        """What happens after so many pages."""

    def answer(self, request: httpx.Request) -> httpx.Response:
        params = dict(request.url.params)
        if params.get("id") == "0":
            empty: dict[str, object] = {"count": 0, "next": None, "results": []}
            return httpx.Response(200, json=empty, headers=SIGNATURE)
        self.asked.append(params)
        page, size = int(params["page"]), int(params["page_size"])
        found = self._found(params)
        start, end = (page - 1) * size, page * size
        shown = [document.model_dump(mode="json") for document in found[start:end]]
        self.meanwhile.get(len(self.asked), lambda: None)()
        if page > 1 and not shown:
            return httpx.Response(404, json={"detail": "Invalid page."}, headers=SIGNATURE)
        following = "http://elsewhere/" if len(found) > end else None
        body = {"count": len(found), "next": following, "results": shown}
        return httpx.Response(200, json=body, headers=SIGNATURE)

    def _found(self, params: dict[str, str]) -> list[DocumentSummary]:
        tags = {int(tag) for tag in params.get("tags__id__all", "").split(",") if tag}
        ids = {int(id_) for id_ in params.get("id__in", "").split(",") if id_}
        fitting = [
            document
            for document in self.documents.values()
            if tags <= document.tags
            and (not ids or document.id in ids)
            and _within(document.added, params, "added")
            and _within(document.modified, params, "modified")
        ]
        if params["ordering"] == "modified,id":
            return sorted(fitting, key=lambda document: (document.modified, document.id))
        assert params["ordering"] == "-id"
        return sorted(fitting, key=lambda document: document.id, reverse=True)


def _within(moment: datetime, params: dict[str, str], field: str) -> bool:
    since, until = params.get(f"{field}__gte"), params.get(f"{field}__lte")
    return (since is None or moment >= datetime.fromisoformat(since)) and (
        until is None or moment <= datetime.fromisoformat(until)
    )


@asynccontextmanager
async def client_of(shelf: Shelf) -> AsyncIterator[PaperlessClient]:
    async with httpx.AsyncClient(transport=httpx.MockTransport(shelf.answer)) as http:
        client = PaperlessClient(Transport("http://paperless", "token", http, clock=lambda: NOW))
        yield client


async def pages(
    shelf: Shelf, selection: Selection | None = None, *, size: int = 3
) -> list[list[int]]:
    """Read the whole list and return the ids on each page."""
    async with client_of(shelf) as client:
        listing = FullListing(client, selection or Selection(), now=NOW, page_size=size)
        return [[document.id for document in page] async for page in listing.pages()]


async def ids(shelf: Shelf, selection: Selection | None = None, *, size: int = 3) -> list[int]:
    return [id_ for page in await pages(shelf, selection, size=size) for id_ in page]


async def ids_of_changes(
    shelf: Shelf, span: DocumentQuery | None = None, *, size: int = 3
) -> list[int]:
    """Read what was modified in a span, by default at any time."""
    span = span or build_changed_query(
        Selection(), NOW - timedelta(days=900), NOW + timedelta(days=900)
    )
    async with client_of(shelf) as client:
        listing = fetch_pages(client, span, page_size=size)
        return [document.id async for page in listing for document in page]


def an_hour_apart(count: int) -> list[DocumentSummary]:
    """Build documents of which the one with the highest number is the newest."""
    return [a_summary(id_, added=NOW + timedelta(hours=id_)) for id_ in range(1, count + 1)]


def at_once(ids: Iterable[int], *, added: datetime = NOW) -> list[DocumentSummary]:
    return [a_summary(id_, added=added) for id_ in ids]


async def test_documents_come_newest_first_each_once() -> None:
    shelf = Shelf(an_hour_apart(7))

    assert await ids(shelf) == [7, 6, 5, 4, 3, 2, 1]


async def test_an_empty_archive_is_one_empty_page() -> None:
    shelf = Shelf([])

    assert await pages(shelf) == [[]]
    assert len(shelf.asked) == 1


async def test_what_fits_on_one_page_costs_one_request() -> None:
    shelf = Shelf(an_hour_apart(3))

    assert await pages(shelf) == [[3, 2, 1]]
    assert len(shelf.asked) == 1


async def test_only_tags_and_arrival_are_left_to_paperless() -> None:
    shelf = Shelf(
        [
            a_summary(1, tags=[1, 2], added=NOW),
            a_summary(2, tags=[1], added=NOW),
            a_summary(3, tags=[1, 2], added=NOW - timedelta(days=2)),
            a_summary(4, tags=[1, 2, 9], added=NOW),
        ]
    )
    selection = Selection(
        include=frozenset({1, 2}), exclude=frozenset({9}), since=NOW - timedelta(days=1)
    )

    # What is excluded is listed as well, so that the report can say so.
    assert await ids(shelf, selection) == [4, 1]


async def test_a_document_deleted_between_two_pages_hides_no_other() -> None:
    shelf = Shelf(an_hour_apart(9))
    shelf.meanwhile = {1: lambda: [shelf.documents.pop(id_) for id_ in (9, 8)]}

    assert await ids(shelf) == [9, 8, 7, 6, 5, 4, 3, 2, 1]


async def test_a_document_that_arrives_between_two_pages_shows_no_other_twice() -> None:
    shelf = Shelf(an_hour_apart(7))
    new = a_summary(99, added=NOW + timedelta(days=9))
    shelf.meanwhile = {1: lambda: shelf.documents.update({99: new})}

    assert await ids(shelf) == [7, 6, 5, 4, 3, 2, 1]


async def test_documents_that_lose_the_tag_asked_for_hide_no_other() -> None:
    """The processor takes the trigger tag off while the scan goes on."""
    shelf = Shelf(a_summary(d.id, tags=[1], added=d.added) for d in an_hour_apart(9))

    def untag(*ids: int) -> None:
        for id_ in ids:
            shelf.documents[id_] = shelf.documents[id_].model_copy(update={"tags": frozenset()})

    shelf.meanwhile = {1: lambda: untag(9, 8, 7), 2: lambda: untag(6, 5)}

    assert await ids(shelf, Selection(include=frozenset({1}))) == [9, 8, 7, 6, 5, 4, 3, 2, 1]


async def test_the_rest_of_the_archive_may_vanish_under_way() -> None:
    shelf = Shelf(an_hour_apart(9))
    shelf.meanwhile = {1: shelf.documents.clear}

    assert await pages(shelf) == [[9, 8, 7], []]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 10, 11])
async def test_many_documents_of_one_moment_are_all_seen(size: int) -> None:
    shelf = Shelf(
        [
            *at_once(range(1, 4), added=NOW - timedelta(hours=1)),
            *at_once(range(4, 11)),
            *at_once([11], added=NOW + timedelta(hours=1)),
        ]
    )

    assert await ids_of_changes(shelf, size=size) == list(range(1, 12))


async def test_pages_are_counted_only_within_one_moment() -> None:
    shelf = Shelf([*at_once(range(1, 8)), *an_hour_apart(5)])

    await ids_of_changes(shelf, size=2)

    for asked in shelf.asked:
        assert asked["page"] == "1" or asked["modified__gte"] == NOW.isoformat()


async def test_moments_are_told_apart_to_the_microsecond_and_in_any_offset() -> None:
    berlin = datetime.fromisoformat("2026-10-25T02:30:00.000001+02:00")
    later = datetime.fromisoformat("2026-10-25T02:30:00.000001+01:00")
    shelf = Shelf(
        [
            a_summary(1, added=berlin),
            a_summary(2, added=berlin + timedelta(microseconds=1)),
            a_summary(3, added=later),
        ]
    )

    assert await ids_of_changes(shelf, size=1) == [1, 2, 3]


async def test_documents_that_leave_one_moment_hide_no_other() -> None:
    shelf = Shelf(at_once(range(1, 10)))
    shelf.meanwhile = {2: lambda: [shelf.documents.pop(id_) for id_ in (1, 2)]}

    assert sorted(await ids_of_changes(shelf, size=2)) == [1, 2, 3, 4, 5, 6, 7, 8, 9]


async def test_a_moment_that_has_lost_its_last_page_is_read_again() -> None:
    shelf = Shelf(at_once(range(1, 6)))
    shelf.meanwhile = {3: lambda: [shelf.documents.pop(id_) for id_ in (1, 2, 3)]}

    assert sorted(await ids_of_changes(shelf, size=2)) == [1, 2, 3, 4, 5]


async def test_a_moment_that_shrinks_all_the_time_is_come_to_an_end_with() -> None:
    shelf = Shelf(at_once(range(1, 41)))
    left = iter(range(1, 41))
    shelf.meanwhile = {n: lambda: shelf.documents.pop(next(left), None) for n in range(2, 200)}

    await ids_of_changes(shelf, size=2)

    assert len(shelf.asked) < 60


async def test_what_was_modified_in_a_span_comes_oldest_first() -> None:
    shelf = Shelf(an_hour_apart(9))
    span = build_changed_query(Selection(), NOW + timedelta(hours=3), NOW + timedelta(hours=7))

    assert await ids_of_changes(shelf, span) == [3, 4, 5, 6, 7]


async def test_what_is_modified_meanwhile_hides_no_other_and_is_left_for_the_next_time() -> None:
    shelf = Shelf(an_hour_apart(9))
    span = build_changed_query(Selection(), NOW, NOW + timedelta(hours=9))

    def touch(*ids: int) -> None:
        later = {"modified": NOW + timedelta(days=1)}
        for id_ in ids:
            shelf.documents[id_] = shelf.documents[id_].model_copy(update=later)

    shelf.meanwhile = {1: lambda: touch(1, 2, 3, 8)}

    assert await ids_of_changes(shelf, span) == [1, 2, 3, 4, 5, 6, 7, 9]


@settings(max_examples=50)
@given(
    hours=st.lists(st.integers(min_value=0, max_value=4), max_size=12),
    size=st.integers(min_value=1, max_value=5),
)
async def test_every_archive_is_listed_whole_and_in_order(hours: list[int], size: int) -> None:
    documents = [
        a_summary(id_, added=NOW + timedelta(hours=hour)) for id_, hour in enumerate(hours, 1)
    ]
    newest_first = [document.id for document in reversed(documents)]
    by_change = sorted(documents, key=lambda document: (document.modified, document.id))

    assert await ids(Shelf(documents), size=size) == newest_first
    assert await ids_of_changes(Shelf(documents), size=size) == [
        document.id for document in by_change
    ]
