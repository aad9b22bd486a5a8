"""`names unused`, as it is typed: names that Paperclerk made and nothing uses any more."""

import pytest

from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import Kind, World
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation, snapshot, writes
from tests.new_senders import FIRM, LETTER, delete_correspondent


@pytest.fixture
def world(world: World) -> World:
    """Two letters of one sender that does not exist yet."""
    del world.documents[3]
    for number, document in world.documents.items():
        document.content = LETTER.format(sender=FIRM, number=number)
    world.users["paperclerk"].permissions.add("delete_correspondent")
    return world


@pytest.fixture
def filed(installation: Installation, paperclerk: Paperclerk) -> None:
    """Both have the sender, which was made for them."""
    modes = "\n".join(f'{field} = "off"' for field in ("title", "document_type", "tags", "date"))
    installation.configure(
        f'[fields]\n{modes}\ncorrespondent = "fill"\n[names]\ncorrespondents="create"\n'
    )
    assert paperclerk("scan-now").code == 0


@pytest.fixture
def unused(filed: None, paperclerk: Paperclerk) -> None:
    """Both had it."""
    assert paperclerk("undo", "--scan", "1", "--yes").code == 0


def firms(sandbox: Sandbox) -> list[str]:
    return [
        correspondent.name
        for correspondent in sandbox.world.names[Kind.CORRESPONDENT].values()
        if "Garten" in correspondent.name
    ]


@pytest.mark.usefixtures("filed")
def test_what_documents_have_is_not_listed_and_not_removed(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    assert paperclerk("names", "unused").out == "no unused names\n"
    assert paperclerk("names", "unused", "--remove").out == "0 removed\n"
    assert firms(sandbox) == [FIRM]


@pytest.mark.usefixtures("unused")
class TestUnused:
    """The name was made, and nothing has it any more."""

    def test_it_is_listed_and_nothing_is_removed(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        before = writes(sandbox)

        said = paperclerk("names", "unused", "home")

        assert said.code == 0
        assert f"{FIRM}  correspondent  home" in said.out
        assert "can be removed" in said.out
        assert "Only documents visible to the token's user count." in said.out
        output = paperclerk("names", "unused", "--json").json()
        assert isinstance(output, list)
        assert [(entry["name"], entry["kept"]) for entry in output] == [(FIRM, None)]
        assert writes(sandbox) == before

    def test_it_is_removed_when_asked_for_and_nothing_else_is(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        others = set(sandbox.world.names[Kind.CORRESPONDENT]) - {
            sandbox.world.find(Kind.CORRESPONDENT, FIRM).id
        }
        before = snapshot(sandbox)

        said = paperclerk("names", "unused", "--remove")

        assert said.out == f'removed: correspondent "{FIRM}" in home\n1 removed\n'
        assert set(sandbox.world.names[Kind.CORRESPONDENT]) == others
        assert snapshot(sandbox) == before
        assert paperclerk("names", "unused").out == "no unused names\n"

    def test_without_the_permission_that_is_reported(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.world.users["paperclerk"].permissions.discard("delete_correspondent")

        said = paperclerk("names", "unused", "--remove")

        assert said.code == 4
        assert "could not delete the correspondent" in said.err
        assert "requires delete_correspondent" in said.err
        assert "Users & Groups" in said.err
        assert firms(sandbox) == [FIRM]

    def test_a_document_that_got_it_in_the_last_moment_keeps_it(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.world.edit(1, correspondent=FIRM)

        assert paperclerk("names", "unused", "--remove").out == "0 removed\n"
        assert firms(sandbox) == [FIRM]

    def test_what_an_alias_leads_to_is_kept_and_reported(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        paperclerk("names", "use", "Gartenwelt", FIRM, "--field", "correspondent")

        said = paperclerk("names", "unused", "--remove")

        assert (
            said.out == f'kept: correspondent "{FIRM}" in home: an alias refers to it\n0 removed\n'
        )
        assert "kept: an alias refers to it" in paperclerk("names", "unused").out
        assert firms(sandbox) == [FIRM]

    def test_what_is_gone_already_is_not_missed(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        delete_correspondent(sandbox.world, FIRM)

        assert paperclerk("names", "unused", "--remove").out == "0 removed\n"

    def test_the_list_alone_can_be_had_as_json(self, paperclerk: Paperclerk) -> None:
        assert paperclerk("names", "unused", "--remove", "--json").code == 2


def test_a_name_that_an_attempt_died_over_leaves_a_trace(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    installation.configure("[retry]\nmax_attempts = 1\n")
    paperclerk("scan-now", "--limit", "1")
    lost = Fault(
        method="POST", path="/api/correspondents/", moment="after", effect=Answer(status=500)
    )
    sandbox.paperless.faults.add(lost)
    paperclerk("names", "create", FIRM)
    assert firms(sandbox) == [FIRM]

    assert (
        "kept: a document that waits for review would get it" in paperclerk("names", "unused").out
    )
    paperclerk("process", "home/1")
    paperclerk("process", "home/2")
    paperclerk("review", "reject", "home/1")
    paperclerk("review", "reject", "home/2")
    said = paperclerk("names", "unused", "--remove")

    assert "1 removed" in said.out
    assert firms(sandbox) == []
