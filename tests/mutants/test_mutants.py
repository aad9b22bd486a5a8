"""Every mutant still fits the code: `make mutants` takes long, and is not run with each change."""

from pathlib import Path

import pytest

from tests.mutants.doors import DOORS
from tests.mutants.mutants import MUTANTS, Mutant, SourceChanged

ROOT = Path(__file__).parents[2]
EVERY = pytest.mark.parametrize("mutant", [*MUTANTS, *DOORS], ids=lambda one: one.name)


@EVERY
def test_the_text_that_it_replaces_is_there_once(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text("utf-8").count(mutant.old) == 1


@EVERY
def test_the_tests_that_must_notice_it_are_there(mutant: Mutant) -> None:
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}" in (ROOT / file).read_text("utf-8")


def test_a_text_that_is_gone_is_told(tmp_path: Path) -> None:
    (tmp_path / "some.py").write_text("twice\ntwice\n", encoding="utf-8")

    with pytest.raises(SourceChanged, match=r"some\.py has 2 times: twice"):
        Mutant("", "some.py", "twice", "", ()).apply(tmp_path)
