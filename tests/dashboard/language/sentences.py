"""All sentences that a page or a message may say."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import daemon.notify
import dashboard
import i18n
from core.changes import ChangeState
from core.documents import DocumentState
from core.errors import PaperclerkError
from core.jobs import ANALYZE, APPLY, DRY_RUN, UNDO, EventName, JobStatus, Stage
from core.scans import NextScan
from core.settings import DaemonSettings
from core.settings.instance import InstanceTables
from core.settings.options import list_options
from dashboard.error_responses import WORDS
from dashboard.rendering.timeline import COUNTED
from i18n.labels import (
    CHANGED_SINCE,
    CHECKS,
    DECIDED_BY,
    NOTHING_TO_DO,
    SKIPPED,
    SKIPS,
    STATES,
    TAG_LEFT,
    VALUE_LEFT,
)
from paperless_client import PaperlessError
from store.queue.claims import CRASHED
from store.queue.moves import RELEASED_TOO_OFTEN

_ROOT = Path(dashboard.__file__).parent
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
_MESSAGES = Path(daemon.notify.__file__).parent
_I18N = Path(i18n.__file__).parent
_TEXT = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_IN_TEMPLATES = re.compile(rf"\b_n?\(\s*{_TEXT}")
_IN_CODE = re.compile(rf"(?:translator|self|_)\.(?:text|plural)\(\s*{_TEXT}")
_DONE = re.compile(r"view\.(?:redirect_with_message|perform)\((.*?)\n\n", re.DOTALL)
"""What follows a call that says what was done; of its texts, those with a space are sentences."""
_TOLD_BY_ERRORS = ("user_message", "hint", "hint_for_documents")
_CODES = (
    *(*JobStatus, *Stage, *EventName, *DocumentState, *NextScan),
    *(ANALYZE, APPLY, DRY_RUN, UNDO),
)


def in_templates() -> Iterator[str]:
    """Yield what templates say."""
    for path in sorted((_ROOT / "templates").rglob("*.html")):
        for found in _IN_TEMPLATES.finditer(path.read_text(encoding="utf-8")):
            yield _unquoted(found[1])


def in_code() -> Iterator[str]:
    """Yield what modules of the dashboard say, and messages."""
    for path in sorted([*_ROOT.rglob("*.py"), *_I18N.glob("*.py"), *_MESSAGES.glob("*.py")]):
        for found in _IN_CODE.finditer(path.read_text(encoding="utf-8")):
            yield _unquoted(found[1])
        for call in _DONE.finditer(path.read_text(encoding="utf-8") + "\n\n"):
            texts = (_unquoted(text) for text in re.findall(_TEXT, call[1]))
            yield from (text for text in texts if " " in text)


def in_messages() -> Iterator[str]:
    """Yield the templates of messages, wherever they are built."""
    for path, call in message_calls():
        template = literal_template(call)
        assert template is not None, f"{path}:{call.lineno}: the template is not a literal"
        yield template


def message_calls(name: str = "message") -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of a function of `core.messages`, with the files they are in."""
    for package in _PACKAGES:
        for path in sorted((_ROOT.parent / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                match node:
                    case ast.Call(func=ast.Name(called)) if called == name:
                        yield str(path.relative_to(_ROOT.parent)), node


def literal_template(call: ast.Call) -> str | None:
    """Return the template that a call names; None if it is made up at run time."""
    match call.args:
        case [ast.Constant(str(template))]:
            return template
    return None


def in_tables() -> Iterator[str]:
    """Yield the words that all of the project shares."""
    for table in (SKIPS, SKIPPED, CHECKS, STATES):
        yield from table.values()
    yield from (VALUE_LEFT, TAG_LEFT, NOTHING_TO_DO, CHANGED_SINCE)
    yield from DECIDED_BY.values()
    yield from COUNTED.values()
    yield from (code.replace("_", " ") for code in _CODES)
    yield from ("hand", "timer", "review", "yes", "no", *(state.value for state in ChangeState))


def in_settings() -> Iterator[str]:
    """Yield what each setting means."""
    for tables in (InstanceTables, DaemonSettings):
        yield from (option.field.description or "" for option in list_options(tables))


def of_problems() -> Iterator[str]:
    """Yield what is said of problems that no error tells."""
    for problem in (CRASHED, RELEASED_TOO_OFTEN):
        yield from (problem.user_message, problem.hint)


def of_errors() -> Iterator[str]:
    """Yield what errors say to people, and what they advise."""
    for error in (*_kinds(PaperclerkError), *_kinds(PaperlessError)):
        yield from filter(None, (getattr(error, name, "") for name in _TOLD_BY_ERRORS))


def of_the_framework() -> Iterator[str]:
    """Yield what is said of what the framework finds by itself."""
    yield from WORDS.values()


def _kinds(error: type[Exception]) -> Iterator[type[Exception]]:
    yield error
    for kind in error.__subclasses__():
        yield from _kinds(kind)


def _unquoted(text: str) -> str:
    return text[1:-1].replace('\\"', '"').replace("\\'", "'").replace("\\n", "\n")
