"""`make measure`: the size of the code, and how much of it processes one document.

Takes checkouts, as `name=folder` or as a folder, and prints a Markdown table with a column for
each. Files and functions are counted in any Python project. The path of a document and the start
of the command line are measured if there is a `paperclerk`; see `benchmarks/trace_document.py`.
"""

import argparse
import ast
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = "paperclerk"
NOT_PRODUCT = frozenset({"tests", "test", "benchmarks", "migrations", "docs", "sandbox"})
"""Folders that do not count. The sandbox is for tests and the demo."""
_HERE = Path(__file__).parent
_STARTS = 7
_LONG = 300
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Project:
    """A checkout of a Python project."""

    root: Path
    settings: Mapping[str, object] = field(repr=False)
    """Its `pyproject.toml`; empty if it has none."""

    @classmethod
    def at(cls, root: Path) -> "Project":
        file = root / "pyproject.toml"
        settings = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        return cls(root.resolve(), settings)

    @property
    def program(self) -> str | None:
        """Return the function behind `paperclerk`, as in `package.module:function`."""
        scripts = _table(self.settings, "project", "scripts")
        found = scripts.get(PROGRAM)
        return found if isinstance(found, str) else None

    def packages(self) -> tuple[str, ...]:
        """Return the top-level packages: those of the wheel, or every folder that is a package."""
        wheel = _table(self.settings, "tool", "hatch", "build", "targets", "wheel")
        listed = wheel.get("packages")
        if not isinstance(listed, list):
            listed = sorted(file.parent.name for file in self.root.glob("*/__init__.py"))
        return tuple(name for name in listed if name not in NOT_PRODUCT)

    def modules(self) -> dict[str, Path]:
        """Return the files of the product by the names of their modules."""
        files = {
            file.relative_to(self.root): file
            for package in self.packages()
            for file in sorted((self.root / package).rglob("*.py"))
        }
        return {
            ".".join(short.with_suffix("").parts).removesuffix(".__init__"): file
            for short, file in files.items()
            if NOT_PRODUCT.isdisjoint(short.parts) and not short.name.startswith("test_")
        }


def _table(settings: Mapping[str, object], *keys: str) -> Mapping[str, object]:
    """Return a table within tables; an empty one if there is none."""
    found: object = settings
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def measure(project: Project) -> dict[str, str]:
    """Return the figures of a project by the headings of their lines."""
    modules = project.modules()
    texts = {name: file.read_text(encoding="utf-8") for name, file in modules.items()}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    files = [len(texts[name].splitlines()) for name, tree in trees.items() if has_code(tree)]
    functions = [length for tree in trees.values() for length in lengths_of_functions(tree)]
    packages = frozenset(name for name, file in modules.items() if file.name == "__init__.py")
    return {
        "Files": f"{len(files):,}",
        "Lines": f"{sum(files):,}",
        "Lines of a file, median": f"{statistics.median(files):.0f}",
        "Lines of a file, p90": f"{p90(files)}",
        "Functions": f"{len(functions):,}",
        "Lines of a function, median": f"{statistics.median(functions):.0f}",
        "Lines of a function, p90": f"{p90(functions)}",
        "Modules imported by exactly one other": f"{imported_once(trees, packages)}",
        **_figures_of_program(project),
    }


def has_code(tree: ast.Module) -> bool:
    """Return whether a file has more than a docstring; some `__init__.py` do not."""
    statements = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    return bool(statements)


def lengths_of_functions(tree: ast.AST) -> Iterator[int]:
    """Yield the number of lines of each function, nested ones included."""
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            assert node.end_lineno is not None
            yield node.end_lineno - node.lineno + 1


def p90(numbers: Sequence[int]) -> int:
    """Return the 90th percentile."""
    return sorted(numbers)[math.ceil(0.9 * len(numbers)) - 1]


def imported_once(trees: Mapping[str, ast.AST], packages: frozenset[str]) -> int:
    """Count the modules that one other module of the project imports, without `__init__` files."""
    importers = Counter(
        target
        for name, tree in trees.items()
        for target in imports_of(name, tree, trees, is_package=name in packages) - {name}
    )
    return sum(importers[name] == 1 for name in trees.keys() - packages)


