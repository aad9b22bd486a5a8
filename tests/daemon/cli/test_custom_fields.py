"""Custom fields, as they are typed and shown."""

from dataclasses import replace

import pytest

from sandbox import Sandbox
from sandbox.paperless import load_world
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation, fields_of

NAMES = '"Rechnungsnummer" = "review", "Betrag" = "fill"'


def configure(installation: Installation, custom_fields: str = NAMES) -> None:
    installation.configure(f"[fields]\ncustom_fields = {{ {custom_fields} }}\n")


@pytest.fixture
def waiting(installation: Installation, paperclerk: Paperclerk) -> None:
    """Document 1 waits for a person with its custom field; an amount is written."""
    configure(installation)
    assert paperclerk("process", "home/1").code == 0


@pytest.mark.usefixtures("waiting")
class TestReview:
    """What waits, what was written, and what a person says about it."""

    def test_a_field_is_shown_by_its_name_and_given_to_scripts_with_its_number(
        self, paperclerk: Paperclerk
    ) -> None:
        said = paperclerk("review", "show", "home/1")
        output = paperclerk("review", "show", "home/1", "--json").json()

        assert "Rechnungsnummer - -> SW-2026-0810223  [for review]" in said.out
        assert isinstance(output, list)
        assert output[-1]["field"] == "custom_field:1:Rechnungsnummer"

    def test_history_and_job_tell_an_amount(self, paperclerk: Paperclerk) -> None:
        said = paperclerk("history")
        output = paperclerk("history", "--json").json()

        assert "Betrag" in said.out
        assert "- -> 100.94 EUR" in said.out
        assert isinstance(output, list)
        assert output[0]["after"] == {"amount": "100.94", "currency": "EUR"}
        assert "Betrag          - -> 100.94 EUR  [written]" in paperclerk("job", "1").out

    @pytest.mark.parametrize(
        "words",
        [("explain", "home/1"), ("job", "1"), ("review", "list"), ("review", "show", "home/1")],
    )
    def test_a_long_name_of_a_field_moves_the_others_along(
        self, paperclerk: Paperclerk, words: tuple[str, ...]
    ) -> None:
        said = paperclerk(*words)

        assert "\n    Rechnungsnummer - -> SW-2026-0810223  [for review]" in said.out
        assert "\n    title           scan_0031 -> " in said.out

    @pytest.mark.parametrize("name", ["Rechnungsnummer", "rechnungsnummer", "custom_field:1"])
    def test_a_person_sets_a_value_of_his_own(
        self, paperclerk: Paperclerk, sandbox: Sandbox, name: str
    ) -> None:
        said = paperclerk("review", "accept", "home/1", "--set", f"{name}=RE-17", "--only", name)

        assert said.code == 0
        expected = {"Betrag": "EUR100.94", "Rechnungsnummer": "RE-17"}
        assert fields_of(sandbox)["custom_fields"] == expected

    def test_a_person_sets_a_field_without_a_suggestion(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        paperclerk("review", "reject", "home/1", "--only", "correspondent")
        own = ("--set", "Betrag=EUR20.00", "--set", "correspondent=Deutsche Telekontakt")

        said = paperclerk("review", "accept", "home/1", *own, "--only", "Betrag")

        assert said.code == 0, said.err
        fields = fields_of(sandbox)
        assert fields["custom_fields"] == {"Betrag": "EUR20.00"}
        assert fields["correspondent"] == "Deutsche Telekontakt"
        assert "Rechnungsnummer" in paperclerk("review", "show", "home/1").out

    def test_a_value_that_does_not_fit_a_field_without_a_suggestion_is_refused(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        before = fields_of(sandbox)

        said = paperclerk("review", "accept", "home/1", "--set", "Betrag=viel")

        assert said.code == 2
        assert '"viel"' in said.err
        assert fields_of(sandbox) == before

    def test_a_field_is_rejected_by_its_name(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        assert paperclerk("review", "reject", "home/1", "--only", "Rechnungsnummer").code == 0

        assert fields_of(sandbox)["custom_fields"] == {"Betrag": "EUR100.94"}
        assert "Rechnungsnummer" not in paperclerk("review", "show", "home/1").out

    def test_a_field_that_there_is_not_is_reported_with_those_that_there_are(
        self, paperclerk: Paperclerk
    ) -> None:
        said = paperclerk("review", "accept", "home/1", "--set", "Farbe=rot")

        assert said.code == 2
        assert '"Farbe" is not a field; available: title' in said.err
        assert said.err.rstrip().endswith("date, storage_path, Rechnungsnummer, Betrag")

    def test_undo_shows_beforehand_that_a_field_goes(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        said = paperclerk("undo", "--document", "home/1", "--preview")

        assert "Betrag         100.94 EUR -> -  [would be undone]" in said.out
        assert paperclerk("undo", "--document", "home/1").code == 0
        assert fields_of(sandbox)["custom_fields"] == {}


def test_a_yes_is_shown_as_a_word(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    configure(installation, '"Bezahlt" = "fill"')
    sandbox.world.edit(1, content=f"{fields_of(sandbox)['content']}\nBezahlt: ja\n")

    said = paperclerk("process", "home/1")

    assert "Bezahlt        - -> yes  [written]" in said.out
    assert fields_of(sandbox)["custom_fields"] == {"Bezahlt": True}


def test_a_dry_run_shows_what_would_be_written(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    configure(installation)

    said = paperclerk("scan-now", "--dry-run", "--limit", "3")

    assert "Betrag          - -> 100.94 EUR  [would be written]" in said.out
    assert fields_of(sandbox)["custom_fields"] == {}


def test_check_tells_that_all_custom_fields_are_there(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    configure(installation)

    said = paperclerk("check")

    assert said.code == 0
    assert "ok   home: Custom fields  all custom fields of the config exist" in said.out
    assert "written automatically if all checks pass: Betrag" in said.out


@pytest.mark.parametrize(
    ("name", "expected", "hint"),
    [
        (
            "rechnungsnummer",
            '"rechnungsnummer" - did you mean "Rechnungsnummer"?\n',
            "-> Create it in Paperless",
        ),
        ("Akte", '"Akte" is of type documentlink\n', "-> Remove it from fields.custom_fields"),
    ],
)
def test_a_field_that_cannot_be_filled_is_reported_with_what_to_do(
    installation: Installation,
    paperclerk: Paperclerk,
    sandbox: Sandbox,
    name: str,
    expected: str,
    hint: str,
) -> None:
    sandbox.world.add_custom_field("Akte", "documentlink")
    configure(installation, f'"{name}" = "fill"')

    checked, scanned = paperclerk("check"), paperclerk("scan-now")

    assert (checked.code, scanned.code) == (2, 2)
    for said in (checked.out, scanned.err):
        assert expected in said
        assert hint in said


@pytest.mark.parametrize(("custom_fields", "lacks"), [(NAMES, True), ("", False)])
def test_the_permission_is_needed_only_for_custom_fields_that_are_asked_for(
    installation: Installation,
    paperclerk: Paperclerk,
    sandbox: Sandbox,
    custom_fields: str,
    *,
    lacks: bool,
) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("view_customfield")
    configure(installation, custom_fields)

    checked, scanned = paperclerk("check"), paperclerk("scan-now")

    assert ("lacks view_customfield" in checked.out) is lacks
    assert (checked.code, scanned.code) == ((4, 4) if lacks else (0, 0))
    assert ("view_customfield" in scanned.err) is lacks


def test_in_another_instance_a_number_is_another_field(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    attic = load_world()
    numbers = attic.custom_fields
    numbers[1], numbers[2] = replace(numbers[2], id=1), replace(numbers[1], id=2)
    rules = '[fields]\ncustom_fields = { "Rechnungsnummer" = "review", "Betrag" = "review" }\n'
    with Sandbox(attic) as other:
        installation.configure(rules)
        (installation.config / "attic.toml").write_text(other.settings(rules), "utf-8")
        assert paperclerk("process", "home/1").code == 0
        assert paperclerk("process", "attic/1").code == 0

        said = paperclerk("review", "accept", "home/1", "attic/1", "--only", "Betrag")

    assert said.code == 0
    assert fields_of(sandbox)["custom_fields"] == {"Betrag": "EUR100.94"}
    assert fields_of(other)["custom_fields"] == {"Betrag": "EUR100.94"}
