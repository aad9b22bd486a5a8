"""`search`, as it is typed."""

import json

from tests.daemon.conftest import Paperclerk
from tests.installation import Installation


def test_a_processed_document_is_found(paperclerk: Paperclerk) -> None:
    paperclerk("scan-now")

    found = paperclerk("search", "werke", "musterstadt")

    assert found.code == 0
    assert "home/1" in found.out
    assert "home/2" not in found.out
    assert "Stadtwerke" in found.out


def test_results_as_json_have_their_snippets(paperclerk: Paperclerk) -> None:
    paperclerk("scan-now")

    [hit] = json.loads(paperclerk("search", "stadtwerke", "--json").out)

    assert hit["document"] == "home/1"
    assert any(part["match"] for part in hit["snippet"])


def test_what_is_not_there_is_not_found(paperclerk: Paperclerk) -> None:
    paperclerk("scan-now")

    assert "no matching documents" in paperclerk("search", "nirgendwo").out
    assert "no matching documents" in paperclerk("search", "stadtwerke", "--tag", "Bank").out


def test_without_an_index_the_setting_is_named(
    paperclerk: Paperclerk, installation: Installation
) -> None:
    installation.configure("[index]\nenabled = false\n")
    paperclerk("scan-now")

    assert "index.enabled" in paperclerk("search", "stadtwerke").out
