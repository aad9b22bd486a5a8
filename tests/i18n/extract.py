"""Collect every translatable text of the product, with its plural if it has one."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from jinja2 import Environment
from jinja2.ext import extract_from_ast

import core
from actions.timeline import COUNTED
from core.changes import ChangeState
from core.documents import DocumentState
from core.errors import PaperclerkError
from core.jobs import ANALYZE, APPLY, DRY_RUN, UNDO, EventName, JobStatus
from core.scans import NextScan
from core.settings import DaemonSettings
from core.settings.instance import InstanceTables
from core.settings.options import list_options
from dashboard.error_handlers import WORDS
from i18n.labels import (
    CHANGED_SINCE,
    CHECKS,
    CODES,
    DECIDED_BY,
    DELIVERIES,
    KEPT,
    REVIEWED,
    SKIPPED,
    SKIPS,
    STAGES,
    STATES,
    TAG_LEFT,
    VALUE_LEFT,
)
from paperless_client import PaperlessError
from store.queue.moves import RELEASED_TOO_OFTEN
from store.queue.recovery import CRASHED

Texts = dict[str, str | None]
"""The plural of each English text; None if it has none."""

_ROOT = Path(core.__file__).parent.parent
_PACKAGES = (
    "core",
    "paperless_client",
    "store",
    "scanner",
    "processor",
    "actions",
    "i18n",
    "dashboard",
    "daemon",
)
_TRANSLATORS = {"translator", "self", "_"}
_TEXT_AT = {"text": 0, "redirect_with_message": 1, "perform": 2}
"""Methods that translate one of their arguments, and its position."""
_ERROR_ATTRIBUTES = ("user_message", "hint", "hint_for_documents")
_CODES = (
    *(*JobStatus, *EventName, *DocumentState, *NextScan, *ChangeState),
    *(ANALYZE, APPLY, DRY_RUN, UNDO, "hand", "timer", "review", "yes", "no"),
)
"""Codes that pages show: with spaces for underscores, they are words."""


def extract_all() -> Texts:
    """Return all texts of the product."""
    texts: Texts = dict.fromkeys((*in_tables(), *in_settings(), *in_errors(), *in_messages()))
    # A text with a plural wins over the same text without one.
    return texts | dict(in_code()) | dict(in_templates()) | dict(in_counts())


def in_templates() -> Iterator[tuple[str, str | None]]:
    """Yield the texts of the page templates."""
    environment = Environment(autoescape=True)
    for path in sorted((_ROOT / "dashboard" / "templates").rglob("*.html")):
        tree = environment.parse(path.read_text(encoding="utf-8"))
        for _, function, found in extract_from_ast(tree, ("_", "_n"), babel_style=False):
            texts = [text for text in found or () if text is not None]
            if texts:
                yield texts[0], texts[1] if function == "_n" else None


def in_code() -> Iterator[tuple[str, str | None]]:
    """Yield the literal texts that modules give to a translator."""
    for _, call in _calls():
        match call.func:
            case ast.Attribute(attr="plural", value=owner) if _is_translator(owner):
                texts = [text for argument in call.args[:2] for text in _literals(argument)]
                if texts:
                    yield texts[0], texts[1]
            case ast.Attribute(attr=name, value=owner) if name in _TEXT_AT:
                at = _TEXT_AT[name]
                if len(call.args) > at and (name != "text" or _is_translator(owner)):
                    yield from ((text, None) for text in _literals(call.args[at]))


def in_messages() -> Iterator[str]:
    """Yield the templates of messages, wherever they are built."""
    for path, call in message_calls():
        template = literal_template(call)
        assert template is not None, f"{path}:{call.lineno}: the template is not a literal"
        yield template


def in_tables() -> Iterator[str]:
    """Yield the labels of codes."""
    for table in (SKIPS, SKIPPED, CHECKS, STAGES, STATES, DECIDED_BY, DELIVERIES, CODES, KEPT):
        yield from table.values()
    yield from (VALUE_LEFT, TAG_LEFT, REVIEWED, CHANGED_SINCE)
    yield from (code.replace("_", " ") for code in _CODES if code not in CODES)


def in_counts() -> Iterator[tuple[str, str]]:
    """Yield the labels of counts, whose English forms are alike."""
    yield from ((text, text) for text in COUNTED.values())


def in_settings() -> Iterator[str]:
    """Yield the description of each setting."""
    for tables in (InstanceTables, DaemonSettings):
        yield from (option.field.description or "" for option in list_options(tables))


def in_errors() -> Iterator[str]:
    """Yield the messages and hints of errors and stored problems."""
    for module in ("daemon.run", "daemon.cli.app", "actions.review"):
        # They import every class of errors.
        import_module(module)
    for problem in (CRASHED, RELEASED_TOO_OFTEN):
        yield from (problem.user_message, problem.hint)
    for error in (*_classes(PaperclerkError), *_classes(PaperlessError)):
        yield from filter(None, (getattr(error, name, "") for name in _ERROR_ATTRIBUTES))
    yield from WORDS.values()


def message_calls(name: str = "message") -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of a function of `core.messages`, with the files they are in."""
    for path, call in _calls():
        match call.func:
            case ast.Name(called) if called == name:
                yield path, call


def literal_template(call: ast.Call) -> str | None:
    """Return the template of a call; None if it is not a literal."""
    match call.args:
        case [ast.Constant(str(template))]:
            return template
    return None


def _calls() -> Iterator[tuple[str, ast.Call]]:
    for package in _PACKAGES:
        for path in sorted((_ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    yield str(path.relative_to(_ROOT)), node


def _is_translator(owner: ast.expr) -> bool:
    match owner:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name in _TRANSLATORS
    return False


def _literals(argument: ast.expr) -> Iterator[str]:
    """Yield the text of an argument; of a choice between two, both."""
    match argument:
        case ast.Constant(str(text)):
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from (*_literals(body), *_literals(other))


def _classes(error: type[Exception]) -> Iterator[type[Exception]]:
    yield error
    for kind in error.__subclasses__():
        yield from _classes(kind)
