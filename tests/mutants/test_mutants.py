"""Every mutant still fits the code: `make mutants` takes long, and is not run with each change."""

import re
from pathlib import Path

import pytest

from tests.mutants.locate import Misfit, Mutant, find_test, mutate
from tests.mutants.mutants import MUTANTS

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (?P<name>[^|]+) \| `(?P<test>test_[^|]+)` \|$", re.M)
PROJECT = '[tool.hatch.build.targets.wheel]\npackages = ["one", "two"]\n'
CLAIM = '''
class Queue:
    def claim(self, job):
        """Claim a job."""
        if job.state == "pending" and self.is_free():  # only once
            self.count(job, attempts=1)
            return job
        return None
'''


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_fits_one_place_and_names_tests_that_exist(mutant: Mutant) -> None:
    file, text = mutate(ROOT, mutant)

    compile(text, file, "exec")
    assert all(find_test(ROOT, test) for test in mutant.tests)


def test_the_documentation_lists_every_mutant() -> None:
    rows = ROW.findall((ROOT / "docs/reliability.md").read_text("utf-8"))

    assert dict(rows).keys() == {mutant.name for mutant in MUTANTS}
    assert all(dict(rows)[mutant.name] in mutant.tests for mutant in MUTANTS)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PROJECT, "utf-8")
    for folder in ("one", "two", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "one" / "queue.py").write_text(CLAIM, "utf-8")
    return tmp_path


def changed(root: Path, where: str, old: str, new: str, package: str = "") -> str:
    return mutate(root, Mutant("some", where, old, new, (), package))[1]


@pytest.mark.parametrize(
    ("where", "old", "new", "expected"),
    [
        ("claim", "self.is_free()", "True", "if job.state == 'pending' and True:"),
        ("Queue.claim", "( job.state\n== 'pending' )", "True", "if True and self.is_free():"),
        ("claim", "attempts = 1", "attempts = 0", "self.count(job, attempts=0)"),
        ("claim", "self.count(job, attempts=1)\nreturn job", "pass", "        pass\n"),
    ],
    ids=["an expression", "other layout", "a keyword argument", "statements"],
)
def test_code_is_found_by_its_syntax(
    root: Path, where: str, old: str, new: str, expected: str
) -> None:
    assert expected in changed(root, where, old, new)


def test_code_is_found_wherever_it_is_moved(root: Path) -> None:
    (root / "two" / "deep").mkdir()
    (root / "one" / "queue.py").rename(root / "two" / "deep" / "claims.py")

    file, _ = mutate(root, Mutant("some", "claim", "self.is_free()", "True", ()))

    assert file == root / "two" / "deep" / "claims.py"


def test_a_constant_is_found(root: Path) -> None:
    (root / "two" / "limits.py").write_text("MOST: int = 10\n", "utf-8")

    assert changed(root, "MOST", "10", "11") == "MOST: int = 11\n"


def test_code_of_a_renamed_function_is_said_to_be_there(root: Path) -> None:
    with pytest.raises(Misfit, match=r"take is not there.*\n.*Queue\.claim \(.*queue\.py:3\)"):
        changed(root, "take", "self.is_free()", "True")


def test_code_that_is_gone_is_an_error(root: Path) -> None:
    with pytest.raises(Misfit, match=r"does not contain: self\.gone\n.* no other function"):
        changed(root, "claim", "self.gone", "True")


def test_code_that_is_there_twice_is_an_error_unless_the_package_is_named(root: Path) -> None:
    (root / "two" / "copy.py").write_text(CLAIM, "utf-8")

    with pytest.raises(
        Misfit, match=r"fits 2: Queue.claim \(.*one/queue.*Queue.claim \(.*two/copy"
    ):
        changed(root, "claim", "self.is_free()", "True")
    assert "and True" in changed(root, "claim", "self.is_free()", "True", package="two")


def test_new_code_with_a_name_that_is_unknown_there_is_an_error(root: Path) -> None:
    with pytest.raises(Misfit, match=r"uses names that .* does not know: \{'limit'\}"):
        changed(root, "claim", "self.is_free()", "len(job.tries) < limit")


def test_a_test_is_found_by_its_name(root: Path) -> None:
    (root / "tests" / "test_queue.py").write_text(
        "def test_plain(): ...\nclass TestQueue:\n    async def test_claim(self): ...\n", "utf-8"
    )

    assert find_test(root, "test_plain[a b]") == "tests/test_queue.py::test_plain[a b]"
    assert find_test(root, "test_claim") == "tests/test_queue.py::TestQueue::test_claim"
    with pytest.raises(Misfit, match="test_gone must be in one place, but is in: nowhere"):
        find_test(root, "test_gone")
