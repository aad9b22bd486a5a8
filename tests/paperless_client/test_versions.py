"""Versions of Paperless-ngx: which ones were tried, and that the documentation lists them."""

from pathlib import Path

import pytest

from paperless_client import TRIED_VERSIONS, is_tried

TABLE = Path(__file__).parents[2] / "docs" / "reference" / "paperless-versions.md"


@pytest.mark.parametrize(
    ("version", "tried"),
    [
        ("2.20.15", True),
        ("3.0.5", True),
        ("3.0.5-beta.rc1", True),
        ("2.2.0", False),
        ("3.1.0", False),
        ("13.0.1", False),
        ("", False),
    ],
)
def test_a_version_is_tried_whatever_its_last_number(version: str, *, tried: bool) -> None:
    assert is_tried(version) is tried


def test_the_table_of_versions_lists_what_was_tried() -> None:
    lines = TABLE.read_text("utf-8").splitlines()
    rows = [line.split("|")[1].strip() for line in lines if line.startswith("|")]

    assert tuple(sorted({row for row in rows if row[:1].isdigit()})) == TRIED_VERSIONS
