"""`names`, as it is typed: new names that wait, aliases, and what is never wanted."""

import asyncio

import pytest

from core.changes import Decision
from sandbox import Sandbox
from sandbox.paperless import Kind, World, load_world
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation, fields_of, home, writes
from tests.new_senders import FIRM, LETTER

TELEKONTAKT, ADDRESSEE = "Telekontakt", "Erika Mustermann"
SENDERS = (FIRM, f"{FIRM.upper()} GmbH", TELEKONTAKT, ADDRESSEE)


@pytest.fixture
def world() -> World:
    world = load_world()
    world.documents = {number: world.documents[number] for number in range(1, 5)}
    letters = zip(world.documents.values(), SENDERS, strict=True)
    for number, (document, sender) in enumerate(letters, start=1):
        document.content = LETTER.format(sender=sender, number=number)
    return world


@pytest.fixture
def waiting(installation: Installation, paperclerk: Paperclerk) -> None:
    """Four letters wait: two of one new sender, one of another, one by the addressee himself."""
    assert paperclerk("scan-now").code == 0


def senders(sandbox: Sandbox) -> list[object]:
    return [fields_of(sandbox, number)["correspondent"] for number in range(1, 5)]


def correspondents(sandbox: Sandbox) -> list[str]:
    return [
        correspondent.name for correspondent in sandbox.world.names[Kind.CORRESPONDENT].values()
    ]


def listed(paperclerk: Paperclerk) -> dict[str, int]:
    """Return the new names that wait, with the number of their documents."""
    output = paperclerk("names", "list", "--json").json()
    assert isinstance(output, list)
    return {
        entry["name"]: len(entry["documents"])
        for entry in output
        if entry["field"] == "correspondent"
    }


