"""The storage path, from the question to the write and back, by the command line."""

import json

import pytest

from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour
from sandbox.paperless import V2, V3, Kind, Release
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_daemon
from tests.installation import FIELDS_ON, ONLY_BY_HAND, Installation, fields_of, patches

BOTH = pytest.mark.parametrize("release", [V2, V3], ids=str)
LISTED = "/api/storage_paths/"


def configure(installation: Installation, mode: str, tables: str = "") -> None:
    """Ask for the storage path and for nothing else."""
    off = "\n".join(f'{field} = "off"' for field in FIELDS_ON)
    installation.configure(f'{tables}\n[fields]\nstorage_path = "{mode}"\n{off}\n')


def lists(sandbox: Sandbox) -> list[str]:
    return [request.path for request in sandbox.paperless.requests if request.path == LISTED]


def prompt(sandbox: Sandbox) -> str:
    """Return the only question that the model was asked."""
    [chat] = sandbox.model.state.chats()
    return str(chat.messages)


@BOTH
def test_a_storage_path_is_asked_for_by_name_written_by_id_and_undone(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox, release: Release
) -> None:
    configure(installation, "fill")

    written = paperclerk("process", "home/1")
    history = paperclerk("history", "--json").json()
    undone = paperclerk("undo", "--document", "home/1")

    assert sandbox.world.release is release
    assert "storage path   - -> Strom  [written]" in written.out
    id_ = sandbox.world.find(Kind.STORAGE_PATH, "Strom").id
    assert patches(sandbox) == [{"storage_path": id_}, {"storage_path": None}]
    assert isinstance(history, list)
    assert history[0]["field"] == "storage_path"
    assert history[0]["after"] == {"name": "Strom", "id": id_}
    assert undone.code == 0
    assert fields_of(sandbox)["storage_path"] is None


def test_the_existing_storage_paths_are_offered_with_what_their_templates_make(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    configure(installation, "review")

    paperclerk("process", "home/1")

    assert "Nach Jahr  # [created year]/[correspondent]/[title]" in prompt(sandbox)
    assert "Strom  # wohnen/strom/[created year]/[title]" in prompt(sandbox)


@pytest.mark.parametrize(
    ("mode", "kept"), [("fill", "Nach Jahr"), ("review", "Nach Jahr"), ("replace", "Strom")]
)
def test_a_storage_path_that_is_there_is_kept_or_replaced_by_the_mode(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox, mode: str, kept: str
) -> None:
    configure(installation, mode)
    sandbox.world.edit(1, storage_path="Nach Jahr")

    paperclerk("process", "home/1")

    assert fields_of(sandbox)["storage_path"] == kept


def test_a_storage_path_that_paperless_does_not_have_is_never_created(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    configure(installation, "replace")
    found = {"value": "Keller", "evidence": "Stromrechnung", "confidence": 1}
    sandbox.model.behave(Behaviour(answer=json.dumps({"storage_path": found})))

    said = paperclerk("process", "home/1")

    assert "the name does not exist, and new names are not allowed" in said.out
    assert patches(sandbox) == []
    with pytest.raises(KeyError):
        sandbox.world.find(Kind.STORAGE_PATH, "Keller")


@BOTH
def test_a_person_accepts_a_storage_path_or_chooses_another(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox, release: Release
) -> None:
    configure(installation, "review")
    paperclerk("process", "home/1")
    shown = paperclerk("review", "show", "home/1")

    unknown = paperclerk("review", "accept", "home/1", "--set", "storage_path=Keller")
    chosen = paperclerk("review", "accept", "home/1", "--set", "storage_path=nach jahr")

    assert sandbox.world.release is release
    assert "storage path   - -> Strom  [for review]" in shown.out
    assert unknown.code == 2
    assert 'there is no storage path "Keller"; create it in Paperless' in unknown.err
    assert chosen.code == 0
    assert fields_of(sandbox)["storage_path"] == "Nach Jahr"


def test_a_storage_path_that_is_refused_for_good_is_not_suggested_again(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    configure(installation, "fill")
    paperclerk("process", "home/1")
    paperclerk("undo", "--document", "home/1")
    configure(installation, "review")
    paperclerk("process", "home/1")

    said = paperclerk("review", "reject", "home/1", "--never")
    again = paperclerk("process", "home/1")

    assert 'storage path "Strom" is never suggested' in said.out
    assert "[skipped: you chose never to suggest it]" in again.out
    assert fields_of(sandbox)["storage_path"] is None


@pytest.mark.parametrize(("mode", "lacks"), [("review", True), ("off", False)])
def test_the_permission_is_needed_only_if_storage_paths_are_asked_for(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox, mode: str, *, lacks: bool
) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("view_storagepath")
    installation.configure(f'[fields]\nstorage_path = "{mode}"\n')

    checked, scanned = paperclerk("check"), paperclerk("scan-now")

    assert ("lacks view_storagepath" in checked.out) is lacks
    assert (checked.code, scanned.code) == ((4, 4) if lacks else (0, 0))


def test_by_default_storage_paths_are_neither_read_nor_asked_for_nor_written(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")

    paperclerk("process", "home/1")

    assert lists(sandbox) == []
    assert "storage_path" not in prompt(sandbox)
    [patch] = patches(sandbox)
    assert isinstance(patch, dict)
    assert "storage_path" not in patch


def test_an_estimate_counts_the_storage_paths(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    tokens = []
    for mode in ("off", "review"):
        installation.configure(f'[fields]\nstorage_path = "{mode}"\n')
        estimate = paperclerk("scan-now", "--estimate", "--json").json()
        assert isinstance(estimate, dict)
        tokens.append(estimate["tokens_in"])

    assert tokens[0] < tokens[1]


@BOTH
def test_a_running_daemon_files_by_storage_path(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox, release: Release
) -> None:
    configure(installation, "fill", ONLY_BY_HAND)
    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")

        said = paperclerk("process", "home/1")

        assert said.code == 0, said.err
        assert "job completed" in daemon.log
    assert sandbox.world.release is release
    assert fields_of(sandbox)["storage_path"] == "Strom"
