"""All sentences that a page or a message may say."""

import re
from collections.abc import Iterator
from pathlib import Path

import daemon.notify
import dashboard
from core.changes import ChangeState
from core.documents import DocumentState
from core.errors import PaperclerkError
from core.jobs import ANALYZE, APPLY, REHEARSE, UNDO, EventName, JobStatus, Stage
from core.scans import NextScan
from core.settings import DaemonSettings
from core.settings.instance import InstanceTables
from core.settings.options import options_of
from daemon import doctor
from dashboard import examining
from dashboard.answers import WORDS
from dashboard.language import retelling
from dashboard.rendering.steps import COUNTED
from paperless_client import PaperlessError
from processor.words import (
    CHANGED_SINCE,
    CHECKS,
    DECIDED_BY,
    FIELDS,
    NOTHING_TO_DO,
    REASONS,
    SKIPPED,
    SKIPS,
    STATES,
    TAG_LEFT,
    VALUE_LEFT,
)
from store.claims import CRASHED
from store.moves import GIVEN_BACK_TOO_OFTEN

_ROOT = Path(dashboard.__file__).parent
_MESSAGES = Path(daemon.notify.__file__).parent
_TEXT = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_IN_TEMPLATES = re.compile(rf"\b_n?\(\s*{_TEXT}")
_IN_CODE = re.compile(rf"\.(?:say|count)\(\s*{_TEXT}")
_SENTENCES = re.compile(rf"\b[Ss]entence\(\s*((?:{_TEXT}\s*)+)")
_DONE = re.compile(r"view\.(?:done|carry_out)\((.*?)\n\n", re.DOTALL)
"""What follows a call that says what was done; of its texts, those with a space are sentences."""
_TOLD_BY_ERRORS = ("user_message", "hint", "hint_for_documents")
_CODES = (
    *(*JobStatus, *Stage, *EventName, *DocumentState, *NextScan),
    *(ANALYZE, APPLY, REHEARSE, UNDO),
)


def in_templates() -> Iterator[str]:
    """Yield what templates say."""
    for path in sorted((_ROOT / "templates").rglob("*.html")):
        for found in _IN_TEMPLATES.finditer(path.read_text(encoding="utf-8")):
            yield _unquoted(found[1])


def in_code() -> Iterator[str]:
    """Yield what modules of the dashboard say, and messages."""
    for path in sorted([*_ROOT.rglob("*.py"), *_MESSAGES.glob("*.py")]):
        for found in _IN_CODE.finditer(path.read_text(encoding="utf-8")):
            yield _unquoted(found[1])
        for call in _DONE.finditer(path.read_text(encoding="utf-8") + "\n\n"):
            texts = (_unquoted(text) for text in re.findall(_TEXT, call[1]))
            yield from (text for text in texts if " " in text)


def in_tests() -> Iterator[str]:
    """Yield what a test of Paperless or a model tells, and what it advises."""
    for path in (Path(doctor.__file__), Path(examining.__file__)):
        for found in _SENTENCES.finditer(path.read_text(encoding="utf-8")):
            yield "".join(_unquoted(text) for text in re.findall(_TEXT, found[1]))


def in_tables() -> Iterator[str]:
    """Yield the words that all of the project shares."""
    for table in (SKIPS, SKIPPED, REASONS, CHECKS, FIELDS, STATES):
        yield from table.values()
    yield from (VALUE_LEFT, TAG_LEFT, NOTHING_TO_DO, CHANGED_SINCE)
    yield from DECIDED_BY.values()
    yield from COUNTED.values()
    yield from (code.replace("_", " ") for code in _CODES)
    yield from ("hand", "timer", "review", "yes", "no", *(state.value for state in ChangeState))


def in_settings() -> Iterator[str]:
    """Yield what each setting means."""
    for tables in (InstanceTables, DaemonSettings):
        yield from (option.field.description or "" for option in options_of(tables))


def written_down() -> Iterator[str]:
    """Yield what is kept in English and retold, and the problems that no error tells."""
    yield from retelling.SENTENCES
    for problem in (CRASHED, GIVEN_BACK_TOO_OFTEN):
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
