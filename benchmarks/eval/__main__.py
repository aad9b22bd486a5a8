"""`make eval`: how much is filed correctly without review, and which errors pass the checks."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.eval.answers import StoredAnswer, load_answers
from benchmarks.eval.careless import misquote_values, offer_values
from benchmarks.eval.corpus import (
    DOCUMENTS,
    DUE,
    HELD_OUT,
    NUMBER,
    TOTAL,
    SampleDocument,
    load_archive,
    load_documents,
    name_finder,
    spread,
)
from benchmarks.eval.evaluate import (
    QuickClock,
    Report,
    ValueSource,
    ask_model,
    judge_answers,
    judge_careless,
    open_archive,
    restore_answers,
)
from benchmarks.eval.judging import JudgedValue
from benchmarks.eval.report import (
    Table,
    careless_tables,
    check_table,
    misquoted_table,
    model_table,
    overview,
    write_section,
)
from core.settings import ConfigError
from daemon.cli.arguments import Options
from daemon.cli.exits import Exit, print_error
from daemon.cli.terminal import console, plural, print_table
from daemon.context import Context, open_context
from daemon.services import open_services
from sandbox import Sandbox
from sandbox.model import Behaviour

ASKED, LYING = "eval", "liar"
"""The instance whose model is judged, and the one whose model invents values."""
_LIES = 0.3
_RULES = f"""
[fields]
title = "replace"
correspondent = "replace"
document_type = "replace"
tags = "replace"
date = "replace"

[fields.custom_fields]
"{NUMBER}" = "replace"
"{TOTAL}" = "replace"
"{DUE}" = "replace"

[names]
correspondents = "review"
document_types = "review"
tags = "review"

[limits]
documents_per_day = 0
"""


@dataclass(frozen=True, slots=True)
class Choices:
    """What to evaluate, and where to store it."""

    folder: Path = DOCUMENTS
    documents: int = 0
    """Number of documents, spread over all of them; 0: all."""
    answers: Path | None = None
    """File of the model's answers: written if it does not exist, else used again."""
    section: str = ""
    """Section of docs/evaluation.md to write."""


async def run(choices: Choices) -> Exit:
    """Evaluate the requested model; without stored answers, also the other two."""
    documents = load_documents(choices.folder)
    if choices.documents:
        documents = spread(documents, choices.documents)
    with (
        tempfile.TemporaryDirectory(prefix="paperclerk-eval-") as place,
        _open_sandbox(choices.folder, documents) as honest,
        _open_sandbox(choices.folder, documents) as lying,
    ):
        lying.model.behave(Behaviour(invented=_LIES))
        clock = QuickClock()
        options = _options(Path(place), {ASKED: honest, LYING: lying})
        async with open_context(options, clock=clock) as context:
            evaluation = _Evaluation(context, documents, clock)
            if choices.answers:
                return await _evaluate_answers(evaluation, honest, choices.answers)
            return await _evaluate_all(evaluation, honest, lying, choices)


def exit_of(reports: Iterable[Report]) -> Exit:
    """Fail if a value was written whose evidence is not in the text."""
    return Exit.LOOK if any(report.invented_and_written for report in reports) else Exit.OK


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """The documents, and what is needed to process them."""

    context: Context
    documents: tuple[SampleDocument, ...]
    clock: QuickClock

    async def evaluate(self, name: str, sandbox: Sandbox, answers: Path | None = None) -> Report:
        """Judge the model of one instance, by its stored answers if there are any."""
        documents, find = self.documents, name_finder(sandbox.world)
        stored: Mapping[str, StoredAnswer] = {}
        if answers and answers.exists():
            stored = load_answers(answers)
            documents = tuple(document for document in documents if document.file in stored)
        async with open_services(self.context, [name]) as services:
            archive = await open_archive(services, name, documents, find)
            if stored:
                models = ", ".join(sorted({answer.model for answer in stored.values()}))
                return judge_answers(models, restore_answers(stored, archive), archive)
            given = await ask_model(services, name, documents, self.clock, answers)
        model = self.context.settings.instances[name].ai.model
        return judge_answers(model, given, archive)

    async def evaluate_careless(
        self, name: str, sandbox: Sandbox, offer: ValueSource
    ) -> list[JudgedValue]:
        """Judge every value that the careless model offers."""
        async with open_services(self.context, [name]) as services:
            archive = await open_archive(services, name, self.documents, name_finder(sandbox.world))
            return judge_careless(archive, offer)


