"""`make mutants`: take each promise out of a copy of the code, and see which test notices.

The code as it is goes first: a test that fails anyway catches nobody.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from daemon.output import console, print_table
from tests.mutants.doors import DOORS
from tests.mutants.mutants import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
SURVIVED = "SURVIVED"
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info")
_LONGEST = 600
_FAILED = re.compile(r"^FAILED (\S+::.+?)(?: - .*)?$", re.M)


class NotFair(Exception):
    """The tests cannot judge: they fail without a mutant, or do not even run with one."""


def main() -> int:
    """Try the mutants whose name has a word given on the command line; without one, all."""
    words = sys.argv[1:]
    chosen = [
        one for one in (*MUTANTS, *DOORS) if not words or any(word in one.name for word in words)
    ]
    with tempfile.TemporaryDirectory(prefix="clerk-mutants-") as folder:
        healthy = _copy(Path(folder) / "healthy")
        if (noticed := _first_failure(healthy, _tests_of(chosen))) is not None:
            raise NotFair(f"fails without a mutant: {noticed}")
        console().print("all tests that are to notice something pass without a mutant")
        rows = [(mutant.name, _caught_by(mutant, Path(folder))) for mutant in chosen]
    print_table(("mutant", "caught by"), rows)
    survivors = sum(caught == SURVIVED for _, caught in rows)
    console().print(f"{len(rows)} mutants, {survivors} survived")
    return 1 if survivors else 0


def _tests_of(mutants: list[Mutant]) -> list[str]:
    return sorted({test for mutant in mutants for test in mutant.tests})


def _caught_by(mutant: Mutant, folder: Path) -> str:
    copy = _copy(folder / "mutant")
    try:
        mutant.apply(copy)
        caught = _first_failure(copy, list(mutant.tests)) or SURVIVED
    finally:
        shutil.rmtree(copy)
    console().print(f"{mutant.name}: {caught}")
    return caught


def _copy(to: Path) -> Path:
    shutil.copytree(ROOT, to, ignore=_LEFT_OUT)
    return to


def _first_failure(root: Path, tests: list[str]) -> str | None:
    """Run tests in a copy until one fails; return its name, None if all pass."""
    words = ("-m", "pytest", "-x", "-q", "--tb=no", "-rf", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, *words, *tests],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},  # noqa: TID251 - a child needs one
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_LONGEST,
        check=False,
    )
    if done.returncode == 0:
        return None
    failed = _FAILED.search(done.stdout)
    if failed is None:
        raise NotFair(f"no test ran to its end:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return failed[1]


if __name__ == "__main__":
    sys.exit(main())
