"""Draw the packages, their allowed imports and the path of one document as an SVG.

Packages and imports are read from the import-linter contracts in `pyproject.toml`. The command
prints the picture; `docs/explanation/architecture.svg` is its output.
"""

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]

DUTIES: Mapping[str, str] = {
    "daemon": "command line, start and stop, notifications",
    "dashboard": "pages, REST API, live events, login",
    "actions": "what a person can ask for",
    "i18n": "labels, translations, number formats",
    "scanner": "finds documents to process",
    "processor": "processes one job at a time",
    "store": "the only package with SQL",
    "paperless_client": "typed HTTP client",
    "core": "shared values, settings, schedule, clock",
    "sandbox": "fake Paperless and model for demo and tests",
}

_COLOURS: Mapping[str, str] = {
    "daemon": "#7a6ff0",
    "dashboard": "#c45ab3",
    "actions": "#d9604c",
    "i18n": "#8a8f98",
    "scanner": "#c98a1b",
    "processor": "#3f9a4a",
    "store": "#2f8fd0",
    "paperless_client": "#1fa39a",
    "core": "#8a8f98",
    "sandbox": "#8a8f98",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A step in the processing of one document."""

    name: str
    file: str
    text: str


STEPS = (
    Step("Scan", "scanner/scan.py", "list changed documents, select by the rules"),
    Step("Queue", "store/queue/enqueue.py", "one live job per document"),
    Step("Claim", "store/queue/claims.py", "take the next due job"),
    Step("Fetch", "processor/pipeline.py", "read the document, unless it is excluded"),
    Step("Analyse", "processor/analyze.py", "ask the model, check its answer"),
    Step("Plan", "processor/plan.py", "write now, review, or leave out"),
    Step("Write", "processor/writer.py", "store the intent, one PATCH, read it back"),
    Step("Settle", "processor/settle.py", "completed, retry, on hold or failed"),
    Step("Review", "actions/review.py", "accept, edit or reject"),
    Step("Undo", "actions/undo.py", "restore the previous values"),
)

_RETURNING = ("Review", "Undo")
"""Steps that put a new job into the queue."""

_WIDTH = 960
_LEFT, _LAYERS_WIDTH, _GAP = 24, 530, 14
_STEPS_LEFT, _STEPS_WIDTH = 604, 292
_TOP, _BOX, _BOX_GAP = 64, 66, 16
_STEP, _STEP_GAP = 48, 14

_STYLE = """
  svg { font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-size: 13px }
  .page { fill: #ffffff } .box { fill: #f6f8fa; stroke: #d0d7de }
  text { fill: #1f2328 } .quiet { fill: #59636e; font-size: 12px }
  .title { font-size: 16px; font-weight: 600 } .name { font-size: 15px; font-weight: 600 }
  .file { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 11.5px }
  .arrow { stroke: #59636e; stroke-width: 1.5; fill: none } .head { fill: #59636e }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .box { fill: #161b22; stroke: #3d444d }
    text { fill: #f0f6fc } .quiet { fill: #9da7b1 }
    .arrow { stroke: #9da7b1 } .head { fill: #9da7b1 }
  }
"""


@dataclass(frozen=True, slots=True)
class PackageMap:
    """The packages of the product, as the import-linter contracts arrange them."""

    layers: tuple[tuple[str, ...], ...]
    """From top to bottom; packages of one layer do not import each other."""
    outside: tuple[str, ...]
    """Packages in no layer."""
    imports: Mapping[str, tuple[str, ...]]
    """The packages that each package may import."""


def read_packages(pyproject: Path = ROOT / "pyproject.toml") -> PackageMap:
    """Read the packages and their allowed imports from the import-linter contracts."""
    settings = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["importlinter"]
    packages: list[str] = settings["root_packages"]
    contracts: list[dict[str, list[str]]] = settings["contracts"]
    [stack] = [contract["layers"] for contract in contracts if contract.get("layers")]
    layers = tuple(tuple(name.strip() for name in layer.split("|")) for layer in stack)
    return PackageMap(
        layers=layers,
        outside=tuple(package for package in packages if package not in sum(layers, ())),
        imports={
            package: tuple(
                other
                for other in packages
                if other != package
                and not _is_same_layer_or_above(other, package, layers)
                and not _is_forbidden(other, package, contracts)
            )
            for package in packages
        },
    )


def draw(packages: PackageMap) -> str:
    """Return the picture as the text of an SVG file."""
    layers_end = _TOP + len(packages.layers) * (_BOX + _BOX_GAP)
    steps_end = _TOP + len(STEPS) * (_STEP + _STEP_GAP)
    height = max(layers_end + _BOX + _BOX_GAP, steps_end) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        "<title>Packages, their allowed imports and the path of one document</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>',
        _text(_LEFT, 36, "Packages: imports point down", "title"),
        *_draw_layers(packages),
        _text(_STEPS_LEFT, 36, "One document, step by step", "title"),
        *_draw_steps(),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the picture."""
    sys.stdout.write(draw(read_packages()))


def _is_same_layer_or_above(other: str, package: str, layers: Sequence[Sequence[str]]) -> bool:
    rank = {name: number for number, layer in enumerate(layers) for name in layer}
    return other in rank and package in rank and rank[other] <= rank[package]


def _is_forbidden(
    other: str, package: str, contracts: Iterable[Mapping[str, Sequence[str]]]
) -> bool:
    return any(
        package in contract.get("source_modules", ()) and other in contract["forbidden_modules"]
        for contract in contracts
        if "forbidden_modules" in contract
    )


def _describe_imports(package: str, packages: PackageMap) -> str:
    names = [layer for layer in packages.layers if package in layer]
    below = packages.layers[packages.layers.index(names[0]) + 1 :] if names else ()
    allowed = packages.imports[package]
    lower = [name for layer in below for name in layer]
    if not allowed:
        return "imports none of these packages"
    if len(lower) > 1 and set(lower) <= set(allowed):
        others = [name for name in allowed if name not in lower]
        return "may import all below" + "".join(f", and {name}" for name in others)
    return "may import " + ", ".join(allowed)


def _draw_layers(packages: PackageMap) -> Iterator[str]:
    rows = [*packages.layers, packages.outside]
    for number, row in enumerate(rows):
        y = _TOP + number * (_BOX + _BOX_GAP)
        width = (_LAYERS_WIDTH - _GAP * (len(row) - 1)) / len(row)
        for column, package in enumerate(row):
            x = _LEFT + column * (width + _GAP)
            yield (
                f'<g data-package="{package}" data-imports="{" ".join(packages.imports[package])}">'
            )
            yield from _draw_box(x, y, width, _BOX, _COLOURS[package])
            yield _text(x + 20, y + 22, f"{package}/", "name")
            yield _text(x + 20, y + 40, DUTIES[package], "")
            yield _text(x + 20, y + 57, _describe_imports(package, packages), "quiet")
            yield "</g>"
        below = rows[number + 1] if number + 1 < len(packages.layers) else ()
        if any(other in packages.imports[package] for package in row for other in below):
            yield from _draw_arrow(_LEFT + _LAYERS_WIDTH / 2, y + _BOX, _BOX_GAP)


def _draw_steps() -> Iterator[str]:
    for number, step in enumerate(STEPS):
        y = _TOP + number * (_STEP + _STEP_GAP)
        package = step.file.partition("/")[0]
        yield f'<g data-step="{step.name}" data-file="{step.file}">'
        yield from _draw_box(_STEPS_LEFT, y, _STEPS_WIDTH, _STEP, _COLOURS[package])
        yield _text(_STEPS_LEFT + 20, y + 20, f"{number + 1}  {step.name}", "name")
        yield _text(_STEPS_LEFT + _STEPS_WIDTH - 12, y + 20, step.file, "file", anchor="end")
        yield _text(_STEPS_LEFT + 20, y + 38, step.text, "quiet")
        yield "</g>"
        if step is not STEPS[-1]:
            yield from _draw_arrow(_STEPS_LEFT + _STEPS_WIDTH / 2, y + _STEP, _STEP_GAP)
    yield from _draw_return()


def _draw_return() -> Iterator[str]:
    """Draw the arrow from the decisions of a person back to the queue."""
    names = [step.name for step in STEPS]
    right, margin = _STEPS_LEFT + _STEPS_WIDTH, 20
    [queue, *starts] = [
        _TOP + names.index(name) * (_STEP + _STEP_GAP) + _STEP / 2
        for name in ("Queue", *_RETURNING)
    ]
    for start in starts:
        yield f'<path class="arrow" d="M{right} {start}h{margin}V{queue}H{right + 8}"/>'
    yield f'<path class="head" d="M{right} {queue}l9 -5v10z"/>'
    middle = (queue + starts[0]) / 2
    x = right + margin + 16
    yield (
        f'<text class="quiet" text-anchor="middle" transform="rotate(90 {x - 4} {middle})" '
        f'x="{x - 4}" y="{middle}">a new job, asked for by a person</text>'
    )


def _draw_box(x: float, y: float, width: float, height: float, colour: str) -> Iterator[str]:
    yield f'<rect class="box" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>'
    yield f'<rect x="{x}" y="{y}" width="8" height="{height}" rx="3" fill="{colour}"/>'


def _draw_arrow(x: float, y: float, length: float) -> Iterator[str]:
    yield f'<path class="arrow" d="M{x} {y}v{length - 8}"/>'
    yield f'<path class="head" d="M{x} {y + length}l-5 -9h10z"/>'


def _text(x: float, y: float, text: str, style: str, anchor: str = "start") -> str:
    return f'<text class="{style}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


if __name__ == "__main__":
    main()