async def _evaluate_answers(evaluation: _Evaluation, sandbox: Sandbox, path: Path) -> Exit:
    report = await evaluation.evaluate(ASKED, sandbox, path)
    _show_model(f"{plural(report.documents, 'document')}, answers of {report.model}", report)
    _show(check_table("By check", report.judged))
    # A quote of another model may differ by a misread letter: it is shown, but no failure.
    return Exit.OK


async def _evaluate_all(
    evaluation: _Evaluation, honest: Sandbox, lying: Sandbox, choices: Choices
) -> Exit:
    careless = await evaluation.evaluate_careless(ASKED, honest, offer_values)
    misquoted = await evaluation.evaluate_careless(ASKED, honest, misquote_values)
    asked = await evaluation.evaluate(ASKED, honest)
    lied = await evaluation.evaluate(LYING, lying)
    asked_title = f"{plural(asked.documents, 'document')}, model {asked.model}"
    lied_title = f"The sandbox's model, {_LIES:.0%} of its values invented"
    # Held-out documents are scored before anyone reads them, so only figures are shown.
    with_values = choices.folder not in HELD_OUT
    _show_model(asked_title, asked, with_values=with_values)
    _show_model(lied_title, lied, with_values=with_values)
    by_careless = [*careless_tables(careless), misquoted_table(misquoted)]
    for table in by_careless:
        _show(table)
    together = overview(asked, lied, careless)
    _show(together)
    if choices.section:
        honest_checks = check_table("The honest model, by check", asked.judged)
        tables = [together, *by_careless, honest_checks]
        write_section(choices.section, tables)
    own_model = evaluation.context.settings.instances[ASKED].ai.base_url == honest.model.base_url
    return exit_of([asked, lied] if own_model else [lied])


def _show_model(title: str, report: Report, *, with_values: bool = True) -> None:
    _show(model_table(title, report.scores))
    for code, count in report.unfinished.items():
        console().print(f"{plural(count, 'document')} could not be processed: {code}")
    written = report.invented_and_written
    _list("Written, and wrong", report.wrong, with_values=with_values)
    _list("Written, with evidence that is not in the text", written, with_values=with_values)
    held = len(report.invented) - len(written)
    console().print(f"Held back because the evidence is not in the text: {held}")


def _show(table: Table) -> None:
    console().print(f"\n{table.title}\n")
    print_table(table.headings, table.rows)


def _list(title: str, values: Sequence[JudgedValue], *, with_values: bool) -> None:
    console().print(f"{title}: {len(values)}")
    for value in values if with_values else ():
        console().print(f"  {value}")


def _open_sandbox(folder: Path, documents: Iterable[SampleDocument]) -> Sandbox:
    world, chosen = load_archive(folder), {document.id for document in documents}
    world.documents = {id_: document for id_, document in world.documents.items() if id_ in chosen}
    return Sandbox(world)


def _options(place: Path, sandboxes: Mapping[str, Sandbox]) -> Options:
    config = place / "config"
    config.mkdir()
    for name, sandbox in sandboxes.items():
        (config / f"{name}.toml").write_text(sandbox.settings(_RULES), encoding="utf-8")
    return Options(config, place / "data", log_at_least="error")


def _read_choices(arguments: Sequence[str]) -> Choices:
    parser = argparse.ArgumentParser(prog="make eval", description=__doc__)
    parser.add_argument(
        "--held-out",
        type=int,
        choices=range(1, len(HELD_OUT) + 1),
        help="a set of held-out documents",
    )
    parser.add_argument("--documents", type=int, default=0, help="number of documents, spread")
    parser.add_argument("--answers", type=Path, help="store the answers there, or use them again")
    parser.add_argument("--write", default="", help="section of docs/evaluation.md to write")
    read = parser.parse_args(arguments)
    folder = HELD_OUT[read.held_out - 1] if read.held_out else DOCUMENTS
    return Choices(folder, read.documents, read.answers, read.write)


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(run(_read_choices(sys.argv[1:]))))
    except ConfigError as errors:
        print_error(errors)
        sys.exit(Exit.CONFIG)
