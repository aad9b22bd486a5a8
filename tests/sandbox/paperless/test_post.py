"""Letters that are under way to the sandbox."""

from datetime import UTC, date, datetime

import pytest

from sandbox.paperless import PendingDocuments, World

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)


@pytest.fixture
def world() -> World:
    world = World(clock=lambda: NOON)
    for number in (1, 2, 3):
        world.add_document(
            f"Text {number}", f"scan_{number}.pdf", added=datetime(2026, 9, 1, tzinfo=UTC)
        )
    return world


def test_a_letter_under_way_is_not_there_yet(world: World) -> None:
    post = PendingDocuments(world, [3, 1])

    assert (list(world.documents), len(post)) == ([2], 2)


def test_a_letter_arrives_under_its_number_as_if_it_had_just_been_scanned(world: World) -> None:
    post = PendingDocuments(world, [3, 1])

    letter = post.deliver()

    assert (world.documents[3], len(post)) == (letter, 1)
    assert (letter.added, letter.modified, letter.created) == (NOON, NOON, date(2026, 11, 17))


def test_the_next_document_gets_a_number_of_its_own_all_the_same(world: World) -> None:
    PendingDocuments(world, [3])

    assert world.add_document("Text", "scan_4.pdf").id == 4
