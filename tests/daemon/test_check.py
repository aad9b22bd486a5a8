"""`check`: one line for each thing, and what to do about those that are wrong."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from core.analysis import Analysis
from core.changes import Suggestion
from core.fields import FieldName
from daemon.check import find_mistake
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.model.behaviour import Behaviour, Failure, FailureScope, Mode, Outcome, Unsupported
from sandbox.paperless import V2, V3
from sandbox.paperless.records import Group, Workflow
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation


def bad(findings: object) -> dict[str, dict[str, object]]:
    """Return the findings that are not well, by name."""
    assert isinstance(findings, list)
    return {finding["name"]: finding for finding in findings if not finding["ok"]}


def test_a_healthy_installation_is_reported_line_by_line(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    said = paperclerk("check")

    assert said.code == 0
    assert f"ok   home: Paperless      {sandbox.url}, version 3.0.5, API 10" in said.out
    assert "3 documents visible to the token's user" in said.out
    assert "valid, response format json_schema" in said.out
    assert "review: nothing is written automatically" in said.out
    assert said.out.endswith("All checks passed.\n")


def test_a_folder_that_others_can_read_is_a_warning_and_stays_as_it_is(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.data.chmod(0o755)

    said = paperclerk("check")

    assert said.code == 0
    assert f"WARN Data                 {installation.data} is writable" in said.out
    assert f"-> Other users can read {installation.data} (mode 0755)." in said.out
    assert "ok   Settings" in said.out
    assert said.out.endswith("All checks passed. 1 warning.\n")
    assert installation.data.stat().st_mode & 0o777 == 0o755


def test_the_summary_separates_what_needs_a_look_from_warnings(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    installation.data.chmod(0o755)
    sandbox.paperless.faults.add(Fault(times=None, effect=Answer(status=503)))

    last = paperclerk("check").out.splitlines()[-1]

    assert re.fullmatch(r"\d of \d checks failed, 1 warning\.", last), last


def test_a_settings_folder_that_others_can_read_is_a_warning(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.config.chmod(0o705)

    findings = paperclerk("check", "--json").json()

    assert isinstance(findings, list)
    [settings] = [finding for finding in findings if finding["name"] == "Settings"]
    assert settings["ok"]
    assert settings["hint"].endswith(f"To restrict access: chmod 700 {installation.config}")


def test_two_instances_with_the_same_paperless_are_a_warning_and_no_error(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    text = installation.settings_file.read_text(encoding="utf-8")
    (installation.config / "office.toml").write_text(text, encoding="utf-8")

    said = paperclerk("check", "home")

    assert said.code == 0
    assert "WARN Settings             office.toml:" in said.out
    assert "-> home.toml has the same address: documents that both instances select" in said.out
    assert said.out.endswith("All checks passed. 1 warning.\n")
    assert said.err.count("setting should be changed") == 1


def test_json_has_the_documented_keys(paperclerk: Paperclerk) -> None:
    findings = paperclerk("check", "home", "--json").json()

    assert isinstance(findings, list)
    assert all(finding.keys() == {"name", "ok", "message", "hint"} for finding in findings)
    assert [finding["name"].removeprefix("home: ") for finding in findings] == [
        "Settings",
        "Data",
        "Paperless",
        "Permissions",
        "Tags",
        "Documents",
        "Model",
        "Answer",
        "Webhook",
        "Mode",
        "Archive index",
    ]


@pytest.mark.parametrize(
    ("sender", "day", "mistake"),
    [
        ("Stadtwerke Beispielstadt GmbH", "2026-08-31", ""),
        ("STADTWERKE BEISPIELSTADT", "31.08.2026", ""),
        ("Erika Muster", "2026-08-31", 'correspondent of the test letter: "Erika Muster"'),
        ("Stadtwerke Beispielstadt", "2026-08-01", 'date of the test letter: "2026-08-01"'),
        ("Stadtwerke Beispielstadt", "", 'date of the test letter: "" instead of "2026-08-31"'),
    ],
)
def test_a_model_that_misreads_the_test_letter_is_found(
    sender: str, day: str, mistake: str
) -> None:
    fields = (FieldName.CORRESPONDENT, FieldName.DATE)
    values = zip(fields, (sender, day), strict=True)
    suggestions = tuple(Suggestion(field, value, "", 0.9) for field, value in values)
    analysis = Analysis(suggestions, model="m", prompt_version="v", content_hash="h")

    assert str(find_mistake(analysis, fields) or "").startswith(mistake)
    assert bool(find_mistake(analysis, fields)) is bool(mistake)
    assert find_mistake(analysis, ()) is None


def test_what_is_written_without_a_person_is_named(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure('[fields]\ntitle = "fill"\ndate = "replace"\n')

    said = paperclerk("check")

    assert "written automatically if all checks pass: title, date" in said.out


def test_a_description_of_a_name_that_nobody_uses_is_reported(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure('[names.descriptions]\nStrom = "auch Gas"\nWindkraft = "selten"\n')

    said = paperclerk("check", "--json")

    assert said.code == 1
    [(name, finding)] = bad(said.json()).items()
    assert name == "home: Descriptions"
    missing = 'no tag, correspondent, document type or storage path is called "Windkraft"'
    assert finding["message"] == missing


def test_descriptions_of_names_in_use_are_well(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure('[names.descriptions]\nSTROM = "auch Gas"\n')

    said = paperclerk("check")

    assert said.code == 0
    assert "all names with a description exist" in said.out


def test_instructions_for_a_type_that_does_not_exist_are_reported(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure('[ai.type_instructions]\nRechnung = "Brief."\nStrom = "A tag."\n')

    said = paperclerk("check", "--json")

    assert said.code == 1
    [(name, finding)] = bad(said.json()).items()
    assert name == "home: Instructions"
    assert finding["message"] == 'no document type is called "Strom"'


def test_instructions_for_types_in_use_are_well(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure('[ai.type_instructions]\nrechnung = "Brief."\n')

    said = paperclerk("check")

    assert said.code == 0
    assert "all document types with instructions exist" in said.out


def test_a_paperless_that_is_down(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    settings = installation.settings_file.read_text().replace(sandbox.url, "http://127.0.0.1:9")
    installation.settings_file.write_text(settings)

    said = paperclerk("check")

    assert said.code == 3
    assert "BAD  home: Paperless      could not reach Paperless" in said.out
    assert "-> Check that Paperless is running" in said.out
    # What cannot be seen without Paperless is left out; the model is looked at all the same.
    assert "Permissions" not in said.out
    assert "home: Answer" in said.out


def test_a_token_that_is_refused_is_reported_as_that(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    new_token(None, sandbox)

    said = paperclerk("check")

    assert said.code == 4
    problem = f"the token for Paperless was rejected: {sandbox.url}/api/documents/ answered 401"
    assert f"BAD  home: Paperless      {problem} (application/json): Invalid token.\n" in said.out
    assert "-> Create a token in Paperless under My Profile" in said.out
    assert "could not reach" not in said.out


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong, where it is found, and what is to be done about it."""

    make: Callable[[Installation, Sandbox], object]
    code: int
    finding: str
    hint: str


