"""How messages are built in the code, so that every one of them can be translated."""

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import core
from tests.i18n.extract import literal_template, message_calls

_ROOT = Path(core.__file__).parent.parent
_TRANSLATED = ("paperless_client", "store", "scanner", "processor", "actions")
"""Packages whose errors reach people on pages."""
_SETTINGS = [
    *sorted((_ROOT / "core" / "settings").glob("*.py")),
    *(_ROOT / "core" / f"{name}.py" for name in ("cron", "calendar")),
]
_FOR_DEVELOPERS = {"AssertionError", "RuntimeError", "TypeError", "ValueError"}


def test_every_template_is_a_literal() -> None:
    made_up = [
        f"{path}:{call.lineno}" for path, call in message_calls() if literal_template(call) is None
    ]

    assert made_up == []


def test_every_place_of_a_template_has_its_value() -> None:
    wrong = [
        f"{path}:{call.lineno}"
        for path, call in message_calls()
        if not any(keyword.arg is None for keyword in call.keywords)
        and _places(literal_template(call) or "", call)
        != {keyword.arg for keyword in call.keywords}
    ]

    assert wrong == []


def test_only_the_module_of_messages_builds_them_in_another_way() -> None:
    elsewhere = {path for path, _ in message_calls("Message")}

    assert elsewhere == {"core/messages.py"}


@pytest.mark.parametrize("package", _TRANSLATED)
def test_no_error_is_raised_with_a_bare_text(package: str) -> None:
    assert list(_raised_with_text((_ROOT / package).rglob("*.py"), _FOR_DEVELOPERS)) == []


def test_no_error_of_the_settings_is_raised_with_a_bare_text() -> None:
    raised = list(_raised_with_text(iter(_SETTINGS), set()))

    # Of a duration that nobody can write: a developer's mistake.
    assert [place.partition(":")[0] for place in raised] == ["core/calendar.py"]


def _places(template: str, call: ast.Call) -> set[str | None]:
    # Without values the text stays as it is, braces included.
    if not call.keywords:
        return set()
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def _raised_with_text(paths: Iterator[Path], left_out: set[str]) -> Iterator[str]:
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Raise(
                    exc=ast.Call(func=func, args=[ast.JoinedStr() | ast.Constant(str())])
                ):
                    name = ast.unparse(func)
                    if name not in left_out and "." not in name:
                        yield f"{path.relative_to(_ROOT)}:{node.lineno}"
