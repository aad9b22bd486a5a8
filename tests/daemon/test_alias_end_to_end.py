"""A person says once what a sender means, and is not asked again."""

import pytest

from sandbox import Sandbox
from sandbox.paperless import Kind, World
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_daemon
from tests.installation import ONLY_BY_HAND, Installation, fields_of
from tests.new_senders import FILL, put_letters

SET = ("--only", "correspondent", "--set", "correspondent=Deutsche Telekontakt")


@pytest.fixture
def world(world: World) -> World:
    """Two letters of one sender, who is called by a short form of his name."""
    put_letters(world, "Telekontakt", "Telekontakt")
    return world


@pytest.fixture
def documents(world: World, installation: Installation) -> list[str]:
    """The two; the correspondent is filled in without a person if nothing speaks against it."""
    installation.configure(FILL)
    return [f"home/{number}" for number in world.documents]


def sender(sandbox: Sandbox, name: str) -> object:
    return fields_of(sandbox, int(name.removeprefix("home/")))["correspondent"]


def test_the_next_document_of_a_sender_is_filed_without_asking(
    paperclerk: Paperclerk, sandbox: Sandbox, documents: list[str]
) -> None:
    first, second = documents
    paperclerk("process", first)
    assert "the name does not exist in Paperless yet" in paperclerk("review", "show", first).out
    assert "(Deutsche Telekontakt)" in paperclerk("review", "show", first).out

    said = paperclerk("review", "accept", first, *SET)
    paperclerk("process", second)

    assert 'correspondent "Telekontakt" means "Deutsche Telekontakt"' in said.out
    assert sender(sandbox, first) == sender(sandbox, second) == "Deutsche Telekontakt"
    assert paperclerk("review", "list").out == "nothing for review\n"


def test_an_alias_follows_a_name_that_is_renamed_and_ends_with_it(
    paperclerk: Paperclerk, sandbox: Sandbox, documents: list[str]
) -> None:
    first, second = documents
    paperclerk("process", first)
    paperclerk("review", "accept", first, *SET)
    meant = sandbox.world.find(Kind.CORRESPONDENT, "Deutsche Telekontakt")

    meant.name = "DTK"
    paperclerk("process", second)
    assert sender(sandbox, second) == "DTK"

    for number in sandbox.world.documents:
        sandbox.world.edit(number, correspondent=None)
    del sandbox.world.names[Kind.CORRESPONDENT][meant.id]
    said = paperclerk("process", second)

    assert said.code == 0
    assert sender(sandbox, second) is None
    assert "the name does not exist in Paperless yet" in paperclerk("review", "show", second).out


def test_what_was_refused_for_good_is_left_and_reported(
    paperclerk: Paperclerk, sandbox: Sandbox, documents: list[str]
) -> None:
    first, second = documents
    paperclerk("process", first)

    said = paperclerk("review", "reject", first, "--never")
    done = paperclerk("process", second)

    assert 'correspondent "Telekontakt" is never suggested' in said.out
    line = "- -> Telekontakt  [skipped: you chose never to suggest it]"
    assert line in done.out
    assert line in paperclerk("explain", second).out
    assert line in paperclerk("job", "3").out
    assert sender(sandbox, second) is None
    assert paperclerk("review", "list").out == "nothing for review\n"


def test_a_plain_no_is_not_for_good(
    paperclerk: Paperclerk, sandbox: Sandbox, documents: list[str]
) -> None:
    first, second = documents
    paperclerk("process", first)

    paperclerk("review", "reject", first)
    paperclerk("process", second)

    assert "- -> Telekontakt  [for review" in paperclerk("review", "show", second).out


def test_what_may_be_about_this_document_alone_is_not_learned_and_that_is_said(
    paperclerk: Paperclerk, sandbox: Sandbox, documents: list[str]
) -> None:
    first, second = documents
    paperclerk("process", first)

    said = paperclerk("review", "accept", first, "--set", "correspondent=Musterbank")
    paperclerk("process", second)

    assert 'names use "Telekontakt" "Musterbank" --field correspondent' in said.out
    assert sender(sandbox, first) == "Musterbank"
    assert "- -> Telekontakt  [for review" in paperclerk("review", "show", second).out


def test_a_daemon_that_runs_follows_what_is_decided_beside_it(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox, documents: list[str]
) -> None:
    first, second = documents
    installation.configure(FILL + ONLY_BY_HAND)
    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        paperclerk("process", first)

        said = paperclerk("names", "use", "Telekontakt", "Deutsche Telekontakt")
        paperclerk("process", second)

        assert said.code == 0, said.err
        assert "[written]" in said.out
        assert daemon.log.count("job completed") == 3
    assert sender(sandbox, first) == sender(sandbox, second) == "Deutsche Telekontakt"
