"""What the container is made of: exactly the files that `.dockerignore` lets through."""

import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from tests.pages import ROOT

_LEFT_OUT = shutil.ignore_patterns("__pycache__")
# Without site, and so without the editable install, which would lend what is missing.
_START = """
import sys
sys.path[:0] = sys.argv[1:]
import daemon.run, daemon.cli.status
print(daemon.__file__)
"""


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


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the image is built from."""
    folder = tmp_path_factory.mktemp("context")
    for name in let_through():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=_LEFT_OUT)
        else:
            shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def installed(context: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same installed as the Dockerfile does it, into a folder of its own."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    words = ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(target), "."]
    done = subprocess.run([*pip, *words], cwd=context, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def test_the_image_is_built_from_all_that_is_let_through() -> None:
    written = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    assert "COPY . .\n" in written
    assert "pip install --no-deps --no-build-isolation ." in written


def test_every_package_is_let_through() -> None:
    assert set(packages()) <= let_through()


def test_what_is_installed_from_it_has_every_file(installed: Path) -> None:
    assert files_of(installed) == files_of(ROOT)


def test_the_daemon_can_be_started_from_it(installed: Path) -> None:
    libraries = sysconfig.get_path("purelib"), sysconfig.get_path("platlib")
    started = [sys.executable, "-I", "-S", "-c", _START, str(installed), *libraries]

    done = subprocess.run(started, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(installed)
