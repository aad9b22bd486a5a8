"""A list is read whole, or not at all."""

import pytest

from core.messages import plain
from paperless_client import ListChanged, NamedObject, Page
from paperless_client.requests import iterate_entries


def a_page(*ids: int, count: int, more: bool = False) -> Page[NamedObject]:
    results = tuple(NamedObject(id=id_, name=f"name {id_}") for id_ in ids)
    return Page[NamedObject](count=count, has_next=more, results=results)


async def read(*pages: Page[NamedObject]) -> list[int]:
    async def fetch(number: int) -> Page[NamedObject]:
        return pages[min(number, len(pages)) - 1]

    return [entry.id async for entry in iterate_entries(fetch, action=plain("list the tags"))]


async def test_all_pages_are_read_in_their_order() -> None:
    assert await read(a_page(3, 1, count=3, more=True), a_page(2, count=3)) == [3, 1, 2]


async def test_an_empty_list_is_a_list() -> None:
    assert await read(a_page(count=0)) == []


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ((a_page(1, count=2),), "fewer came than were announced"),
        ((a_page(1, 1, count=2),), "the same came twice in place of another"),
        ((a_page(1, 2, count=4, more=True), a_page(4, count=3)), "one was deleted, one not seen"),
        ((a_page(1, 2, count=3, more=True), a_page(2, 3, count=4)), "one was added before"),
        ((a_page(1, 2, count=9, more=True),), "the same page comes for ever"),
    ],
)
async def test_a_list_that_is_not_whole_is_an_error(
    pages: tuple[Page[NamedObject], ...], reason: str
) -> None:
    with pytest.raises(ListChanged, match="could not list the tags"):
        await read(*pages)

    assert reason
