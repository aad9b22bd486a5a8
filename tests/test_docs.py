"""What is written about Paperclerk is held to what Paperclerk does."""

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from core import jobs
from core.changes import ChangeState
from core.documents import DocumentState
from core.errors import PaperclerkError
from core.fields import FieldMode, FieldName, NewNamePolicy
from core.holds import PAUSE_ALL, HoldKind
from core.jobs import EventName, JobStatus, Priority, Stage
from core.scans import INTERRUPTED, SkipReason
from core.settings.daemon import DaemonSettings
from core.settings.instance import InstanceTables
from core.settings.options import list_options
from core.workers import ONLY_PROCESSES
from daemon.cli import app
from daemon.cli.app import PROGRAM
from daemon.cli.exits import Exit, exit_for
from daemon.cli.reference import commands, reference
from daemon.context import DAEMON
from i18n import labels
from paperless_client import PaperlessError
from processor.analysis.checks import CHECK_NAMES, CheckFailure
from processor.apply import ADDED_BY_PAPERLESS
from processor.pipeline import JOB_HANDLERS
from processor.policy import Reason
from store.queue.recovery import CRASHED
from tests.pages import ROOT, Page, first_cells, page, pages, rows

PACKAGES = (
    "core",
    "paperless_client",
    "store",
    "scanner",
    "processor",
    "actions",
    "i18n",
    "dashboard",
    "daemon",
    "sandbox",
)
STATES = page("docs/reference/states.md")
CONTAINER = page("docs/how-to/container.md")
TROUBLE = page("docs/how-to/troubleshooting.md")
LOG_LEVELS = {"debug", "info", "warning", "error"}
ADRS = sorted((ROOT / "docs/adr").glob("0*.md"))
ADR_SECTIONS = ["Context", "Decision", "What we gave up", "When to reconsider"]


def root_command() -> TyperGroup:
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    return root


def options(command: TyperCommand | TyperGroup) -> set[str]:
    own = {name for parameter in command.params for name in parameter.opts}
    return {name for name in own if name.startswith("-")} | {"--help"}


def errors(kind: type[Exception]) -> Iterator[type[Exception]]:
    if not kind.__module__.startswith("tests."):
        yield kind
    for below in kind.__subclasses__():
        yield from errors(below)


def errors_by_code() -> dict[str, PaperclerkError | PaperlessError]:
    """Return every error that there is by its code; of several with one code, the root."""
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            if "migrations" not in module.name:
                importlib.import_module(module.name)
    found: dict[str, PaperclerkError | PaperlessError] = {}
    for kind in chain(errors(PaperclerkError), errors(PaperlessError)):
        error = kind.__new__(kind)
        assert isinstance(error, PaperclerkError | PaperlessError)
        found.setdefault(error.code, error)
    return found


def exits_by_code() -> dict[str, int]:
    """Return the exit code of every error that there is, by its code."""
    stored = {error.code: int(Exit.LOOK) for error in (CRASHED, INTERRUPTED)}
    return stored | {code: int(exit_for(error)) for code, error in errors_by_code().items()}


def shown_messages() -> dict[str, str]:
    """Return what people see of every error, by its code; "–" where that is the cause alone."""
    raised = {code: error.user_message for code, error in errors_by_code().items()}
    stored = {error.code: error.user_message for error in (CRASHED, INTERRUPTED)}
    nothing = {"", PaperclerkError.user_message}
    return {code: "–" if text in nothing else text for code, text in (raised | stored).items()}


