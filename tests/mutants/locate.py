"""Find code and tests by name and syntax, wherever they live, and replace code in a copy.

File paths, comments, line breaks and quotes do not matter, so code can be moved without a mutant
noticing. A rename within the replaced code does matter: then Misfit says where the code is.
"""

import ast
import builtins
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Misfit(Exception):
    """A mutant or a test does not name exactly one place in the code."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One promise taken out of the code, and the tests that must notice."""

    name: str
    where: str
    """A function, method or constant: `claim`, `_by_arrival` or `Login.log_in`, `OVERLAP`."""
    old: str
    """An expression, statements or a keyword argument; it must be in `where` exactly once."""
    new: str
    tests: tuple[str, ...]
    """Names of test functions; `[...]` selects one case of a table."""
    package: str = ""
    """The folder to search; without it, all product packages."""


@dataclass(frozen=True, slots=True)
class _Definition:
    """A function, method or constant; `path` has the names of what surrounds it, too."""

    file: Path
    path: tuple[str, ...]
    node: ast.AST

    def is_called(self, name: str) -> bool:
        parts = tuple(name.split("."))
        return self.path[-len(parts) :] == parts

    def __str__(self) -> str:
        return f"{'.'.join(self.path)} ({self.file}:{getattr(self.node, 'lineno', 1)})"


def mutate(root: Path, mutant: Mutant) -> tuple[Path, str]:
    """Return the file that a mutant changes and its new text; raise Misfit."""
    name = mutant.where.rpartition(".")[2]
    places = []
    for file in _files(root, _folders(root, mutant), rf"^\s*((async )?def )?{name}\b"):
        tree = ast.parse(_text(file))
        for definition in _definitions(tree, file):
            if definition.is_called(mutant.where):
                times = _replace(definition.node, mutant)
                places += [(definition, tree)] * times
    if len(places) != 1:
        raise Misfit(_explain(root, mutant, [definition for definition, _ in places]))
    [(definition, tree)] = places
    if unknown := _names_read(ast.parse(mutant.new)) - _names_known(tree, definition):
        raise Misfit(f'"{mutant.name}" uses names that {definition} does not know: {unknown}')
    return definition.file, ast.unparse(tree) + "\n"


def find_test(root: Path, name: str) -> str:
    """Return the address by which pytest runs a test function; raise Misfit."""
    function, bracket, case = name.partition("[")
    found = [
        definition
        for file in _files(root, ("tests",), rf"def {re.escape(function)}\(")
        for definition in _definitions(ast.parse(_text(file)), file)
        if definition.is_called(function)
    ]
    if len(found) != 1:
        places = ", ".join(map(str, found)) or "nowhere"
        raise Misfit(f"the test {function} must be in one place, but is in: {places}")
    file = found[0].file.relative_to(root).as_posix()
    return "::".join((file, *found[0].path)) + bracket + case


def _folders(root: Path, mutant: Mutant) -> Sequence[str]:
    if mutant.package:
        return (mutant.package,)
    project = tomllib.loads(_text(root / "pyproject.toml"))
    return tuple(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])


def _files(root: Path, folders: Sequence[str], containing: str) -> Iterator[Path]:
    """Yield the Python files in which a pattern is found: to parse every file takes long."""
    pattern = re.compile(containing, re.M)
    for folder in folders:
        for file in _python_files(root / folder):
            if pattern.search(_text(file)):
                yield file


@cache
def _python_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


@cache
def _text(file: Path) -> str:
    return file.read_text("utf-8")


def _definitions(scope: ast.AST, file: Path, path: tuple[str, ...] = ()) -> Iterator[_Definition]:
    """Yield functions at any depth, and constants of modules and classes."""
    for node in ast.iter_child_nodes(scope):
        inner = path
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            inner = (*path, node.name)
            if isinstance(node, _FUNCTIONS):
                yield _Definition(file, inner, node)
        elif isinstance(scope, (ast.Module, ast.ClassDef)):
            for name in _assigned(node):
                yield _Definition(file, (*path, name), node)
        yield from _definitions(node, file, inner)


def _assigned(node: ast.AST) -> list[str]:
    match node:
        case ast.Assign():
            return [target.id for target in node.targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def _names_read(tree: ast.AST) -> set[str]:
    return _names(tree, ast.Load) - _names(tree, ast.Store)


def _names_known(module: ast.Module, definition: _Definition) -> set[str]:
    """Return the names that code in a definition can use: any other would fail at once."""
    known = {*dir(builtins), *_names(definition.node, ast.Store)}
    for node in (*module.body, *ast.walk(definition.node)):
        match node:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                known |= {alias.asname or alias.name for alias in aliases}
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                known.add(name)
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                known.add(name)
            case _:
                known.update(_assigned(node))
    return known


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }


def _replace(tree: ast.AST, mutant: Mutant) -> int:
    """Replace the old code below a node by the new; return how often it was there."""
    return sum(_replace_nodes(tree, old, new) for old, new in _readings(mutant.old, mutant.new))


def _readings(old: str, new: str) -> Iterator[tuple[Sequence[ast.AST], Sequence[ast.AST]]]:
    """Yield each way in which both texts can be read: `x = 1` may be a keyword argument, too."""
    before, after = ast.parse(old).body, ast.parse(new).body
    match (before, after):
        case ([ast.Expr(value=value)], [ast.Expr(value=other)]):
            yield [value], [other]
        case ([ast.Assign(targets=[ast.Name()])], [ast.Assign(targets=[ast.Name()])]):
            yield before, after
            yield _keywords(old), _keywords(new)
        case _:
            yield before, after


def _keywords(text: str) -> Sequence[ast.AST]:
    call = ast.parse(f"call({text})", mode="eval").body
    assert isinstance(call, ast.Call)
    return call.keywords


def _replace_nodes(tree: ast.AST, old: Sequence[ast.AST], new: Sequence[ast.AST]) -> int:
    count = 0
    for parent in list(ast.walk(tree)):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, list):
                count += _replace_run(value, old, new)
            elif _are_same([value], old):
                setattr(parent, field, new[0])
                count += 1
    return count


def _replace_run(nodes: list[ast.AST], old: Sequence[ast.AST], new: Sequence[ast.AST]) -> int:
    width = len(old)
    starts = [at for at in range(len(nodes)) if _are_same(nodes[at : at + width], old)]
    for start in reversed(starts):
        nodes[start : start + width] = new
    return len(starts)


def _are_same(found: Sequence[object], wanted: Sequence[ast.AST]) -> bool:
    return len(found) == len(wanted) and all(map(_is_same, found, wanted))


def _is_same(found: object, wanted: ast.AST) -> bool:
    # The types first: to dump a tree takes long.
    if not isinstance(found, ast.AST) or type(found) is not type(wanted):
        return False
    return ast.dump(found) == ast.dump(wanted)


def _explain(root: Path, mutant: Mutant, places: Sequence[_Definition]) -> str:
    if places:
        return (
            f'"{mutant.name}" must fit one place, but fits {len(places)}: '
            f"{', '.join(map(str, places))}; name more of the code, or the package"
        )
    elsewhere = [
        str(definition)
        for file in _files(root, _folders(root, mutant), "")
        for definition in _definitions(ast.parse(_text(file)), file)
        if _replace(definition.node, mutant)
    ]
    return (
        f'"{mutant.name}": {mutant.where} is not there or does not contain: {mutant.old}\n'
        f"This code is in: {', '.join(elsewhere) or 'no other function or constant'}"
    )
