"""`review`, `history` and `undo`, as they are typed."""

import re

import pytest
from sqlalchemy import insert

from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import World
from store.engine import engines_for
from store.rows import planned_row
from store.tables import changes
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation, fields_of, patches, snapshot, writes
from tests.store.builders import NOON, a_planned_change

MORE_THAN_ANY_LIST = 10_001


@pytest.fixture
def waiting(installation: Installation, paperclerk: Paperclerk) -> None:
    """Three documents wait for a person, with all their fields."""
    assert paperclerk("scan-now").code == 0


@pytest.fixture
def filed(installation: Installation, paperclerk: Paperclerk) -> None:
    """Three documents were filed by rule."""
    installation.configure(all_fields="replace")
    assert paperclerk("scan-now").code == 0


def test_the_list_says_where_nothing_is_suggested(sandbox: Sandbox, paperclerk: Paperclerk) -> None:
    sandbox.world.edit(1, content="")
    paperclerk("scan-now")

    said = paperclerk("review", "show", "home/1")

    nothing = "scan_0031 (no suggestion)  [for review: the document has no text]"
    assert f"title          {nothing}" in said.out


@pytest.mark.usefixtures("waiting")
class TestReview:
    """What waits, and what a person says about it."""

    def test_the_list_shows_each_document_with_its_fields(self, paperclerk: Paperclerk) -> None:
        said = paperclerk("review", "list")

        assert said.code == 0
        assert "home/1  scan_0031" in said.out
        assert "correspondent  - -> Stadtwerke Musterstadt  [for review]" in said.out
        assert said.out.endswith("3 documents for review\n")

    def test_the_list_as_json_has_every_change(self, paperclerk: Paperclerk) -> None:
        output = paperclerk("review", "list", "home", "--json").json()

        assert isinstance(output, list)
        assert {change["document"] for change in output} == {"home/1", "home/2", "home/3"}
        assert {"id", "field", "before", "after", "evidence", "reasons"} <= output[0].keys()

    def test_the_list_has_every_document_however_many(
        self, installation: Installation, paperclerk: Paperclerk
    ) -> None:
        put_waiting(installation, MORE_THAN_ANY_LIST)

        output = _list(paperclerk("review", "list", "--json").json())

        assert len({change["id"] for change in output}) > MORE_THAN_ANY_LIST

    def test_one_document_comes_with_its_address(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        said = paperclerk("review", "show", "home/1")

        assert f"{sandbox.url}/documents/1/" in said.out
        output = paperclerk("review", "show", "home/1", "--json").json()
        assert isinstance(output, list)

    def test_accept_writes_what_was_suggested(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        said = paperclerk("review", "accept", "home/1", "home/2")

        assert said.code == 0
        assert fields_of(sandbox, 1)["correspondent"] == "Stadtwerke Musterstadt"
        assert fields_of(sandbox, 2)["correspondent"] == "Deutsche Telekontakt"
        assert fields_of(sandbox, 3)["correspondent"] is None

    def test_accept_with_values_of_ones_own_writes_exactly_those(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        own = ("--set", "title=Strom, August", "--set", "tags=Bank", "--only", "title")

        said = paperclerk("review", "accept", "home/1", *own)

        assert said.code == 0
        [sent] = patches(sandbox)
        assert isinstance(sent, dict)
        assert (set(sent), sent["title"]) == ({"title", "tags"}, "Strom, August")
        assert fields_of(sandbox)["tags"] == ["Bank", "Inbox"]
        left = paperclerk("review", "show", "home/1").out
        assert "document type" in left
        assert "title" not in left

    def test_reject_drops_what_was_suggested(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        said = paperclerk("review", "reject", "home/1", "--only", "title,date")

        assert said.code == 0
        assert "2 suggestions rejected; nothing is written" in said.out
        assert writes(sandbox) == []
        left = paperclerk("review", "show", "home/1").out
        assert "correspondent" in left
        assert "date  " not in left

    def test_the_reason_of_a_reject_is_kept(self, paperclerk: Paperclerk) -> None:
        said = paperclerk("review", "reject", "home/1", "--reason", "belongs to Anna")

        assert said.code == 0
        assert "[rejected: belongs to Anna]" in paperclerk("explain", "home/1").out
        assert "nothing was written yet" in paperclerk("history").out
        assert "rejected: belongs to Anna" in paperclerk("history", "--rejected").out
        head, *rows = paperclerk("history", "--rejected", "--csv").out.splitlines()
        assert head.startswith("change,when,document,")
        assert all(",belongs to Anna," in row for row in rows)
        assert len(rows) > 1

    def test_a_conflict_at_accept_is_reported_and_waits_again(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.world.edit(1, title="Von Hand")

        said = paperclerk("review", "accept", "home/1")

        assert said.code == 0
        assert 'conflict: Paperless has "Von Hand"' in said.out
        assert 'conflict: Paperless has "Von Hand"' in paperclerk("review", "list").out
        assert fields_of(sandbox)["title"] == "Von Hand"


@pytest.mark.usefixtures("waiting")
def test_what_ignore_rejected_is_for_review_again_after_unignore(paperclerk: Paperclerk) -> None:
    before = paperclerk("review", "list").out
    paperclerk("ignore", "home/1")
    assert "home/1" not in paperclerk("review", "list").out

    said = paperclerk("unignore", "home/1")

    assert said.out == (
        "home/1 is no longer ignored; it is done\n    5 suggestions returned to review\n"
    )
    assert paperclerk("review", "list").out == before


@pytest.mark.usefixtures("waiting")
class TestNewNamesTyped:
    """A typed name that Paperless does not have, usually a typo."""

    TYPO = ("accept", "home/1", "--set", "correspondent=Stadtwerke Mustadt", "--only", "title")

    @pytest.fixture
    def world(self, world: World) -> World:
        del world.documents[2], world.documents[3]
        return world

    def test_a_name_that_does_not_exist_is_not_created_without_a_yes(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        before = paperclerk("review", "list").out

        said = paperclerk("review", *self.TYPO)

        assert (said.code, said.out) == (2, "")
        assert 'There is no correspondent "Stadtwerke Mustadt" in Paperless' in said.err
        assert '(similar: "Stadtwerke Musterstadt", "Stadt Musterstadt"). Create it?' in said.err
        assert "-> Add --yes to create it" in said.err
        assert paperclerk("review", "list").out == before
        assert writes(sandbox) == []

    def test_a_name_that_is_created_is_reported(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        said = paperclerk("review", *self.TYPO, "--yes")

        assert said.code == 0
        created = 'new name: "Stadtwerke Mustadt" does not exist yet and will be created\n'
        assert said.out.startswith(created)
        assert fields_of(sandbox)["correspondent"] == "Stadtwerke Mustadt"

    def test_where_new_names_are_created_nothing_is_asked(
        self, installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        installation.configure('[names]\ncorrespondents = "create"\n')

        said = paperclerk("review", *self.TYPO)

        assert said.code == 0
        assert "will be created" in said.out
        assert fields_of(sandbox)["correspondent"] == "Stadtwerke Mustadt"

    @pytest.mark.parametrize("field", ["correspondent", "tags"])
    def test_where_new_names_are_never_created_none_is(
        self, installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox, field: str
    ) -> None:
        installation.configure('[names]\ncorrespondents = "never"\ntags = "never"\n')

        said = paperclerk("review", "accept", "home/1", "--set", f"{field}=Unbekannt", "--yes")

        assert (said.code, said.out) == (2, "")
        assert '"Unbekannt" in Paperless' in said.err
        assert (
            f'the settings do not allow new names (names.{field.removesuffix("s")}s = "never")'
            in said.err
        )
        assert writes(sandbox) == []


@pytest.mark.usefixtures("waiting")
class TestMistakes:
    """What is typed and cannot be done; one document is enough for that."""

    @pytest.fixture
    def world(self, world: World) -> World:
        del world.documents[2], world.documents[3]
        return world

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            (("accept", "home/1", "--set", "date=gestern"), '"gestern" is not a date'),
            (
                ("accept", "home/1", "--set", "colour=red"),
                '"colour" is not a field; available: title',
            ),
            (("accept", "home/1", "--set", "title"), '"title" is not of the form FIELD=VALUE'),
            (("accept", "home/1", "--set", "title= "), "the title must not be empty"),
            (("accept", "home/1", "--set", "correspondent="), "reject NAME/ID --only correspond"),
            (
                ("accept", "home/1", "--set", "title=a", "--set", "title=b"),
                "--set contains title twice",
            ),
            (("accept", "home/1", "--only", ""), "--only needs at least one field"),
            (("reject", "home/1", "--only", " , "), "--only needs at least one field"),
            (("accept", "home/1", "--set", f"title={'x' * 129}"), "has 129 characters"),
            (("accept", "home/1", "home/2", "--set", "title=x"), "only be used with one document"),
            (("accept", "home/9"), "nothing of home/9 is waiting for review"),
            (("accept", "home/1", "home/9"), "nothing of home/9 is waiting for review"),
            (("accept", "attic/1"), 'there is no instance "attic"; there is: home'),
            (("accept", "home"), '"home" does not name a document: write NAME/ID'),
            (("reject", "home/1", "home/9"), "nothing of home/9 is waiting for review"),
            (("reject", "home/1", "--only", "colour"), '"colour" is not a field'),
            (("show", "home/9"), "nothing of home/9 is waiting for review"),
        ],
    )
    def test_what_cannot_be_done_is_reported_and_nothing_of_it_is_done(
        self,
        paperclerk: Paperclerk,
        sandbox: Sandbox,
        words: tuple[str, ...],
        expected: str,
    ) -> None:
        before = paperclerk("review", "list").out

        said = paperclerk("review", *words)

        assert said.code == 2
        assert expected in said.err
        assert writes(sandbox) == []
        assert paperclerk("review", "list").out == before
        assert paperclerk("jobs", "--status", "pending").out == "no jobs\n"


def test_nothing_for_review_is_said_so(paperclerk: Paperclerk) -> None:
    assert paperclerk("review", "list").out == "nothing for review\n"


@pytest.mark.usefixtures("filed")
class TestHistoryAndUndo:
    """What was written, and how it is undone."""

    def test_history_shows_what_was_written_newest_first(self, paperclerk: Paperclerk) -> None:
        said = paperclerk("history", "home", "--document", "home/1")

        assert said.code == 0
        assert "scan_0031 -> Stromrechnung August 2026" in said.out
        assert "home/2" not in said.out
        assert "- -> Stadtwerke Musterstadt" in said.out

    def test_every_column_of_the_history_has_a_heading(self, paperclerk: Paperclerk) -> None:
        head, *rows = paperclerk("history", "--limit", "1").out.splitlines()

        assert head.split() == ["change", "job", "when", "document", "field", "value", "state"]
        assert "written" in rows[0]

    def test_history_says_who_undid_a_value_and_when_beside_when_it_was_written(
        self, paperclerk: Paperclerk
    ) -> None:
        asked = ("history", "--document", "home/1")
        before = _list(paperclerk(*asked, "--json").json())
        [title] = [change for change in before if change["field"] == "title"]
        paperclerk("undo", str(title["id"]))

        lines = paperclerk(*asked).out
        [output] = [
            change for change in _list(paperclerk(*asked, "--json").json()) if change["undone_at"]
        ]

        assert re.search(r"undone by hand \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\)", lines)
        assert (output["settled_at"], output["decided_by"]) == (title["settled_at"], "rule")
        assert output["undone_by"] == "hand"

    def test_history_as_json_can_be_read(self, paperclerk: Paperclerk) -> None:
        output = paperclerk("history", "--json", "--limit", "2").json()

        assert isinstance(output, list)
        assert len(output) == 2
        assert output[0]["id"] > output[1]["id"]
        assert output[0]["state"] == "applied"

    def test_history_since_a_day(self, paperclerk: Paperclerk) -> None:
        assert "nothing was written yet" in paperclerk("history", "--since", "2999-01-01").out
        assert "scan_0031" in paperclerk("history", "--since", "2020-01-01").out

    def test_a_preview_says_what_would_go_back_and_does_nothing(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.world.edit(1, title="Von Hand")
        before = snapshot(sandbox)

        said = paperclerk("undo", "--document", "home/1", "--preview")

        assert said.code == 0
        assert "kept: edited since then" in said.out
        assert "5 fields would be undone, 1 kept" in said.out
        assert snapshot(sandbox) == before

    @pytest.mark.parametrize(
        "words",
        [("--document", "home/1"), ("--job", "3"), ("1", "2", "3", "4", "5", "6")],
        ids=str,
    )
    def test_undo_of_a_document_a_job_or_its_changes(
        self, paperclerk: Paperclerk, sandbox: Sandbox, words: tuple[str, ...]
    ) -> None:
        numbers = [
            str(change["id"])
            for change in _list(paperclerk("history", "--document", "home/1", "--json").json())
        ]
        chosen = numbers if words[0] == "1" else words

        said = paperclerk("undo", *chosen)

        assert said.code == 0
        assert "6 fields undone\n" in said.out
        assert fields_of(sandbox) == fields_of(sandbox) | {
            "title": "scan_0031",
            "correspondent": None,
            "document_type": None,
            "created": "2026-09-03",
            "tags": ["Inbox"],
        }
        assert fields_of(sandbox, 2)["title"] != "Rechnung_7214905331"

    @pytest.mark.parametrize(
        ("words", "goes_back"),
        [
            (("--model", "sandbox-model"), True),
            (("--since", "2020-01-01", "--until", "2999-01-01"), True),
            (("--model", "another"), False),
            (("--prompt", "another"), False),
            (("--since", "2999-01-01"), False),
            (("--until", "2020-01-01"), False),
        ],
        ids=str,
    )
    def test_undo_by_cause(
        self,
        paperclerk: Paperclerk,
        sandbox: Sandbox,
        words: tuple[str, ...],
        *,
        goes_back: bool,
    ) -> None:
        said = paperclerk("undo", *words, "--yes")

        assert said.code == (0 if goes_back else 2)
        assert ("there is nothing to undo" in said.err) is not goes_back
        assert (fields_of(sandbox)["title"] == "scan_0031") is goes_back
        assert (fields_of(sandbox, 2)["title"] == "Rechnung_7214905331") is goes_back

    def test_undo_keeps_what_a_person_changed_and_says_so(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.world.edit(1, title="Von Hand")

        said = paperclerk("undo", "--document", "home/1")

        assert said.code == 0
        assert "5 fields undone, 1 kept" in said.out
        assert "kept: edited since then" in said.out
        assert fields_of(sandbox)["title"] == "Von Hand"

    def test_an_undo_that_is_to_be_tried_again_counts_nothing_yet(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.paperless.faults.add(Fault(method="PATCH", effect=Answer(status=500)))

        said = paperclerk("undo", "--document", "home/1")

        assert said.code == 1
        assert "attempt 1 of 3 failed" in said.out
        assert "kept" not in said.out

    def test_an_undo_that_waits_already_keeps_no_other_document_from_its_own(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        paperclerk("pause", "home")
        paperclerk("undo", "--document", "home/1")
        paperclerk("resume", "home")

        said = paperclerk("undo", "--scan", "1", "--yes")

        assert said.code == 1
        assert said.err.startswith("home/1 already has an open job of kind undo\n")
        assert "undone" in said.out
        assert fields_of(sandbox, 2)["title"] == "Rechnung_7214905331"

    def test_undo_twice_says_that_nothing_is_left(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        paperclerk("undo", "--scan", "1", "--yes")
        before = snapshot(sandbox)

        said = paperclerk("undo", "--scan", "1")

        assert said.code == 2
        assert said.err == "there is nothing to undo\n"
        assert snapshot(sandbox) == before

    def test_an_undo_of_more_than_ten_fields_is_not_done_without_a_yes(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        before = snapshot(sandbox)

        said = paperclerk("undo", "--scan", "1")

        assert (said.code, said.out) == (2, "")
        assert said.err.startswith("Undo 16 fields of 3 documents?\n  -> Add --yes")
        assert snapshot(sandbox) == before

    def test_an_undo_of_ten_fields_asks_nothing(self, paperclerk: Paperclerk) -> None:
        newest = _list(paperclerk("history", "--json", "--limit", "10").json())

        said = paperclerk("undo", *(str(change["id"]) for change in newest))

        assert (said.code, said.err.count("?")) == (0, 0)
        assert "10 fields undone\n" in said.out

    @pytest.mark.parametrize(
        ("words", "code", "expected"),
        [
            ((), 2, "specify what to undo: numbers of changes, --document, "),
            (("--preview",), 2, "specify what to undo: numbers of changes, --document, "),
            (("1", "--scan", "1"), 2, "specify what to undo"),
            (("4711",), 1, "there is no change 4711"),
            (("--job", "4711"), 1, "there is no job 4711"),
            (("--scan", "4711"), 1, "there is no scan 4711"),
            (("--document", "home/4711"), 2, "there is nothing to undo"),
            (("--since", "2026-02-01", "--until", "2026-01-01"), 2, "--since is later than"),
        ],
    )
    def test_what_cannot_be_undone_is_reported(
        self, paperclerk: Paperclerk, words: tuple[str, ...], code: int, expected: str
    ) -> None:
        said = paperclerk("undo", *words)

        assert (said.code, said.out) == (code, "")
        assert expected in said.err


def put_waiting(installation: Installation, count: int) -> None:
    """Put so many changes that wait into the store at once."""
    row = planned_row(a_planned_change()) | {"instance": "home", "job_id": 1}
    waits = row | {"state": "proposed", "decided_by": "rule", "created_at": NOON}
    engines = engines_for(None, installation.data)
    with engines.writer.begin() as connection:
        rows = [waits | {"document_id": number} for number in range(1_000, 1_000 + count)]
        connection.execute(insert(changes), rows)
    engines.dispose()


def _list(output: object) -> list[dict[str, object]]:
    assert isinstance(output, list)
    return output
