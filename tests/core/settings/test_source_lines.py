"""Lines of keys in TOML source."""

import tomllib
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.settings.files import find_key_lines, find_repeated_key

VALUES = [
    "1",
    "1.5",
    "2026-01-31",
    '"text"',
    r'"a \" quote and a # and a ]"',
    r"'C:\'",
    '"""\nkey = 1\n[table]\n"""',
    '"""ends with two quotes"""""',
    '"""\\""" = [\n"""',
    "'''\n[other]\nx = '1'\n''''",
    "'''a \"\"\" b'''",
    '["""ends with one quote"""", "]"]',
    "['''ends with one quote'''', ']']",
    "[]",
    '[\n  "a", # [ " \n  "]",\n]',
    "[[1, 2],\n [3]]",
    '{ a = 1, "b.c" = [1, 2] }',
    '{ a = { b = "}" } }',
    "true # = [",
]


@st.composite
def sources(draw: st.DrawFn) -> tuple[str, dict[tuple[str, ...], int]]:
    """Draw TOML with many traps, and the lines that its keys are on."""
    text = ""
    lines: dict[tuple[str, ...], int] = {}
    for number in range(draw(st.integers(0, 4))):
        table = f"t{number}"
        text += draw(st.sampled_from(["", "\n", "# [no]\n", "  \n# x = 1\n"]))
        lines[table,] = text.count("\n") + 1
        text += draw(st.sampled_from(["[{}]", "[ {} ]", '["{}"]', "  ['{}'] # [x]"])).format(table)
        for key in range(draw(st.integers(0, 4))):
            text += draw(st.sampled_from(["\n", "\n\n", "\n# k = [\n", "\r\n"]))
            lines[table, f"k{key}"] = text.count("\n") + 1
            text += draw(st.sampled_from(["k{}", '"k{}"', "'k{}'", "  k{}"])).format(key)
            text += draw(st.sampled_from([" = ", "=", "\t=\t"])) + draw(st.sampled_from(VALUES))
        text += "\n"
    return text, lines


@given(sources())
def test_every_key_is_found_on_its_line_whatever_the_values_look_like(
    drawn: tuple[str, dict[tuple[str, ...], int]],
) -> None:
    source, lines = drawn
    tomllib.loads(source)

    assert find_key_lines(source) == lines


def test_an_empty_source_has_no_keys() -> None:
    assert find_key_lines("") == {}


@pytest.mark.parametrize(
    ("source", "path", "line"),
    [
        ("a = 1\nb = 2", ("b",), 2),
        ("\n[a.b]\nc = 1\n", ("a", "b", "c"), 3),
        ("\n[a.b]\nc = 1\n", ("a",), 2),
        ("[a.b]\n[a]\n", ("a",), 2),
        ("[a]\nb.c = 1\nb.d = 2\n", ("a", "b"), 2),
        ("[a]\nb.c = 1\nb.d = 2\n", ("a", "b", "d"), 3),
        ('[a]\n"b.c" = 1\n', ("a", "b.c"), 2),
        ('[a]\n"\\u0062" = 1\n', ("a", "b"), 2),
        ('[a."x ] y"]\nb = 1\n', ("a", "x ] y", "b"), 2),
        ("[[a]]\nb = 1\n[[a]]\nb = 2\n", ("a", "b"), 2),
        ("[a]\nb = 1", ("a", "b"), 2),
    ],
)
def test_a_key_is_found_by_its_full_path(source: str, path: tuple[str, ...], line: int) -> None:
    assert find_key_lines(source)[path] == line


def test_what_is_inside_an_inline_table_has_no_line_of_its_own() -> None:
    assert find_key_lines("a = { b = 1 }\n") == {("a",): 1}


@pytest.mark.parametrize(
    ("source", "repeated"),
    [
        ("a = 1\nb = 2\na = 3\n", (("a",), 3)),
        ("[a]\nx = 1\n[b]\nx = 1\n[a]\n", (("a",), 5)),
        ("a = 1\nb = 2\n", None),
        ("a = 1\n? = 2\na = 3\n", None),
    ],
)
def test_a_key_that_stands_twice_is_found(
    source: str, repeated: tuple[tuple[str, ...], int] | None
) -> None:
    assert find_repeated_key(dedent(source)) == repeated
