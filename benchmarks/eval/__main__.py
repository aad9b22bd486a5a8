"""`make eval`: how much the clerk files rightly by itself, and that it writes no invented quote."""

import asyncio
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.eval.corpus import FOLDER, load_archive, load_papers
from benchmarks.eval.evaluate import QuickClock, Report, Written, evaluate
from benchmarks.eval.tally import Tally
from core.fields import FieldName
from core.settings import ConfigError
from daemon.cli.exits import Exit, print_error
from daemon.cli.options import Options
from daemon.cli.output import console, plural, print_table
from daemon.context import open_context
from sandbox import Sandbox
from sandbox.model import Behaviour

ASKED, LIAR = "eval", "liar"
"""The instance whose model is judged, and the one whose model makes things up."""
_LIES = 0.3
_RULES = """
[fields]
title = "replace"
correspondent = "replace"
document_type = "replace"
tags = "replace"
date = "replace"

[names]
correspondents = "review"
document_types = "review"
tags = "review"

[limits]
documents_per_day = 0
"""
_HEADINGS = ("field", "right", "wrong", "review", "missing", "precision", "coverage")


async def run(folder: Path = FOLDER) -> Exit:
    """Evaluate the model that is asked for, then the sandbox's own while it tells lies."""
    with (
        tempfile.TemporaryDirectory(prefix="paperclerk-eval-") as place,
        Sandbox(load_archive(folder)) as honest,
        Sandbox(load_archive(folder)) as lying,
    ):
        lying.model.behave(Behaviour(invented=_LIES))
        worlds = {ASKED: honest, LIAR: lying}
        papers, clock = load_papers(folder), QuickClock()
        async with open_context(_options(Path(place), worlds), clock=clock) as memory:
            asked = await evaluate(memory, ASKED, honest, papers, clock)
            show(f"{plural(len(papers), 'document')}, model {asked.model}", asked)
            lied = await evaluate(memory, LIAR, lying, papers, clock)
            show(f"The sandbox's model, {_LIES:.0%} of its fields made up", lied)
            own_model = memory.settings.instances[ASKED].ai.base_url == honest.model.base_url
    return exit_of([asked, lied] if own_model else [lied])


def exit_of(reports: Iterable[Report]) -> Exit:
    """Fail if an invented quote was written.

    Of a model that is not ours a quote may differ by a misread letter: it is shown, no more.
    """
    return Exit.LOOK if any(report.invented for report in reports) else Exit.OK


def show(title: str, report: Report) -> None:
    console().print(f"\n{title}\n")
    print_table(_HEADINGS, rows_of(report.tallies))
    for code, count in report.unfinished.items():
        console().print(f"{plural(count, 'document')} did not come through: {code}")
    _list("Written, and wrong", report.wrong)
    _list("Written, with a quote that does not stand in the text", report.invented)
    console().print(f"Kept back because the quote does not stand in the text: {report.kept_back}")


def _list(title: str, written: Sequence[Written]) -> None:
    console().print(f"{title}: {len(written)}")
    for line in written:
        console().print(f"  {line}")


def rows_of(tallies: Mapping[FieldName, Tally]) -> list[Sequence[str]]:
    """Lay out a line for each field, and one for all of them."""
    total = sum(tallies.values(), Tally())
    return [_row(str(field), tally) for field, tally in tallies.items()] + [_row("all", total)]


def _row(name: str, tally: Tally) -> Sequence[str]:
    counts = (tally.right, tally.wrong, tally.review, tally.missing)
    return (name, *map(str, counts), _percent(tally.precision), _percent(tally.coverage))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _options(place: Path, worlds: Mapping[str, Sandbox]) -> Options:
    config = place / "config"
    config.mkdir()
    for name, sandbox in worlds.items():
        (config / f"{name}.toml").write_text(sandbox.settings(_RULES), encoding="utf-8")
    return Options(config, place / "data", log_at_least="error")


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(run()))
    except ConfigError as mistakes:
        print_error(mistakes)
        sys.exit(Exit.CONFIG)
