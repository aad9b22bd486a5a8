"""The same documents through very different model servers: the same archive, or the right error."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from daemon.cli import app
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Mode, Unsupported, Wrapping
from sandbox.model.quirks import QUIRKS
from sandbox.paperless import World, load_world
from tests.conftest import LETTERS
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation, snapshot
from tests.store.builders import FakeClock

LONG = 2
"""The document that is longer than a small context."""
ANNEX = "\n" + "\n".join(f"Anlage, Blatt {number}, ohne Text" for number in range(400))
THOUGHTFUL = frozenset({Wrapping.THINKING, Wrapping.PROSE})
SERVERS = {
    "knows only plain text": Behaviour(modes=frozenset()),
    "breaks at a schema": Behaviour(
        modes=frozenset({Mode.JSON_OBJECT}), unsupported=Unsupported.SERVER_ERROR
    ),
    "thinks aloud and fences": Behaviour(wrapping=THOUGHTFUL),
    "ignores the form and thinks aloud": Behaviour(
        modes=frozenset(), unsupported=Unsupported.IGNORED, wrapping=THOUGHTFUL
    ),
    "refuses a prompt that is too long": QUIRKS["too_long_for_llama_cpp"],
}


def archive() -> World:
    world = load_world()
    world.documents = {id_: world.documents[id_] for id_ in LETTERS}
    world.documents[LONG].content += ANNEX
    return world


@pytest.fixture
def world() -> World:
    return archive()


@pytest.fixture(scope="module")
def flawless(
    tmp_path_factory: pytest.TempPathFactory, migrated: Path
) -> dict[int, dict[str, object]]:
    """The archive as a flawless server leaves it."""
    with Sandbox(archive()) as sandbox:
        folder = tmp_path_factory.mktemp("flawless")
        installation = Installation(sandbox, folder, FakeClock())
        installation.copy_database(migrated)
        installation.configure(all_fields="replace")
        before = snapshot(sandbox)
        words = ["--config", str(installation.config), "--data", str(installation.data), "scan-now"]
        assert CliRunner().invoke(app, words).exit_code == 0
        after = snapshot(sandbox)
    assert all(after[id_] != before[id_] for id_ in LETTERS)
    return after


@pytest.mark.parametrize("behaviour", SERVERS.values(), ids=SERVERS.keys())
def test_the_same_documents_are_filed_alike(
    installation: Installation,
    sandbox: Sandbox,
    paperclerk: Paperclerk,
    flawless: dict[int, dict[str, object]],
    behaviour: Behaviour,
) -> None:
    installation.configure(all_fields="replace")
    sandbox.model.behave(behaviour)

    said = paperclerk("scan-now")

    assert said.code == 0, said.out
    assert "home: 3 done" in said.out
    assert snapshot(sandbox) == flawless


def test_a_server_that_cuts_in_silence_fails_what_it_cut_and_files_the_rest_alike(
    installation: Installation,
    sandbox: Sandbox,
    paperclerk: Paperclerk,
    flawless: dict[int, dict[str, object]],
) -> None:
    installation.configure(all_fields="replace")
    sandbox.model.behave(QUIRKS["cut_in_silence"])
    before = snapshot(sandbox)

    said = paperclerk("scan-now")

    assert said.code == 1
    assert "home: 2 done, 1 failed" in said.out
    assert "OLLAMA_CONTEXT_LENGTH" in said.out
    assert snapshot(sandbox) == {**flawless, LONG: before[LONG]}
