"""The figures about the code: counted by hand in a small project, and traced in this one."""

import sys
from pathlib import Path

import pytest

from benchmarks.readability import Project, measure, p90, table

ROOT = Path(__file__).parents[2]
SMALL = {
    "pyproject.toml": '[project]\nname = "shop"\n',
    "shop/__init__.py": '"""A shop."""\n',
    "shop/prices.py": "def price():\n    return 1\n",
    "shop/till.py": "import shop.prices\n\n\ndef sell():\n    total = 1\n    return total\n",
    "shop/web/__init__.py": "from .page import show\n",
    "shop/web/page.py": "from ..prices import price\nfrom .. import till\n\nshow = price, till\n",
    "shop/migrations/first.py": "import shop.prices\n",
    "shop/tests/test_till.py": "import shop.till\n",
    "tests/__init__.py": "",
    "manage.py": "import shop.till\n",
}


@pytest.fixture
def small(tmp_path: Path) -> Project:
    for name, text in SMALL.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Project.at(tmp_path)


def test_files_without_code_tests_and_migrations_do_not_count(small: Project) -> None:
    figures = measure(small)

    assert small.packages() == ("shop",)
    assert (figures["Files"], figures["Lines"]) == ("4", "13")
    assert (figures["Functions"], figures["Lines of a function, p90"]) == ("2", "3")


def test_a_module_that_one_other_imports_is_counted_however_the_import_is_written(
    small: Project,
) -> None:
    figures = measure(small)

    # `till` by `from .. import till`, `page` by its package; two import `prices`.
    assert figures["Modules imported by exactly one other"] == "2"


def test_a_project_without_our_program_has_a_dash_for_what_only_that_has(small: Project) -> None:
    lines = table({"small": measure(small), "ours": {"CPU time": "0.2 s"}}).splitlines()

    assert lines[0] == "| | small | ours |"
    assert "| CPU time | - | 0.2 s |" in lines


@pytest.mark.parametrize(
    ("numbers", "expected"), [([7], 7), (list(range(1, 11)), 9), (list(range(1, 101)), 90)]
)
def test_nine_tenths_do_not_exceed_p90(numbers: list[int], expected: int) -> None:
    assert p90(numbers) == expected


def test_one_document_is_filed_and_traced_through_store_and_processor() -> None:
    project = Project.at(ROOT)
    assert project.program

    figures = measure(project)

    assert int(figures["Files that one document passes"]) > 20
    assert int(figures["Functions that one document passes"]) > 100
    assert 5 < int(figures["Deepest stack of one document"]) < sys.getrecursionlimit() / 10
    assert figures["CPU time of `paperclerk version`"].endswith(" s")