@pytest.mark.usefixtures("waiting")
class TestNewNames:
    """What waits, and what a person says about it."""

    def test_each_name_is_listed_with_its_documents_and_what_it_is_like(
        self, paperclerk: Paperclerk
    ) -> None:
        said = paperclerk("names")

        assert said.code == 0
        lines = [line.split("  ") for line in said.out.splitlines()]
        cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
        assert cells[1][:4] == [FIRM, "correspondent", "home", "2 documents"]
        assert [TELEKONTAKT, "correspondent", "home", "1 document", "Deutsche Telekontakt"] in cells

    def test_a_name_is_created_once_for_all_documents_that_wait_with_it(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        said = paperclerk("names", "create", FIRM)

        assert said.code == 0
        assert senders(sandbox) == [FIRM, FIRM, None, None]
        assert correspondents(sandbox).count(FIRM) == 1
        assert listed(paperclerk) == {TELEKONTAKT: 1, ADDRESSEE: 1}
        assert "title" in paperclerk("review", "show", "home/1").out

    def test_several_names_can_be_created_at_once_as_they_are_typed(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        paperclerk("names", "create", f"{FIRM} GmbH", TELEKONTAKT)

        assert senders(sandbox) == [f"{FIRM} GmbH", f"{FIRM} GmbH", TELEKONTAKT, None]

    def test_a_document_with_another_failed_check_waits_on_and_is_reported(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        said = paperclerk("names", "create", ADDRESSEE)

        assert said.code == 0
        assert 'home/4 stays for review with "Erika Mustermann": the document is' in said.out
        assert senders(sandbox)[3] is None
        shown = paperclerk("review", "show", "home/4").out
        assert (
            "- -> Erika Mustermann  [for review: the document is addressed to this correspondent]"
            in shown
        )
        assert ADDRESSEE not in correspondents(sandbox)

    def test_a_name_can_mean_one_that_exists_now_and_from_now_on(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        said = paperclerk("names", "use", FIRM, "musterbank")

        assert said.code == 0
        assert f'correspondent "{FIRM}" means "Musterbank"' in said.out
        assert senders(sandbox) == ["Musterbank", "Musterbank", None, None]
        aliases = paperclerk("names", "aliases", "home", "--json").json()
        assert isinstance(aliases, list)
        assert [(alias["name"], alias["means"], alias["is_void"]) for alias in aliases] == [
            (FIRM, "Musterbank", False)
        ]

    def test_a_name_is_never_wanted_and_what_waits_with_it_is_rejected(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        said = paperclerk("names", "never", FIRM, ADDRESSEE)

        assert said.code == 0
        assert listed(paperclerk) == {TELEKONTAKT: 1}
        assert writes(sandbox) == []
        assert "never suggested" in paperclerk("names", "aliases").out

    def test_to_create_a_name_undoes_its_alias(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        paperclerk(
            "review", "accept", "home/1", "--set", f"correspondent={FIRM} Musterstadt", "--yes"
        )
        assert f"{FIRM} Musterstadt" in paperclerk("names", "aliases").out

        paperclerk("names", "create", FIRM)

        assert senders(sandbox)[:2] == [f"{FIRM} Musterstadt", FIRM]
        assert paperclerk("names", "aliases").out == "no aliases\n"

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            (("create", "Strom"), 'no document is waiting for the new name "Strom"'),
            (("create", FIRM, "Strom"), 'no document is waiting for the new name "Strom"'),
            (("create", FIRM, "--field", "tags"), "no document is waiting"),
            (("use", FIRM, "Nowhere"), 'there is no correspondent "Nowhere" in home'),
            (("use", FIRM, ""), 'there is no correspondent "" in home'),
            (("use", "Musterbank AG", "Musterbank", "--field", "correspondent"), "already"),
            (("use", "Magenta", "Musterbank"), 'nothing is waiting for "Magenta": specify'),
            (("never", "Magenta"), 'nothing is waiting for "Magenta": specify'),
            (("never", FIRM, "--field", "title"), "title is not a field with names"),
            (("create", FIRM, "--instance", "attic"), 'there is no instance "attic"'),
            (("forget", FIRM), f'there is no alias "{FIRM}"'),
        ],
    )
    def test_what_cannot_be_done_is_reported_and_nothing_of_it_is_done(
        self, paperclerk: Paperclerk, sandbox: Sandbox, words: tuple[str, ...], expected: str
    ) -> None:
        before = paperclerk("review", "list").out

        said = paperclerk("names", *words)

        assert said.code == 2
        assert expected in said.err
        assert writes(sandbox) == []
        assert paperclerk("review", "list").out == before
        assert paperclerk("names", "aliases").out == "no aliases\n"


@pytest.mark.usefixtures("waiting")
def test_a_document_that_is_being_written_is_reported_and_does_not_keep_the_others_waiting(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    async def begin_to_write() -> None:
        async with installation.open() as services:
            title, *_ = await services.store.changes.list_for_review(document=home(1))
            now = services.context.clock()
            await services.store.changes.decide(
                home(1), Decision(reject=(title.id,)), by="anna", max_attempts=3, now=now
            )
            assert await services.store.jobs.claim(worker="vm", now=now)

    asyncio.run(begin_to_write())

    said = paperclerk("names", "create", FIRM)

    assert said.code == 1
    assert "an apply job of home/1 is being processed" in said.err
    assert senders(sandbox)[:2] == [None, FIRM]
    assert paperclerk("names", "create", FIRM).code == 0
    assert senders(sandbox)[:2] == [FIRM, FIRM]
    assert correspondents(sandbox).count(FIRM) == 1


def test_without_new_names_that_is_said(paperclerk: Paperclerk) -> None:
    assert paperclerk("names").out == "no new names for review\n"
    assert paperclerk("names", "list", "home").out == "no new names for review\n"


def test_a_meaning_can_be_decided_before_anything_waits_and_be_forgotten(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    paperclerk("names", "use", "Magenta", "Deutsche Telekontakt", "--field", "correspondent")
    paperclerk("names", "never", "Magenta", "Werbung", "--field", "tags")
    bank = sandbox.world.find(Kind.CORRESPONDENT, "Deutsche Telekontakt")
    del sandbox.world.names[Kind.CORRESPONDENT][bank.id]

    table = paperclerk("names", "aliases").out
    assert "Deutsche Telekontakt (deleted from Paperless)" in table
    in_doubt = paperclerk("names", "forget", "Magenta")
    assert (in_doubt.code, '"Magenta" is ambiguous' in in_doubt.err) == (2, True)
    said = paperclerk("names", "forget", "magenta", "werbung", "--field", "tags")
    assert said.out.count("forgotten: tag") == 2
    paperclerk("names", "forget", "Magenta")

    assert paperclerk("names", "aliases").out == "no aliases\n"


def test_a_name_that_waits_in_two_places_is_asked_about(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    paperclerk("scan-now")
    (installation.config / "attic.toml").write_text(
        installation.sandbox.settings(), encoding="utf-8"
    )
    paperclerk("scan-now", "attic")

    said = paperclerk("names", "create", FIRM)

    assert said.code == 2
    assert f'"{FIRM}" is waiting as correspondent in home, correspondent in attic' in said.err
    assert paperclerk("names", "create", FIRM, "--instance", "attic").code == 0