def imports_of(
    name: str, tree: ast.AST, known: Mapping[str, object], *, is_package: bool
) -> set[str]:
    """Return the modules of the project that a module imports, also inside functions."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            origin = _origin(name, node, is_package=is_package)
            members = {f"{origin}.{alias.name}" for alias in node.names}
            submodules = members & known.keys()
            found |= submodules if submodules == members else submodules | {origin}
    return found & known.keys()


def _origin(name: str, node: ast.ImportFrom, *, is_package: bool) -> str:
    """Return the absolute name of the module after `from`."""
    if not node.level:
        return node.module or ""
    parts = name.split(".")
    above = parts[: len(parts) - node.level + is_package]
    return ".".join([*above, *([node.module] if node.module else [])])


def _figures_of_program(project: Project) -> dict[str, str]:
    """Return the figures that need a `paperclerk`; empty if the project has none."""
    if project.program is None:
        return {}
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {
            **os.environ,  # noqa: TID251 - passed on to the program that is measured
            "PYTHONPATH": str(project.root),
            "PYTHONPYCACHEPREFIX": bytecode,
            "PYTHONDONTWRITEBYTECODE": "",
        }
        traced = trace(project, environment)
        seconds = cpu_time(project, environment, "version")
    return {
        "Files that one document passes": f"{traced['files']}",
        "Functions that one document passes": f"{traced['functions']}",
        "Deepest stack of one document": f"{traced['depth']}",
        f"CPU time of `{PROGRAM} version`": f"{seconds:.2f} s",
    }


def trace(project: Project, environment: Mapping[str, str]) -> Mapping[str, int]:
    """File one document with the code of a project; return `files`, `functions` and `depth`."""
    assert project.program is not None
    # The package of the command line only starts the work; it is the same for every document.
    counted = [name for name in project.packages() if name != project.program.partition(".")[0]]
    folders = [str(project.root / name) for name in counted]
    command = [sys.executable, "-P", str(_HERE / "trace_document.py"), project.program, *folders]
    ended = subprocess.run(
        command, cwd=project.root, env=environment, capture_output=True, text=True, timeout=_LONG,
        check=False,
    )  # fmt: skip
    if ended.returncode:
        sys.exit(f"{project.root}: the document was not filed\n{ended.stderr}")
    figures: Mapping[str, int] = json.loads(ended.stdout)
    return figures


def cpu_time(project: Project, environment: Mapping[str, str], *words: str) -> float:
    """Return the median CPU seconds, user and system, of a command; the first start is not counted.

    The first one compiles what the others load.
    """
    assert project.program is not None
    module, _, function = project.program.partition(":")
    code = f"import sys; sys.argv[0] = '{PROGRAM}'; from {module} import {function}; {function}()"
    command = [sys.executable, "-c", code, *words]
    times = [_cpu_time_of(command, project.root, environment) for _ in range(_STARTS + 1)]
    return statistics.median(times[1:])


def _cpu_time_of(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> float:
    before = os.times()
    subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, timeout=_LONG, check=True
    )
    after = os.times()
    return (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )


def table(columns: Mapping[str, Mapping[str, str]]) -> str:
    """Return a Markdown table: a column per project, a line per figure."""
    headings = dict.fromkeys(heading for figures in columns.values() for heading in figures)
    lines = [f"| | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for heading in headings:
        cells = (figures.get(heading, "-") for figures in columns.values())
        lines.append(f"| {heading} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _named(text: str) -> tuple[str, Path]:
    """Parse `name=folder`, or a folder, whose own name is then used."""
    name, equals, folder = text.rpartition("=")
    path = Path(folder).resolve()
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{folder} is not a folder")
    return (name if equals else path.name), path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="*", type=_named, metavar="[NAME=]FOLDER")
    options = parser.parse_args()
    projects = options.projects or [("now", _HERE.parent)]
    columns = {name: measure(Project.at(folder)) for name, folder in projects}
    sys.stdout.write(table(columns))


if __name__ == "__main__":
    main()
