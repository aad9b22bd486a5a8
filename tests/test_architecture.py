"""The picture of the architecture is compared with import-linter's contracts and with the files."""

import subprocess
import sys
from itertools import permutations
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import grimp
from importlinter.api import read_configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.domain.contract import Contract

from benchmarks.package_map import DUTIES
from tests.conftest import UNMEASURED
from tests.pages import ROOT

PICTURE = ROOT / "docs/explanation/architecture.svg"
COMMAND = "python -m benchmarks.package_map > docs/explanation/architecture.svg"
CONTRACTS: dict[str, type[Contract]] = {"layers": LayersContract, "forbidden": ForbiddenContract}
SETTINGS: dict[str, Any] = read_configuration(str(ROOT / "pyproject.toml"))
SESSION: dict[str, Any] = SETTINGS["session_options"]
PACKAGES: list[str] = SESSION["root_packages"]


def groups(attribute: str) -> list[Element]:
    """Return the groups of the picture that carry an attribute."""
    picture = fromstring(PICTURE.read_text(encoding="utf-8"))  # noqa: S314  # our own file
    return [group for group in picture.iter() if attribute in group.attrib]


def contracts_between_packages() -> list[Contract]:
    """Return the contracts that speak of whole packages of ours, not of modules or libraries."""
    return [
        CONTRACTS[options["type"]](options["name"], SESSION, options)
        for options in SETTINGS["contracts_options"]
        if options["type"] == "layers" or set(options["forbidden_modules"]) <= set(PACKAGES)
    ]


def is_allowed(importer: str, imported: str, contracts: list[Contract]) -> bool:
    """Return whether import-linter accepts a program with this one import."""
    graph = grimp.ImportGraph()
    for package in PACKAGES:
        graph.add_module(package)
    graph.add_import(importer=importer, imported=imported)
    return all(contract.check(graph, verbose=False).kept for contract in contracts)


def test_the_picture_is_what_the_command_prints() -> None:
    command = [sys.executable, "-m", "benchmarks.package_map"]

    printed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)

    assert printed.stdout == PICTURE.read_text(encoding="utf-8"), f"run: {COMMAND}"


def test_the_picture_shows_every_package_once() -> None:
    drawn = [group.attrib["data-package"] for group in groups("data-package")]

    assert sorted(drawn) == sorted(PACKAGES)
    assert set(DUTIES) == set(PACKAGES)


def test_the_picture_allows_the_imports_that_import_linter_allows() -> None:
    drawn = {
        (group.attrib["data-package"], imported)
        for group in groups("data-package")
        for imported in group.attrib["data-imports"].split()
    }
    contracts = contracts_between_packages()

    allowed = {pair for pair in permutations(PACKAGES, 2) if is_allowed(*pair, contracts)}

    assert drawn == allowed


def test_every_step_of_a_document_names_a_file_of_a_package_in_the_picture() -> None:
    files = [group.attrib["data-file"] for group in groups("data-step")]

    assert files
    assert {file.partition("/")[0] for file in files} <= set(PACKAGES)
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_every_file_without_coverage_exists() -> None:
    tests = ROOT / "tests"

    assert {name for name in UNMEASURED if not (tests / name).is_file()} == set()
