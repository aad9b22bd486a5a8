"""From the first scan to undoing everything: both releases, both databases."""

import re

import pytest

from sandbox import Sandbox
from sandbox.paperless import V2, V3, Release
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation, fields_of, patches, snapshot, writes

RULES = '[scan]\nexclude_tags = ["Privat"]\ndone_tag = "Software"\nremove_tags = ["Inbox"]\n'
FIELDS = '[fields]\ntitle = "fill"\ncorrespondent = "fill"\ntags = "fill"\n'
SETUPS = [(V2, "sqlite"), (V3, "sqlite"), (V3, "postgres")]


@pytest.fixture(params=SETUPS, ids=lambda params: f"{params[0].version} on {params[1]}")
def setup(request: pytest.FixtureRequest) -> tuple[Release, str]:
    params: tuple[Release, str] = request.param
    return params


@pytest.fixture
def release(setup: tuple[Release, str]) -> Release:
    return setup[0]


@pytest.fixture
def database(setup: tuple[Release, str], request: pytest.FixtureRequest) -> None:
    """Use the database of the setup."""
    if setup[1] == "postgres":
        request.getfixturevalue("on_postgres")


@pytest.mark.usefixtures("database")
def test_documents_are_filed_reviewed_and_undone(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk, release: Release
) -> None:
    installation.configure(RULES + FIELDS)
    sandbox.world.edit(3, tags=["Inbox", "Privat"])
    before = snapshot(sandbox)

    check = paperclerk("check")
    assert check.code == 0, check.out
    assert f"version {release.version}" in check.out

    rehearsal = paperclerk("scan-now", "--dry-run")
    assert "would be written" in rehearsal.out
    assert writes(sandbox) == []

    scan = paperclerk("scan-now")
    assert scan.code == 0, scan.err
    assert "2 new documents of 3 seen (1 with an excluded tag)" in scan.out
    assert "0 done, 2 documents for review" in scan.out
    assert len(sandbox.model.state.chats()) == 3  # one for the check, two for the rehearsal
    assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"
    assert fields_of(sandbox)["tags"] == ["Inbox", "Strom", "Wohnen"]

    assert "2 documents for review" in paperclerk("review", "list").out
    accepted = paperclerk("review", "accept", "home/1", "--set", "date=2026-09-01")
    assert accepted.code == 0, accepted.err
    assert paperclerk("review", "reject", "home/2").code == 0
    assert fields_of(sandbox)["created"] == "2026-09-01"
    assert fields_of(sandbox)["document_type"] == "Rechnung"
    assert fields_of(sandbox)["tags"] == ["Software", "Strom", "Wohnen"]
    assert fields_of(sandbox, 2)["document_type"] is None
    assert fields_of(sandbox, 3) == before[3]

    assert "2026-09-03 -> 2026-09-01" in paperclerk("history", "--document", "home/1").out
    again = paperclerk("scan-now", "--json").json()
    assert isinstance(again, dict)
    assert (again["enqueued"], again["skipped"]) == (0, {"excluded_tag": 1, "done": 2})

    number = re.findall(r"scan (\d+),", scan.out)[0]
    assert paperclerk("undo", "--scan", number, "--yes").code == 0
    assert snapshot(sandbox) == before
    assert patches(sandbox)
