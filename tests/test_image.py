"""What the image holds: the files that `.dockerignore` lets through, installed and pruned."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from container.prune import UNUSED, WITH_SYMBOLS
from tests.installation import Installation
from tests.pages import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LIMIT_MB = 130
BLOCK = 4096
# Without site, and so without the development environment, which would lend what is missing.
_PROGRAM = """
import sys
sys.path.append(sys.argv.pop(1))
from daemon.cli import main
main()
"""
_EVERYTHING = """
import importlib, pkgutil, sys
sys.path.append(sys.argv.pop(1))
for package in map(importlib.import_module, sys.argv[1:]):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith(("__main__", ".env")) and ".versions." not in module.name:
            importlib.import_module(module.name)
import apprise, psycopg, sqlalchemy.dialects.postgresql.psycopg
addresses = apprise.Apprise()
assert addresses.add("ntfy://topic"), "Apprise refused an address"
assert addresses.add("mailto://user:password@example.org"), "Apprise refused an address"
"""
_DOCSTRINGS = """
import sys
sys.path.append(sys.argv.pop(1))
import httpx, sqlalchemy
from daemon import cli
assert len(httpx.AsyncClient.__doc__ + sqlalchemy.select.__doc__) == 2
assert len(cli.__doc__) > 10
"""

needs_strip = pytest.mark.skipif(shutil.which("strip") is None, reason="binutils is not installed")


def let_through() -> set[str]:
    """Read `.dockerignore`: everything stays outside but what a line names."""
    nothing, *rest = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert nothing == "*"
    assert [line for line in rest if not line.startswith("!")] == ["**/__pycache__"]
    return {line.removeprefix("!") for line in rest if line.startswith("!")}


def packages() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed: list[str] = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    return listed


def files_of(folder: Path) -> set[Path]:
    """Return the files of all packages that are there."""
    found = (file for name in packages() for file in (folder / name).rglob("*") if file.is_file())
    return {file.relative_to(folder) for file in found if "__pycache__" not in file.parts}


def locked(name: str) -> list[str]:
    lines = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(r"^([a-z0-9-]+)==", lines, flags=re.M)


def copy_libraries(target: Path) -> None:
    """Copy the libraries of the lock from this environment, where the same versions are."""
    for name in locked("requirements.lock"):
        try:
            files = metadata.files(name) or []
        except metadata.PackageNotFoundError:
            continue  # for another system
        for file in files:
            if ".." not in file.parts:
                (target / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), target / file)


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the image is built from."""
    folder = tmp_path_factory.mktemp("context")
    for name in let_through():
        if (ROOT / name).is_dir():
            left_out = shutil.ignore_patterns("__pycache__")
            # As Docker does it, a link stays one: what it points to must be let through, too.
            shutil.copytree(ROOT / name, folder / name, ignore=left_out, symlinks=True)
        else:
            shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def installed(context: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The site-packages folder of the image."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    words = ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(target), "."]
    done = subprocess.run([*pip, *words], cwd=context, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    copy_libraries(target)
    yield target
    shutil.rmtree(target)


@pytest.fixture(scope="module")
def pruned(context: Path, installed: Path) -> Path:
    subprocess.run([sys.executable, context / "container/prune.py", installed], check=True)
    return installed


def run_isolated(code: str, installed: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-B", "-I", "-S", "-c", code, str(installed), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def megabytes(folder: Path) -> float:
    """Return the size on a disk with blocks of 4 kB, as `du` counts it."""
    sizes = (path.lstat().st_size for path in folder.rglob("*"))
    return sum(-(-size // BLOCK) * BLOCK for size in sizes) / 1024**2


def test_the_image_is_built_as_it_is_tested_here() -> None:
    assert "python -m venv --without-pip /opt/paperclerk" in DOCKERFILE
    assert "install --no-deps --require-hashes -r requirements.lock" in DOCKERFILE
    assert "COPY . .\n" in DOCKERFILE
    assert "pip wheel --no-deps --no-build-isolation" in DOCKERFILE
    assert "python container/prune.py /opt/paperclerk/lib/" in DOCKERFILE


def test_every_package_is_let_through() -> None:
    assert set(packages()) <= let_through()


def test_the_locks_of_the_image_agree_with_that_of_the_tests() -> None:
    tested = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    for name in ("requirements.lock", "requirements-build.lock"):
        pins = re.findall(r"^[a-z0-9-]+==\S+", (ROOT / name).read_text("utf-8"), flags=re.M)

        assert [pin for pin in pins if f"\n{pin} " not in f"\n{tested}"] == []


def test_what_is_installed_has_every_file(installed: Path) -> None:
    assert files_of(installed) == files_of(ROOT)


def test_each_pattern_of_what_is_unused_matches_something() -> None:
    here = Path(str(metadata.distribution("rich").locate_file("")))
    optional = {pattern for pattern in UNUSED if pattern.startswith("openai/")}
    optional |= {"rapidfuzz/**/*_avx2*"}  # only on x86

    required = {*UNUSED, *WITH_SYMBOLS} - optional

    assert {pattern for pattern in required if not any(here.glob(pattern))} == set()


@needs_strip
def test_libraries_have_no_docstrings_and_our_packages_keep_theirs(pruned: Path) -> None:
    ended = run_isolated(_DOCSTRINGS, pruned)

    assert ended.returncode == 0, ended.stderr


@needs_strip
def test_the_installed_size_stays_below_its_limit(pruned: Path) -> None:
    assert megabytes(pruned) < LIMIT_MB


@needs_strip
def test_every_module_that_is_left_has_its_bytecode(pruned: Path) -> None:
    sources = [path for path in pruned.rglob("*.py") if "templates" not in path.parts]
    tag = sys.implementation.cache_tag

    missing = [s for s in sources if not (s.parent / f"__pycache__/{s.stem}.{tag}.pyc").exists()]

    assert missing == []


@needs_strip
def test_every_module_can_be_imported_from_what_is_left(pruned: Path) -> None:
    done = run_isolated(_EVERYTHING, pruned, *packages())

    assert done.returncode == 0, done.stderr


@needs_strip
def test_a_document_is_filed_by_what_is_left_without_a_change_to_the_program(
    pruned: Path, installation: Installation
) -> None:
    installation.configure(all_fields="replace")
    folders = ["--config", str(installation.config), "--data", str(installation.data)]
    before = {path: path.stat().st_mtime_ns for path in pruned.rglob("*")}

    shown = run_isolated(_PROGRAM, pruned, *folders, "process", "home/3")
    helped = run_isolated(_PROGRAM, pruned, "--help")

    assert (shown.returncode, helped.returncode) == (0, 0), shown.stderr + helped.stderr
    assert "Gehaltsabrechnung" in shown.stdout
    assert {path: path.stat().st_mtime_ns for path in pruned.rglob("*")} == before
