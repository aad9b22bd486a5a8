"""The state of the sandbox's Paperless, and people who change it."""

from datetime import UTC, date, datetime

import httpx
import pytest

from sandbox.paperless import Kind, World
from sandbox.paperless.clock import Clock
from sandbox.paperless.persons import describe_document


def test_a_new_document_has_the_stem_of_its_file_as_title_and_the_day_added_as_date() -> None:
    world = World()

    # Half past ten in the evening in UTC is the next day in Berlin, in summer.
    added = datetime(2026, 7, 1, 22, 30, tzinfo=UTC)
    document = world.add_document("Text", "Rechnung.Mai.pdf", added=added)

    assert (document.id, document.title, document.created) == (1, "Rechnung.Mai", date(2026, 7, 2))
    assert (document.mime_type, document.owner) == ("application/pdf", None)


def test_a_very_long_file_name_is_cut_to_the_length_of_a_title() -> None:
    assert len(World().add_document("", "x" * 200 + ".pdf").title) == 128


def test_an_edit_by_a_person_changes_the_fields_and_bumps_modified(world: World) -> None:
    before = world.documents[1].modified

    world.edit(
        1,
        title="Strom",
        content="neu",
        created="2026-01-31",
        owner="admin",
        tags=["Neu", "Haus"],
        correspondent="Stadtwerke",
        document_type=None,
    )

    seen = describe_document(world, world.documents[1])
    assert world.documents[1].modified > before
    assert {key: seen[key] for key in ("title", "content", "created", "owner", "tags")} == {
        "title": "Strom",
        "content": "neu",
        "created": "2026-01-31",
        "owner": "admin",
        "tags": ["Haus", "Neu"],
    }
    assert (seen["correspondent"], seen["document_type"]) == ("Stadtwerke", None)


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "T", "tags": ["gibt es nicht"]},
        {"title": "T", "correspondent": "gibt es nicht"},
        {"title": "T", "colour": "red"},
        {"title": "T", "owner": "nobody"},
    ],
)
def test_an_edit_that_names_what_does_not_exist_changes_nothing(
    world: World, changes: dict[str, object]
) -> None:
    with pytest.raises(KeyError):
        world.edit(1, **changes)

    assert world.documents[1].title == "scan_1"


def test_an_owner_and_a_date_can_be_given_as_they_are(world: World) -> None:
    document = world.edit(1, owner=None, created=date(2026, 2, 1))

    assert (document.owner, document.created) == (None, date(2026, 2, 1))


def test_a_custom_field_is_described_by_its_name(world: World) -> None:
    field = world.add_custom_field("Betrag", "monetary")
    world.documents[1].custom_fields[field.id] = "EUR1.00"

    assert describe_document(world, world.documents[1])["custom_fields"] == {"Betrag": "EUR1.00"}


def test_the_clock_never_shows_the_same_moment_twice() -> None:
    stopped = datetime(2026, 1, 1, tzinfo=UTC)
    clock = Clock(lambda: stopped)

    moments = [clock() for _ in range(3)]

    assert moments == sorted(set(moments))


def test_ids_are_never_used_again(world: World, admin: httpx.Client) -> None:
    last = max(world.tags)
    admin.delete(f"/api/tags/{last}/")

    assert world.add_name(Kind.TAG, "Neues").id == last + 1


def test_the_usual_users_have_tokens_of_forty_hex_digits(world: World) -> None:
    assert set(world.users) == {"admin", "limited", "paperclerk"}
    assert {len(user.token) for user in world.users.values()} == {40}
    assert world.user(2).username == "admin"