def without(permission: str) -> Callable[[Installation, Sandbox], object]:
    return lambda _, sandbox: sandbox.world.users["paperclerk"].permissions.discard(permission)


def settings(tables: str) -> Callable[[Installation, Sandbox], object]:
    return lambda installation, _: installation.configure(tables)


def model(behaviour: Behaviour) -> Callable[[Installation, Sandbox], object]:
    return lambda _, sandbox: sandbox.model.behave(behaviour)


def new_token(_: object, sandbox: Sandbox) -> None:
    sandbox.world.users["paperclerk"].token = "f" * 40


def without_uisettings_for_owned_names(installation: Installation, sandbox: Sandbox) -> None:
    without("view_uisettings")(installation, sandbox)
    installation.configure('[names]\ncorrespondents = "create"\nowner = "me"\n')


NESTED = '[scan]\ndone_tag = "Strom"\nremove_tags = ["Wohnen"]\n'
KEY_REFUSED = Behaviour(failure=Failure.WRONG_KEY, reach=FailureScope.EVERYTHING)
WRONG = {
    "token": Wrong(new_token, 4, "Paperless", "Create a token in Paperless"),
    "permission": Wrong(
        without("change_document"), 4, "Permissions", "grant change_document to paperclerk"
    ),
    "ui settings": Wrong(without_uisettings_for_owned_names, 1, "Permissions", "the permission"),
    "tag": Wrong(
        settings('[scan]\ndone_tag = "Fertig"\n'), 2, "Tags", "Create the tag in Paperless"
    ),
    "nested tags": Wrong(settings(NESTED), 2, "Tags", "Choose another scan.done_tag"),
    "model": Wrong(model(Behaviour(models=("other",))), 2, "Model", "Available models: other"),
    "key": Wrong(model(KEY_REFUSED), 4, "Model", "Check ai.api_key"),
    "model down": Wrong(lambda _, s: s.model.stop(), 3, "Model", "Check that the model server"),
    "rubbish": Wrong(model(Behaviour(outcome=Outcome.RUBBISH)), 1, "Answer", "A larger model"),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_each_thing_that_is_wrong_comes_with_what_to_do(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox, wrong: Wrong
) -> None:
    wrong.make(installation, sandbox)

    said = paperclerk("check", "--json")

    assert said.code == wrong.code
    found = bad(said.json())
    assert found.keys() == {f"home: {wrong.finding}"}
    assert wrong.hint in str(found[f"home: {wrong.finding}"]["hint"])
    assert wrong.hint in paperclerk("check").out


def test_permissions_to_create_are_asked_for_only_where_names_may_be_created(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.world.users["paperclerk"].permissions -= {"add_tag", "add_correspondent"}
    installation.configure('[names]\ntags = "never"\ncorrespondents = "create"\n')

    findings = bad(paperclerk("check", "--json").json())

    assert findings["home: Permissions"]["message"] == 'user "paperclerk" lacks add_correspondent'


def test_a_superuser_may_do_everything(paperclerk: Paperclerk, sandbox: Sandbox) -> None:
    user = sandbox.world.users["paperclerk"]
    user.permissions.clear()
    user.is_superuser = True

    assert paperclerk("check").code == 0


def test_the_mode_that_the_server_understands_is_shown(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.model.behave(
        Behaviour(modes=frozenset({Mode.JSON_OBJECT}), unsupported=Unsupported.SERVER_ERROR)
    )

    assert "valid, response format json_object" in paperclerk("check").out


def test_five_mistakes_are_five_lines_with_file_and_line(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.settings_file.write_text(MISTAKES)

    said = paperclerk("check")

    assert said.code == 2
    places = [line.split(": ")[0].split()[-1] for line in said.out.splitlines() if "BAD" in line]
    assert places == [f"home.toml:{line}" for line in (2, 3, 7, 10, 13)]


def test_every_command_stops_at_mistakes_in_the_settings(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    installation.settings_file.write_text(MISTAKES)

    for words in (["scan-now"], ["jobs"], ["review", "list"], ["process", "home/1"]):
        said = paperclerk(*words)

        assert said.code == 2
        assert said.err.startswith("config: 5 problems\n")
        assert said.err.count("home.toml:") == 5
    assert len(sandbox.paperless.requests) == 0


def test_a_data_folder_that_cannot_be_written_is_reported(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.data = installation.settings_file / "below-a-file"

    said = paperclerk("check")

    assert said.code == 2
    assert "BAD  Data" in said.out
    assert "chown" in said.out


def test_a_missing_config_folder_is_reported(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.config = installation.config / "nowhere"

    said = paperclerk("check")

    assert said.code == 2
    assert "nowhere" in said.out


MISTAKES = """[paperless]
url = "webserver:8000"
token = ""

[ai]
base_url = "http://127.0.0.1:9/v1"
modell = "qwen3:8b"

[scan]
min_age = "two minutes"

[fields]
title = "always"
"""


def test_a_token_that_may_not_read_its_permissions_is_not_called_bad(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("view_uisettings")

    said = paperclerk("check")

    assert said.code == 0
    assert "ok   home: Permissions    not checked" in said.out
    assert "view_uisettings" in said.out


@pytest.mark.parametrize("release", [V2, V3], ids=["2.20", "3.0"])
def test_documents_are_counted_without_a_list_of_their_ids(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    said = paperclerk("check")

    listings = [
        dict(request.query)
        for request in sandbox.paperless.requests
        if request.path == "/api/documents/" and request.status == 200
    ]
    carry_ids = sandbox.world.release is V2
    assert "3 documents visible to the token's user" in said.out
    assert [query for query in listings if carry_ids and query.get("id") != "0"] == []


def test_an_untried_version_of_paperless_is_a_warning(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.world.release = replace(V3, version="3.7.0")

    said = paperclerk("check")

    assert "WARN home: Paperless      " in said.out
    assert "not been tested with this version yet, only with 2.20, 3.0." in said.out
    assert said.code == 0


def test_workflows_that_apply_paperless_own_suggestions_are_a_warning(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    add_suggesting_workflows(sandbox)

    said = paperclerk("check")

    assert "WARN home: Workflows      Paperless applies its own AI suggestions: AI\n" in said.out
    assert "Disable these workflows in Paperless" in said.out


def add_suggesting_workflows(sandbox: Sandbox) -> None:
    """Add workflows as Paperless 3.1 has them; of these, only one is enabled and suggests."""
    sandbox.world.users["paperclerk"].permissions.add("view_workflow")
    suggests: dict[str, object] = {
        "id": 1,
        "type": 8,
        "ai_suggestion_fields": ["title"],
        "webhook": None,
    }
    assigns: dict[str, object] = {"id": 2, "type": 1, "ai_suggestion_fields": None, "webhook": None}
    for id_, (name, enabled, action) in enumerate(
        [("AI", True, suggests), ("Old AI", False, suggests), ("Assign", True, assigns)], start=1
    ):
        sandbox.world.workflows[id_] = Workflow(id_, name, 0, enabled, [], [action])


def test_groups_of_the_settings_are_looked_up(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    installation.configure('[names]\nowner = "me"\nview_groups = ["family", "strangers"]\n')
    sandbox.world.groups[1] = Group(1, "family")
    sandbox.world.users["paperclerk"].permissions |= {"view_group", "view_uisettings"}

    findings = bad(paperclerk("check", "--json").json())

    assert findings.keys() == {"home: Groups"}
    assert findings["home: Groups"]["message"] == "Paperless has no group strangers"