def words_in_code() -> set[str]:
    """Return every word that the names in our code are made of."""
    names: set[str] = set()
    for file in chain.from_iterable((ROOT / package).rglob("*.py") for package in PACKAGES):
        names.add(file.stem)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
            elif isinstance(node, ast.Name):
                names.add(node.id)
    return {word.lower() for name in names for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


def parsed_code() -> Iterator[ast.AST]:
    """Yield every node of our code, but for the sandbox's."""
    for package in set(PACKAGES) - {"sandbox"}:
        for file in (ROOT / package).rglob("*.py"):
            yield from ast.walk(ast.parse(file.read_text(encoding="utf-8")))


def logged() -> set[tuple[str, str]]:
    """Return the events that are logged, with their levels, where they stand in the call."""
    return {
        (str(node.args[0].value), node.func.attr)
        for node in parsed_code()
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and (node.func.value.id, node.func.attr) in {("log", level) for level in LOG_LEVELS}
        and isinstance(node.args[0], ast.Constant)
    }


def test_the_readme_fits_on_a_few_screens() -> None:
    lines = page("README.md").text.splitlines()

    assert len(lines) <= 130
    assert [line for line in lines if len(line) > 120] == []


def test_every_page_is_in_the_index_of_the_documentation() -> None:
    index, folder = page("docs/README.md"), ROOT / "docs"
    linked = set(re.findall(r"\]\(([\w/-]+\.md)\)", index.text))
    pages = {file.relative_to(folder).as_posix() for file in folder.rglob("*.md")}
    decisions = {name for name in pages if name.startswith("adr/0")}

    assert linked == pages - decisions - {"README.md"}


def test_the_pictures_are_those_that_the_documentation_shows() -> None:
    folder = ROOT / "docs" / "pictures"
    written = [page("README.md"), *(Page(file) for file in (ROOT / "docs").rglob("*.md"))]
    shown = {
        target.rpartition("/")[2]
        for each in written
        for target in re.findall(r"!\[[^\]]*\]\(([\w./-]+\.(?:png|webp))\)", each.text)
    }

    assert {file.name for file in folder.iterdir() if file.suffix != ".md"} == shown
    assert sum(file.stat().st_size for file in folder.iterdir()) < 4_000_000


def leads_nowhere(written: Page, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (written.path.parent / name).resolve() if name else written.path
    return not target.exists() or (bool(anchor) and anchor not in Page(target).anchors())


def test_every_link_between_pages_leads_somewhere() -> None:
    broken = [
        (str(file), link) for file in pages() for link in file.links() if leads_nowhere(file, link)
    ]

    assert broken == []


def unknown_words(typed: list[str]) -> set[str]:
    """Return the commands and options among the words that do not exist."""
    command: TyperCommand | TyperGroup = root_command()
    for number, word in enumerate(typed):
        if not isinstance(command, TyperGroup):
            given = {word.split("=")[0] for word in typed[number:] if word.startswith("--")}
            return given - options(command)
        found = command.commands.get(word)
        if not isinstance(found, TyperCommand | TyperGroup):
            return {word}
        command = found
    return set()


def test_every_command_that_is_shown_exists() -> None:
    shown = [(str(file), typed) for file in pages() for typed in file.commands(PROGRAM) if typed]
    examples = [(where, typed) for where, typed in shown if not typed[0].startswith("[")]

    assert examples
    assert [(where, typed) for where, typed in examples if unknown_words(typed)] == []


def test_every_make_target_that_is_shown_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
    shown = [(str(file), typed[0]) for file in pages() for typed in file.commands("make") if typed]

    assert shown
    assert [(where, target) for where, target in shown if target not in targets] == []


def test_every_setting_that_is_shown_exists() -> None:
    known = {
        path
        for model in (InstanceTables, DaemonSettings)
        for option in list_options(model)
        for path in option.paths
    }
    shown = [
        (str(file), (table, key))
        for file in pages()
        for example in file.settings()
        for table, keys in example.items()
        for key in keys
    ]

    assert shown
    assert [(where, setting) for where, setting in shown if setting not in known] == []


def test_every_file_of_ours_that_is_named_exists() -> None:
    ours = re.compile(rf"(?:{'|'.join((*PACKAGES, 'tests', 'docs'))})/[\w/.-]+")
    named = [(str(file), code) for file in pages() for code in file.inline_code()]
    files = [(where, name) for where, name in named if ours.fullmatch(name)]

    assert files
    assert [(where, name) for where, name in files if not (ROOT / name).exists()] == []


def test_the_command_line_reference_is_what_the_code_says() -> None:
    assert page("docs/reference/cli.md").text == reference(), (
        "run: python -m daemon.cli.reference > docs/reference/cli.md"
    )


def test_the_command_line_reference_is_printed_by_a_command() -> None:
    command = [sys.executable, "-m", "daemon.cli.reference"]

    printed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)

    assert printed.stdout == reference()


def test_the_reference_has_every_command_and_every_option() -> None:
    written = reference()

    for called, command in commands(root_command(), PROGRAM):
        start = re.split(rf"^## `{called}(?:`| [\[A-Z])", written, maxsplit=1, flags=re.M)[1]
        section = start.split("\n## ")[0]
        for option in options(command) - {"--help"}:
            assert f"`{option}" in section, (called, option)


def test_every_command_and_every_option_has_help() -> None:
    for called, command in commands(root_command(), PROGRAM):
        assert command.help, called
        for parameter in command.params:
            assert getattr(parameter, "help", ""), (called, parameter.name)


def test_every_status_kind_stage_and_event_of_a_job_is_explained() -> None:
    expected = {*JobStatus, *JOB_HANDLERS, *Stage, *EventName}

    assert set(first_cells(STATES.section("## Jobs"))) == expected


def test_every_kind_of_job_has_a_handler() -> None:
    assert {jobs.ANALYZE, jobs.DRY_RUN, jobs.APPLY, jobs.UNDO} == set(JOB_HANDLERS)


def test_the_priorities_are_documented_with_their_numbers() -> None:
    for priority in Priority:
        assert f"({int(priority)})" in STATES.section("## Jobs")


def test_every_state_of_a_document_and_every_reason_to_skip_it_is_explained() -> None:
    table = rows(STATES.section("## Documents"))
    states = {row[0] for row in table if len(row) == 3}
    skips = {code for row in table if len(row) == 2 for code in row[1].split(", ")}

    assert states == set(DocumentState)
    assert skips == set(SkipReason)


def test_every_kind_of_hold_and_worker_is_explained() -> None:
    of_endpoints = {HoldKind.MODEL, HoldKind.RATE}
    subjects = {kind: "ADDRESS#KEY" if kind in of_endpoints else "NAME" for kind in HoldKind}
    targets = {PAUSE_ALL, *(kind.prefix + subject for kind, subject in subjects.items())}

    assert set(first_cells(STATES.section("## Holds"))) == targets
    assert first_cells(STATES.section("## Workers")) == [DAEMON, ONLY_PROCESSES]


def test_every_log_line_is_explained_with_its_level() -> None:
    documented = {(row[0], row[1]) for row in rows(STATES.section("## Log lines"))}
    texts = {node.value for node in parsed_code() if isinstance(node, ast.Constant)}

    assert logged() <= documented
    assert {event for event, _ in documented} <= texts


def test_every_log_line_that_is_named_elsewhere_exists() -> None:
    known = {event for event, _, _ in rows(STATES.section("## Log lines"))}
    shown = chain.from_iterable(re.findall(r'event="?([a-z ]+)"?', file.text) for file in pages())

    assert set(shown) <= known


def test_the_compose_file_is_shown_as_it_is() -> None:
    [shown] = CONTAINER.quotes("yaml")
    [with_workers] = page("docs/how-to/several-workers.md").quotes("yaml")

    assert shown == (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert with_workers == (ROOT / "compose.workers.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["compose.yaml", "Dockerfile"])
def test_every_folder_and_variable_of_the_container_is_explained(name: str) -> None:
    written = (ROOT / name).read_text(encoding="utf-8")
    folders = set(re.findall(r"(?:/config|/data|/tmp|\./paperclerk/\w+)\b", written))
    variables = set(re.findall(r"\b(?:PAPERCLERK_[A-Z]+|TZ)\b", written))

    assert folders | variables <= set(CONTAINER.inline_code())


def test_the_container_is_set_up_by_the_same_command_everywhere() -> None:
    command = "docker compose run --rm paperclerk init"

    assert command in CONTAINER.text
    assert command in page("README.md").text


def test_the_container_can_write_the_settings_that_init_makes() -> None:
    compose = (ROOT / "compose.yaml").read_text(encoding="utf-8")

    assert "- config:/config\n" in compose


def test_every_state_of_a_change_is_explained_with_the_words_it_is_shown_by() -> None:
    documented = {row[0]: row[1] for row in rows(STATES.section("## Changes"))}

    assert documented == labels.STATES


def test_every_reason_is_listed_with_the_words_it_is_shown_by() -> None:
    documented = {row[0]: row[1] for row in rows(STATES.section("## Reasons"))}

    assert documented == {code: str(said) for code, said in labels.REASONS.items()}


def test_every_exit_code_is_explained() -> None:
    documented = {int(row[0]): row[1] for row in rows(STATES.section("## Exit codes"))}

    assert documented == {int(code): code.name.lower() for code in Exit}


def test_every_error_code_is_explained_with_its_exit_code() -> None:
    documented = {row[0]: int(row[1]) for row in rows(STATES.section("## Error codes"))}

    assert documented == exits_by_code()


def test_no_error_code_is_explained_twice() -> None:
    documented = first_cells(STATES.section("## Error codes"))

    assert len(documented) == len(set(documented))


def test_every_error_can_be_found_by_its_message_with_cause_and_remedy() -> None:
    documented = {code: (said, cause, remedy) for said, code, cause, remedy in rows(TROUBLE.text)}

    assert {code: said for code, (said, *_) in documented.items()} == shown_messages()
    assert [code for code, (_, *rest) in documented.items() if not all(rest)] == []


def test_no_error_is_explained_twice_by_its_message() -> None:
    codes = [row[1] for row in rows(TROUBLE.text)]

    assert len(codes) == len(set(codes))


def test_every_word_of_the_glossary_is_used_in_the_code() -> None:
    documented = first_cells(page("docs/glossary.md").text)

    assert {word.lower() for word in documented} - words_in_code() == set()


def test_every_mode_is_explained_where_it_is_chosen() -> None:
    chosen = page("docs/how-to/let-it-write.md").text

    assert first_cells(page("README.md").text) == [*FieldMode]
    for word in (*FieldMode, *NewNamePolicy):
        assert f"`{word}`" in chosen or f'"{word}"' in chosen


def test_every_check_is_explained_with_the_words_it_is_shown_by() -> None:
    documented = {row[1] for row in rows(page("docs/explanation/checks.md").text)}

    assert {str(labels.REASONS[doubt]) for doubt in CheckFailure} <= documented


def test_every_check_is_explained_by_its_name() -> None:
    first_table = page("docs/explanation/checks.md").text.partition("A check is made")[0]

    assert {row[2] for row in rows(first_table)} == set(CHECK_NAMES)


def test_every_code_that_is_shown_to_people_has_its_words() -> None:
    assert set(labels.REASONS) == {*CheckFailure, *Reason, ADDED_BY_PAPERLESS}
    assert set(labels.CHECKS) == set(CHECK_NAMES)
    assert set(labels.SKIPS) == set(labels.SKIPPED) == set(SkipReason)
    assert set(labels.STATES) == set(ChangeState)
    assert set(labels.FIELDS) == set(FieldName)


def test_every_decision_has_its_four_parts() -> None:
    headings = {adr.name: re.findall(r"^## (.+)$", Page(adr).text, re.M) for adr in ADRS}

    assert headings == {adr.name: ADR_SECTIONS for adr in ADRS}


def test_every_decision_is_listed() -> None:
    listed = page("docs/adr/README.md").text

    assert [adr.name for adr in ADRS if f"({adr.name})" not in listed] == []


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = [int(path.name[:4]) for path in ADRS]

    assert numbers == list(range(1, len(ADRS) + 1))


def test_the_changelog_begins_with_what_is_to_come_or_with_a_version_and_its_day() -> None:
    headings = re.findall(r"^## (.+)$", page("CHANGELOG.md").text, re.M)
    released = headings[1:] if headings[0] == "[Unreleased]" else headings

    for heading in released:
        assert re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading)


MAPS = ("CONTRIBUTING.md", "docs/explanation/architecture.md")


@pytest.mark.parametrize("where", MAPS)
def test_the_map_has_every_package(where: str) -> None:
    documented = {
        name for cell in first_cells(page(where).text) for name in re.split("/,? ?", cell)
    }

    assert set(PACKAGES) <= documented


def test_what_to_begin_reading_with_is_there() -> None:
    table = rows(page("docs/explanation/architecture.md").text.split("##")[0])
    named = [
        ROOT / folder / name for folder, _, names in table for name in names.split(", ") if name
    ]

    assert named
    assert [str(path) for path in named if not path.exists()] == []


def test_what_the_architecture_names_in_a_file_is_defined_there() -> None:
    text = page("docs/explanation/architecture.md").text
    named = re.findall(r"`(\w+)(?:\.\w+)?`\s+\(`([\w/]+\.py)`", text)

    assert len(named) > 10
    missing = [
        (name, file)
        for name, file in named
        if not re.search(rf"^(?:class|(?:async )?def) {name}\b", (ROOT / file).read_text(), re.M)
    ]
    assert missing == []
