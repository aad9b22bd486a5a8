"""A page as lines and cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processor.analysis.layout import (
    cells_of,
    find_line,
    find_stacked_labels,
    in_column_of,
    rows_of,
)


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("", []),
        ("   ", []),
        ("one cell here", ["one cell here"]),
        ("  Datum               01.09.2026 ", ["Datum", "01.09.2026"]),
        ("a\tb", ["a", "b"]),
        ("Sportpark | Uferweg 18 | 12347 Stadt", ["Sportpark", "Uferweg 18", "12347 Stadt"]),
        ("Am Gaswerk 12 · 12345 Musterstadt", ["Am Gaswerk 12", "12345 Musterstadt"]),
    ],
)
def test_a_line_falls_into_cells_at_its_gaps(line: str, cells: list[str]) -> None:
    found = cells_of(line)

    assert [cell.text for cell in found] == cells
    assert all(line[cell.start : cell.end] == cell.text for cell in found)


def test_blank_lines_are_no_rows() -> None:
    assert [[cell.text for cell in row] for row in rows_of("a\n\n  \nb  c")] == [["a"], ["b", "c"]]


def test_a_column_is_what_stands_above_or_below() -> None:
    [head, values] = rows_of("Sold to       Deliver to\nErika M.      Max M.                 x")

    assert in_column_of(head[1], values) == values[1]
    assert in_column_of(values[0], head) == head[0]
    assert in_column_of(values[2], head) is None


@given(st.text(alphabet="ab |·\t\n"))
def test_the_line_of_a_row_is_found_as_it_is_written(text: str) -> None:
    for row in rows_of(text):
        assert cells_of(find_line(row, text)) == row


def test_a_block_of_labels_belongs_to_as_many_values_below_it() -> None:
    rows = rows_of("Datum\nNummer\nKonto\n05.03.2026\nM 2603\n9 004\n\nGuten Tag")

    assert find_stacked_labels(rows) == {3: "Datum", 4: "Nummer", 5: "Konto"}


def test_between_blank_lines_a_value_may_be_a_word() -> None:
    text = "An Anna\n\nDatum\nNummer\nKennwort\n\n05.03.2026\nM 2603\nja\n\nGuten Tag"

    assert find_stacked_labels(rows_of(text), text) == {4: "Datum", 5: "Nummer"}
    assert find_stacked_labels(rows_of(text)) == {}


def test_fewer_labels_than_values_belong_to_none() -> None:
    assert find_stacked_labels(rows_of("Datum\n05.03.2026\nM 2603")) == {}
    assert find_stacked_labels(rows_of("1 a\nDatum\n05.03.2026")) == {}
