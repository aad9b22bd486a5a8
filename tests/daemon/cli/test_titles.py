"""Titles by a pattern, as they are reviewed."""

from sandbox import Sandbox
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation, fields_of


def test_an_edit_in_review_is_written_with_the_title_that_it_makes(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    installation.configure('[titles]\npattern = "{correspondent} {type} {year}"\n')
    assert paperclerk("process", "home/1").code == 0

    paperclerk("review", "accept", "home/1", "--set", "correspondent=Deutsche Telekontakt")

    assert fields_of(sandbox)["title"] == "Deutsche Telekontakt Rechnung 2026"
