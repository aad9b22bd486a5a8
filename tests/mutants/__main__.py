"""`make mutants`: take each promise out of a copy of the code, and see which test notices.

The unchanged code goes first: a test that fails anyway notices nothing. The report is the table of
`docs/reliability.md`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.mutants.locate import Mutant, find_test, mutate
from tests.mutants.mutants import MUTANTS

ROOT = Path(__file__).parents[2]
SURVIVED = "**survived**"
NOT_RUN = "**tests did not run**"
_AT_ONCE = 2
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info")
# Many processes start, and each would compile everything anew if it could not be kept.
_ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": ""}
_FAILED = re.compile(r"^FAILED \S+::(test_.+?)(?: - .*)?$", re.M)


class TestsDidNotRun(Exception):
    """No test passed or failed, so nothing is known about the code."""


def main() -> int:
    """Try the mutants whose name has a word given on the command line; without one, all."""
    words = sys.argv[1:]
    chosen = [
        mutant for mutant in MUTANTS if not words or any(word in mutant.name for word in words)
    ]
    with tempfile.TemporaryDirectory(prefix="paperclerk-mutants-") as folder:
        healthy = Path(folder) / "healthy"
        shutil.copytree(ROOT, healthy, ignore=_LEFT_OUT)
        tests = sorted({test for mutant in chosen for test in mutant.tests})
        if (failed := _first_failure(healthy, tests, "-n", str(_AT_ONCE))) is not None:
            raise SystemExit(f"fails without a mutant: {failed}")
        _print(f"{len(tests)} tests pass without a mutant\n")
        _print("| what was taken out | the test that noticed |\n|---|---|")
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            caught = list(pool.map(partial(_try, healthy), chosen))
    noticed = sum(test not in {SURVIVED, NOT_RUN} for test in caught)
    _print(f"\n{len(chosen)} mutants, {noticed} noticed")
    return 0 if noticed == len(chosen) else 1


def _try(healthy: Path, mutant: Mutant) -> str:
    """Return the test that notices a mutant, SURVIVED or NOT_RUN."""
    file, text = mutate(healthy, mutant)
    with tempfile.TemporaryDirectory(dir=healthy.parent) as folder:
        # With what the first run has compiled: only the changed file is compiled again.
        copy = shutil.copytree(healthy, Path(folder) / "copy")
        (copy / file.relative_to(healthy)).write_text(text, "utf-8")
        try:
            failed = _first_failure(copy, mutant.tests)
        except TestsDidNotRun as error:
            sys.stderr.write(f"{mutant.name}: {error}\n")
            failed = NOT_RUN
    _print(f"| {mutant.name} | {f'`{failed}`' if failed else SURVIVED} |")
    return failed or SURVIVED


def _first_failure(root: Path, tests: Sequence[str], *options: str) -> str | None:
    """Run tests in a copy until one fails; return its name, None if all pass."""
    words = ("-m", "pytest", "-x", "-q", "--tb=no", "-rf", "-p", "no:cacheprovider", *options)
    done = subprocess.run(
        [sys.executable, *words, *(find_test(root, test) for test in tests)],
        cwd=root,
        env=os.environ | _ENVIRONMENT | {"PYTHONPATH": str(root)},  # noqa: TID251 - a child needs one
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == 0:
        return None
    failed = _FAILED.search(done.stdout)
    if failed is None:
        raise TestsDidNotRun(f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    name = failed[1]
    return name if name in tests else name.partition("[")[0]


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
